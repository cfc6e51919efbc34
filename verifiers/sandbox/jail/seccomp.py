"""The calls that a candidate may not make: a seccomp-bpf program, written by hand for two architectures.

A list of what is refused, not of what is allowed: Python and its extension modules use most of the kernel's
calls, and a right program that stumbles over a missing one would be scored wrong. Refused are new processes,
programs and namespaces, sockets, shared memory that outlives a process or that no limit counts, signals to and
memory of others, mounts, modules, keys, clocks, and every call newer than this file.
"""

import ctypes
import errno
import os

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
    "nfsservctl", "migrate_pages", "move_pages",
)  # fmt: skip

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020080
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME."""
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_NO_NEW_PRIVS, _FILTER = 38, 1


class _Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def refuse_calls(*, processes: bool) -> None:
    """Install the filter for this process and all that it starts, for good.

    Args:
        processes: whether it may start processes; without a PID namespace it never should.

    Raises:
        OSError: the kernel takes no filter, or the architecture has no table here.
    """
    if ARCHITECTURE not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"seccomp: no table for {ARCHITECTURE}")
    instructions = _filter(processes=processes, own_pid=os.getpid())
    program = _Program(len(instructions), (_Instruction * len(instructions))(*instructions))
    prctl(_NO_NEW_PRIVS, 1)
    syscall("seccomp", _FILTER, 0, ctypes.byref(program))


def _filter(*, processes: bool, own_pid: int) -> list[_Instruction]:
    refuse, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    program = [
        _Instruction(_LOAD, 0, 0, _ARCH),
        _Instruction(_EQUAL, 1, 0, _AUDIT_ARCH[ARCHITECTURE]),
        _Instruction(_RETURN, 0, 0, _KILL),
        _Instruction(_LOAD, 0, 0, _NUMBER),
        # Also what has the x32 bit: a second set of numbers for the same calls.
        *_if(_AT_LEAST, LAST_KNOWN + 1, missing),
        # glibc then falls back on clone, whose flags a filter can see.
        *_if(_EQUAL, NUMBERS["clone3"], missing),
    ]
    names = REFUSED if processes else REFUSED + PROCESSES
    for name in names:
        if name in NUMBERS:
            program += _if(_EQUAL, NUMBERS[name], refuse)
    if processes:
        return [*program, *_clone_without(_CLONE_NEW, refuse), _Instruction(_RETURN, 0, 0, _ALLOW)]
    for name in ("kill", "tgkill"):
        program += _unless_first_argument(NUMBERS[name], own_pid, refuse)
    return [*program, *_only_threads(refuse), _Instruction(_RETURN, 0, 0, _ALLOW)]


def _if(test: int, value: int, action: int) -> list[_Instruction]:
    return [_Instruction(test, 0, 1, value), _Instruction(_RETURN, 0, 0, action)]


def _unless_first_argument(number: int, value: int, action: int) -> list[_Instruction]:
    """`action` where call `number` has another first argument; the number is loaded again behind it."""
    return [
        _Instruction(_EQUAL, 0, 4, number),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
        _Instruction(_EQUAL, 1, 0, value),
        _Instruction(_RETURN, 0, 0, action),
        _Instruction(_LOAD, 0, 0, _NUMBER),
    ]


def _only_threads(action: int) -> list[_Instruction]:
    return [
        _Instruction(_EQUAL, 0, 4, NUMBERS["clone"]),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
        _Instruction(_ANY_BIT, 1, 0, _CLONE_THREAD),
        _Instruction(_RETURN, 0, 0, action),
        _Instruction(_LOAD, 0, 0, _NUMBER),
    ]


def _clone_without(flags: int, action: int) -> list[_Instruction]:
    return [
        _Instruction(_EQUAL, 0, 4, NUMBERS["clone"]),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
        _Instruction(_ANY_BIT, 0, 1, flags),
        _Instruction(_RETURN, 0, 0, action),
        _Instruction(_LOAD, 0, 0, _NUMBER),
    ]
