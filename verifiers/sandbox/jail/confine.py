"""The steps that take rights away, each for good: user, namespaces, mounts, capabilities, limits.

Order matters. Root in a user namespace is still root outside it, so the user is dropped first; a process that
dropped its user cannot read its own /proc until it is dumpable again, and without that it can map no ids.
"""

import ctypes
import os
import resource
from dataclasses import dataclass

from syscalls import checked, libc, prctl, syscall

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_SIGCHLD = 17
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_NO_NEW_PRIVS = 38
_AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = -100, 0x8000, 1
_LAST_CAPABILITY = 63
_CAPABILITY_HEADER = (ctypes.c_uint32 * 2)(0x20080522, 0)
_NO_CAPABILITIES = (ctypes.c_uint32 * 6)()
_SIGKILL = 9


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Args:
        cpu_s: processor seconds of the whole run.
        memory_bytes: address space of one process.
        file_bytes: of one file, and of everything in the scratch folder together where that is a tmpfs.
        processes: beside the first; 0 refuses them all.
    """

    cpu_s: float
    memory_bytes: int
    file_bytes: int
    processes: int


def drop_root(uid: int) -> None:
    """Become `uid`, which owns nothing here, where this process is root."""
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    prctl(_PR_SET_DUMPABLE, 1)


def enter_user_namespace() -> None:
    """A user namespace of our own, in which this process may make the others; raises OSError where it may not."""
    uid, gid = os.geteuid(), os.getegid()
    _unshare(_NEWUSER)
    for name, text in (("setgroups", "deny"), ("gid_map", f"{gid} {gid} 1"), ("uid_map", f"{uid} {uid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def enter_network_namespace() -> None:
    """A network without any interface that is up."""
    _unshare(_NEWNET)


def enter_ipc_namespace() -> None:
    """SysV objects and message queues of our own, and a host name of our own."""
    _unshare(_NEWIPC | _NEWUTS)


def enter_mount_namespace() -> None:
    """A list of mounts of our own: what is mounted in it is seen outside by nobody, and what was there is read-only.

    Landlock does not stop a program from changing the modes, owners and times of its user's files; this does.
    """
    _unshare(_NEWNS)
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE, None)
    # struct mount_attr: what is set, what is cleared, propagation, user namespace.
    attributes = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_RDONLY, 0, 0, 0)
    syscall("mount_setattr", _AT_FDCWD, b"/", _AT_RECURSIVE, ctypes.byref(attributes), ctypes.sizeof(attributes))


def enter_pid_namespace_of(pidfd: int) -> None:
    """Children of this process are born in the PID namespace of that process."""
    checked(libc.setns(pidfd, _NEWPID), "setns")


def fork_into_pid_namespace() -> int:
    """Like fork, but the child is the first process of a new PID namespace.

    By the raw call: unshare and fork would need a process more. What the C library remembers about its thread is
    the parent's in the child, so the child must do little more than wait and exit.
    """
    ctypes.pythonapi.PyOS_BeforeFork()
    try:
        pid = syscall("clone", _NEWPID | _SIGCHLD, 0, 0, 0, 0)
    except BaseException:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        raise
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return pid


def mount_scratch(path: str, size: int) -> None:
    """An empty tmpfs of `size` bytes at `path`, seen by this process and its children alone, and gone with them."""
    _unshare(_NEWNS)
    _mount("tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={size},nr_inodes=4096,mode=0700")


def mount_shared_memory(size: int) -> None:
    """A small tmpfs at /dev/shm: locks of `multiprocessing` live there."""
    _mount("tmpfs", "/dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, f"size={size},nr_inodes=256,mode=0700")


def bound_capabilities() -> None:
    """No program that is started from here on gains a capability; those that are held now stay."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            break  # the kernel has no more of them, or we have none to drop
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """No capability left: whoever makes a user namespace holds all of them in it."""
    syscall("capset", ctypes.byref(_CAPABILITY_HEADER), ctypes.byref(_NO_CAPABILITIES))


def limit(limits: Limits) -> None:
    """Set soft and hard limits of this process and of what it starts."""
    cpu_s = int(limits.cpu_s) + 2
    for which, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 256, 256),
        (resource.RLIMIT_MSGQUEUE, 0, 0),
        (resource.RLIMIT_STACK, limits.memory_bytes // 2, limits.memory_bytes // 2),
    ):
        _lower(which, soft, hard)
    if limits.processes:
        # Counts all processes and threads of the user, everywhere: threads of concurrent runs too.
        _lower(resource.RLIMIT_NPROC, limits.processes + 512, limits.processes + 512)


def _lower(which: int, soft: int, hard: int) -> None:
    allowed = resource.getrlimit(which)[1]
    if allowed != resource.RLIM_INFINITY:
        soft, hard = min(soft, allowed), min(hard, allowed)
    resource.setrlimit(which, (soft, hard))


def die_with_parent() -> None:
    """SIGKILL for this process as soon as its parent is gone."""
    prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def _unshare(flags: int) -> None:
    syscall("unshare", flags)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    result = libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    checked(result, f"mount {kind or 'private'} at {target}")
