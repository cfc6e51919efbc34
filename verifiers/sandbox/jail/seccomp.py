"""The calls that a candidate may not make: a seccomp-bpf program, written by hand for two architectures.

A list of what is refused, not of what is allowed: Python and its extension modules use most of the kernel's
calls, and a right program that stumbles over a missing one would be scored wrong. Refused are new processes,
programs and namespaces, sockets, shared memory that outlives a process or that no limit counts, signals to and
memory of others, mounts, modules, keys, clocks, and every call newer than this file.
"""

import ctypes
import errno
import os
from collections.abc import Mapping, Sequence
from functools import cache

from syscalls import ARCHITECTURE, LAST_KNOWN, NUMBERS, prctl, syscall

PROCESSES = ("fork", "vfork", "execve", "execveat", "tkill")
"""Allowed again where a run may start processes."""
REFUSED = (
    "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl",
    "mq_open", "memfd_create", "memfd_secret", "socket", "connect", "bind", "listen", "ptrace", "process_vm_readv",
    "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "unshare", "setns", "mount", "umount2", "pivot_root",
    "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "mknod", "mknodat",
    "name_to_handle_at", "open_by_handle_at", "fanotify_init", "lookup_dcookie", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "add_key", "request_key",
    "keyctl", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon",
    "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt", "personality", "syslog", "uselib", "vhangup",
    "nfsservctl", "migrate_pages", "move_pages", "setpriority", "sched_setparam", "sched_setscheduler", "sched_setattr",
    "ioprio_set",
)  # fmt: skip

ATTRIBUTES = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat",
    "utimensat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
)  # fmt: skip
"""These do nothing where neither a user of its own nor read-only mounts keep a program from the files of its user:
Landlock does not ask about them. They are not refused, for `shutil.copy` could then copy nothing."""

OF_ITSELF = ("prlimit64", "sched_setaffinity")
"""Allowed to a process about itself: limits and processors of another of the same user are not its own to change."""

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020080
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME."""
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_NO_NEW_PRIVS, _FILTER = 38, 1
_PR_SET_PDEATHSIG = 1
_NO_PID = 0x7FFFFFFF


class _Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def refuse_calls(*, processes: bool, attributes: bool = True) -> None:
    """Install the filter for this process and all that it starts, for good.

    Args:
        processes: whether it may start processes; without a PID namespace it never should.
        attributes: whether it may change modes, owners and times of files.

    Raises:
        OSError: the kernel takes no filter, or the architecture has no table here.
    """
    instructions, about_own_pid = _prepared(processes, attributes)
    for position in about_own_pid:
        instructions[position].k = os.getpid()
    program = _Program(len(instructions), instructions)
    prctl(_NO_NEW_PRIVS, 1)
    syscall("seccomp", _FILTER, 0, ctypes.byref(program))


def prepare() -> None:
    """Make the filters ahead, for all processes that are forked from this one; raises OSError as above."""
    for processes in (False, True):
        _prepared(processes, True)


@cache
def _prepared(processes: bool, attributes: bool) -> tuple[ctypes.Array, list[int]]:
    """The filter, made once in the zygote, and where a process writes its own number into it."""
    if ARCHITECTURE not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"seccomp: no table for {ARCHITECTURE}")
    instructions = _filter(processes=processes, own_pid=_NO_PID, attributes=attributes)
    array = (_Instruction * len(instructions))(*instructions)
    return array, [number for number, one in enumerate(instructions) if one.k == _NO_PID]


def _filter(*, processes: bool, own_pid: int, attributes: bool = True) -> list[_Instruction]:
    return [
        _Instruction(_LOAD, 0, 0, _ARCH),
        _Instruction(_EQUAL, 1, 0, _AUDIT_ARCH[ARCHITECTURE]),
        _return(_KILL),
        _Instruction(_LOAD, 0, 0, _NUMBER),
        *_search(_ranges(_answers(processes=processes, own_pid=own_pid, attributes=attributes))),
    ]


def _answers(*, processes: bool, own_pid: int, attributes: bool) -> dict[int, tuple[_Instruction, ...]]:
    """What the calls that are not simply allowed get, by number; each answer ends with a return."""
    refused = REFUSED if processes else REFUSED + PROCESSES
    answers: dict[int, tuple[_Instruction, ...]] = {NUMBERS[name]: (_REFUSE,) for name in refused if name in NUMBERS}
    if not attributes:
        answers |= {NUMBERS[name]: (_NOTHING,) for name in ATTRIBUTES if name in NUMBERS}
    # glibc then falls back on clone, whose flags a filter can see.
    answers[NUMBERS["clone3"]] = (_MISSING,)
    answers[NUMBERS["prctl"]] = _by_argument(_EQUAL, _PR_SET_PDEATHSIG, _REFUSE, _ALLOWED)
    for name in OF_ITSELF:
        answers[NUMBERS[name]] = (
            _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
            _Instruction(_EQUAL, 1, 0, 0),
            _Instruction(_EQUAL, 0, 1, own_pid),
            _ALLOWED,
            _REFUSE,
        )
    if processes:
        answers[NUMBERS["clone"]] = _by_argument(_ANY_BIT, _CLONE_NEW, _REFUSE, _ALLOWED)
    else:
        answers[NUMBERS["clone"]] = _by_argument(_ANY_BIT, _CLONE_THREAD, _ALLOWED, _REFUSE)
        for name in ("kill", "tgkill"):
            answers[NUMBERS[name]] = _by_argument(_EQUAL, own_pid, _ALLOWED, _REFUSE)
    return answers


def _ranges(answers: Mapping[int, tuple[_Instruction, ...]]) -> list[tuple[int, tuple[_Instruction, ...]]]:
    """The first number of each range of calls that get one answer, from 0 up, and the answer."""
    ranges: list[tuple[int, tuple[_Instruction, ...]]] = []
    for number in range(LAST_KNOWN + 1):
        answer = answers.get(number, (_ALLOWED,))
        if not ranges or ranges[-1][1] != answer:
            ranges.append((number, answer))
    # Also what has the x32 bit: a second set of numbers for the same calls.
    return [*ranges, (LAST_KNOWN + 1, (_MISSING,))]


def _search(ranges: Sequence[tuple[int, tuple[_Instruction, ...]]]) -> list[_Instruction]:
    """The answer for the number that is loaded, by halves: the kernel runs this for each call, and for all at first."""
    if len(ranges) == 1:
        return list(ranges[0][1])
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return [_Instruction(_AT_LEAST, len(below), 0, ranges[middle][0]), *below, *above]


def _by_argument(test: int, value: int, so: _Instruction, otherwise: _Instruction) -> tuple[_Instruction, ...]:
    """An answer that depends on the first argument."""
    return _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT), _Instruction(test, 0, 1, value), so, otherwise


def _return(action: int) -> _Instruction:
    return _Instruction(_RETURN, 0, 0, action)


_ALLOWED = _return(_ALLOW)
_NOTHING = _return(_ERRNO)  # of number 0: the call is not made, and said to have been
_REFUSE, _MISSING = _return(_ERRNO | errno.EPERM), _return(_ERRNO | errno.ENOSYS)
