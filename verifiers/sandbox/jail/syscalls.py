"""System calls that Python does not offer, by number: glibc has no wrapper for most of them.

Standard library only: this folder is run by a bare interpreter (`python -I -S`) that knows nothing of rewardgate.
"""

import ctypes
import os
import platform

ARCHITECTURE = platform.machine()

_X86_64 = {
    "shmget": 29, "shmat": 30, "shmctl": 31, "socket": 41, "connect": 42, "bind": 49, "listen": 50, "socketpair": 53,
    "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "semget": 64, "semop": 65, "semctl": 66,
    "msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "ptrace": 101, "syslog": 103, "capset": 126,
    "rt_sigqueueinfo": 129, "mknod": 133, "uselib": 134, "personality": 135, "vhangup": 153, "modify_ldt": 154,
    "pivot_root": 155, "prctl": 157, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172,
    "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "nfsservctl": 180, "tkill": 200,
    "io_setup": 206, "lookup_dcookie": 212, "semtimedop": 220, "clock_settime": 227, "tgkill": 234, "mq_open": 240,
    "kexec_load": 246, "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144, "sched_setaffinity": 203,
    "ioprio_set": 251, "prlimit64": 302, "sched_setattr": 314, "add_key": 248, "request_key": 249, "keyctl": 250,
    "migrate_pages": 256, "mknodat": 259, "unshare": 272, "move_pages": 279, "rt_tgsigqueueinfo": 297,
    "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "finit_module": 313, "seccomp": 317, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "execveat": 322,
    "userfaultfd": 323, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "utime": 132,
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "utimes": 235, "fchownat": 260, "futimesat": 261, "fchmodat": 268, "utimensat": 280,
}  # fmt: skip
_AARCH64 = {
    "io_setup": 0, "lookup_dcookie": 18, "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "nfsservctl": 42,
    "chroot": 51, "vhangup": 58, "quotactl": 60, "acct": 89, "capset": 91, "personality": 92, "unshare": 97,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117,
    "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138, "reboot": 142, "sethostname": 161,
    "setdomainname": 162, "prctl": 167, "settimeofday": 170, "adjtimex": 171, "mq_open": 180, "msgget": 186,
    "msgctl": 187, "msgrcv": 188, "msgsnd": 189, "semget": 190, "semctl": 191, "semtimedop": 192, "semop": 193,
    "shmget": 194, "shmctl": 195, "shmat": 196, "socket": 198, "socketpair": 199, "bind": 200, "listen": 201,
    "connect": 203, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "execve": 221, "swapon": 224,
    "swapoff": 225, "migrate_pages": 238, "move_pages": 239, "rt_tgsigqueueinfo": 240, "perf_event_open": 241,
    "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "seccomp": 277,
    "memfd_create": 279, "bpf": 280, "execveat": 281, "userfaultfd": 282, "kexec_file_load": 294, "ioprio_set": 30,
    "sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122, "setpriority": 140, "prlimit64": 261,
    "sched_setattr": 274,
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55, "utimensat": 88,
}  # fmt: skip
_EVERYWHERE = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434, "clone3": 435,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446, "memfd_secret": 447,
    "process_mrelease": 448, "fchmodat2": 452,
}  # fmt: skip
"""Calls from 424 on have one number on every architecture."""

LAST_KNOWN = 462
"""Later calls did not exist when this was written; nobody has asked whether they can be left to a stranger."""

NUMBERS = {"x86_64": _X86_64, "aarch64": _AARCH64}.get(ARCHITECTURE, {}) | _EVERYWHERE

libc = ctypes.CDLL(None, use_errno=True)


def syscall(name: str, *arguments: object) -> int:
    """What the call returns; raises the OSError of its errno. Integers are passed as longs, the rest as ctypes does."""
    if name not in NUMBERS:
        raise OSError(38, f"{name}: unknown on {ARCHITECTURE}")
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return checked(libc.syscall(ctypes.c_long(NUMBERS[name]), *values), name)


def checked(result: int, name: str) -> int:
    """`result` of a C function; raises the OSError of errno where it is -1."""
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2)."""
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    return checked(libc.prctl(option, *padded), "prctl")
