"""Where a command's output goes: a file that appears whole or not at all, never over the input.

A regular file is written beside its place and takes it at the end, in one step: whoever reads meanwhile, or
writes the same, sees the old file or a whole new one. A device, a pipe and stdout are written to directly.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import BinaryIO, TextIO

from ..errors import ArgumentError, InputError

__all__ = ["Output", "told_as"]


class Output:
    """The target of one output option; a context manager, opened and checked on entry.

    Where the `with` block raises, Ctrl-C included, a regular file stays as it was, and nothing is left beside it.
    (SIGTERM and SIGKILL leave a `.rewardgate-….part`.)

    Args:
        option: what the user calls it (`"--out"`), for error messages.
        target: a path, through symlinks; `-` for stdout, which stays open.
        source: the file that is read meanwhile, which must not be the target.

    Raises:
        ArgumentError: the target is `source`, by whatever name.
        InputError: it cannot be written; on entry, in `write` or at the end.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     target = Path(folder) / "verdicts.jsonl"
        ...     with Output("--out", str(target)) as out:
        ...         out.write("{}\\n")
        ...         before = target.exists()
        ...     before, target.read_text(encoding="utf-8")
        (False, '{}\\n')
    """

    def __init__(self, option: str, target: str, *, source: str | Path | None = None) -> None:
        self._option = option
        self._target = target
        self._source = source
        self._is_stdout = target in ("-", "/dev/stdout")
        self._place: Path | None = None  # what a regular file will be called, and what it is called until then
        self._part: Path | None = None
        self._mode: int | None = None
        self._file: TextIO = sys.stdout

    def __enter__(self) -> "Output":
        with told_as(self._option, self._target):
            if self._is_stdout:
                self._refuse_source(_status_of_stdout())
                self._file = sys.stdout
            else:
                self._open()
        return self

    def write(self, text: str) -> None:
        """Write `text`, as UTF-8 unless to stdout."""
        with told_as(self._option, self._target):
            self._file.write(text)

    @property
    def binary(self) -> BinaryIO:
        """The same file for bytes, which stand behind what was written before; wrap their writing in `told_as`."""
        self._file.flush()
        return self._file.buffer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._drop()
            return
        try:
            with told_as(self._option, self._target):
                self._finish()
        except BaseException:
            self._drop()
            raise

    def _open(self) -> None:
        target = Path(self._target)
        try:
            status = target.stat()
        except FileNotFoundError:
            pass
        else:
            self._refuse_source(status)
            if not stat.S_ISREG(status.st_mode):
                self._file = target.open("w", encoding="utf-8", newline="\n")
                return
            # Taking the place of a file needs no right to write it; who took that right away meant it.
            if not os.access(target, os.W_OK):
                raise PermissionError("the file is read-only")
            self._mode = stat.S_IMODE(status.st_mode)
        self._place = Path(os.path.realpath(target))
        part = self._place.with_name(f".rewardgate-{token_hex(8)}.part")
        self._file = part.open("x", encoding="utf-8", newline="\n")
        self._part = part

    def _finish(self) -> None:
        self._file.flush()
        if self._is_stdout:
            return
        self._file.close()
        if self._part is not None and self._place is not None:
            if self._mode is not None:
                self._part.chmod(self._mode)
            self._part.replace(self._place)

    def _drop(self) -> None:
        if self._is_stdout:
            return
        with suppress(OSError):  # of what is still buffered, which nobody wants any more
            self._file.close()
        if self._part is not None:
            with suppress(OSError):
                self._part.unlink(missing_ok=True)

    def _refuse_source(self, status: os.stat_result | None) -> None:
        if self._source is None or status is None or not stat.S_ISREG(status.st_mode):
            return
        with suppress(OSError):  # no such source, which its reader will say
            if os.path.samestat(status, os.stat(self._source)):
                raise ArgumentError(f"{self._option}: expected another file than the input, got {self._target}")


@contextmanager
def told_as(option: str, target: str) -> Iterator[None]:
    """Turns what the system refuses into an error that names the option and the target.

    A reader of ours that went away (`| head`) is no such thing: BrokenPipeError passes.

    Raises:
        InputError: an OSError came out of the block.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{option}: expected a writable file, got {target}: {reason}") from error


def _status_of_stdout() -> os.stat_result | None:
    try:
        return os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):  # somebody's stdout that is no file, or a closed one
        return None
