"""Landlock: which files a candidate can reach, and, on newer kernels, that it reaches no network and no one else.

Rules are taken by open descriptors (O_PATH), so that a path that is replaced afterwards changes nothing.
"""

import ctypes
import os
import stat
from collections.abc import Sequence

from syscalls import prctl, syscall

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
READ = _READ_FILE | _READ_DIR
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_FIRST_FS = (1 << 13) - 1
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_NET, _SCOPES = 0b11, 0b11
_PATH_BENEATH = 1
_VERSION = 1
_NO_NEW_PRIVS = 38


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def abi() -> int:
    """The kernel's Landlock version; 0 where it has none, or it is switched off."""
    try:
        return syscall("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def restrict(readable: Sequence[int], writable: Sequence[int], *, version: int, executable: bool = False) -> None:
    """Leave this process the files beneath `readable` to read and beneath `writable` to change, for good.

    Args:
        readable, writable: descriptors opened with O_PATH, of folders or files. A device can be written to as well:
            programs silence themselves with /dev/null.
        executable: whether programs beneath `readable` can be started.
        version: what `abi()` said, at least 1.

    Raises:
        OSError: the kernel refuses.
    """
    every = _handled(version)
    attributes = _Ruleset(every, _NET if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = syscall("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
    try:
        for descriptor in readable:
            _allow(ruleset, descriptor, READ | (_EXECUTE if executable else 0))
        for descriptor in writable:
            _allow(ruleset, descriptor, every & ~_EXECUTE)
        prctl(_NO_NEW_PRIVS, 1)
        syscall("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _handled(version: int) -> int:
    later = (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0) | (_IOCTL if version >= 5 else 0)
    return _FIRST_FS | later


def _allow(ruleset: int, descriptor: int, access: int) -> None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISCHR(mode):
        access |= _WRITE_FILE
    if not stat.S_ISDIR(mode):
        access &= _FILE_ONLY
    rule = _PathBeneath(access, descriptor)
    syscall("landlock_add_rule", ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
