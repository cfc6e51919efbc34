"""Lines appended to one file by many threads and processes, none of whom waits for another.

A line is one write(2) to a descriptor opened with O_APPEND: the kernel puts it behind whatever stands there. A
process that is killed inside its write may leave the beginning of a line, and the next line, whoever writes it,
would be glued to that. So a writer looks at the byte before its own line, and writes the line again where that is
no line end: the glued one cannot be read, the second stands alone.

What `append` has returned from survives the death of its process, not that of the machine: nothing is forced to
the disk. Network file systems promise less: NFS does not append atomically.
"""

import os
import stat
import threading
from pathlib import Path

__all__ = ["Appender"]

_MAX_ATTEMPTS = 8


class Appender:
    """Appends lines to `path`, which is made when the first comes.

    Every thread has a descriptor of its own, and so has the child of a fork: where a line came to stand is told by
    the descriptor's position, which must be nobody else's. A file that was deleted meanwhile is made again.

    Args:
        path: the file; a pipe or a terminal will do, but a torn line cannot be seen there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "rows.jsonl"
        ...     appender = Appender(path)
        ...     appender.append(b'{"a": 1}')
        ...     with path.open("ab") as file:  # a process dies here
        ...         torn = file.write(b'{"a": "tor')
        ...     appender.append(b'{"a": 2}')
        ...     path.read_bytes().splitlines()
        [b'{"a": 1}', b'{"a": "tor{"a": 2}', b'{"a": 2}']
    """

    def __init__(self, path: str | Path) -> None:
        self._path = os.fspath(path)
        self._of_thread = threading.local()

    def append(self, line: bytes) -> None:
        """Append `line`, which holds no line end, and a line end.

        Raises:
            OSError: it could not be written whole.
        """
        data = line + b"\n"
        opened = self._opened()
        for _ in range(_MAX_ATTEMPTS):
            # A short write (the disk is full) is one more torn line: again, until the system says why.
            if os.write(opened.descriptor, data) == len(data) and opened.stands_alone(len(data)):
                return
        raise OSError(f"no whole line was written in {_MAX_ATTEMPTS} attempts")

    def _opened(self) -> "_Opened":
        opened: _Opened | None = getattr(self._of_thread, "opened", None)
        if opened is None or not opened.is_usable():
            opened = self._of_thread.opened = _Opened(self._path)
        return opened


class _Opened:
    """A descriptor that is closed when its thread, the only one to hold it, ends."""

    def __init__(self, path: str) -> None:
        self.descriptor = -1
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self.descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._owner = os.getpid()
        self._is_file = stat.S_ISREG(os.fstat(self.descriptor).st_mode)

    def is_usable(self) -> bool:
        return self._owner == os.getpid() and (not self._is_file or os.fstat(self.descriptor).st_nlink > 0)

    def stands_alone(self, n_bytes: int) -> bool:
        """Whether the last `n_bytes` that were written begin a line."""
        if not self._is_file:
            return True
        start = os.lseek(self.descriptor, 0, os.SEEK_CUR) - n_bytes
        return start <= 0 or os.pread(self.descriptor, 1, start - 1) == b"\n"

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
