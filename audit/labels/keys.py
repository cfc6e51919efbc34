"""The keys that a labeller presses: single ones from a terminal, lines from anything else."""

import os
import sys
from collections.abc import Iterator
from typing import IO

from ...errors import InputError

__all__ = ["read_keys"]

_END = frozenset({b"\x04", b""})
"""What stands for the end of the input: Ctrl-D, or a terminal that went away."""

_ESCAPE = b"\x1b"
"""How the sequence of an arrow or a function key begins, of which no letter is a label."""


def read_keys(stream: IO[str] | None = None) -> Iterator[str]:
    """Keys, in lower case: one at a time from a terminal, without Enter; else one a line, blank lines left out.

    The terminal is left as it was, also after Ctrl-C. A line may hold a whole word, whose meaning is not ours to
    guess: it is handed on as it is.

    Args:
        stream: what to read; None for stdin.

    Raises:
        InputError: there is no stdin.

    Example:
        >>> import io
        >>> list(read_keys(io.StringIO("c\\n\\n W \\n")))
        ['c', 'w']
    """
    stream = sys.stdin if stream is None else stream
    if stream is None:
        raise InputError("stdin: expected a terminal or lines of keys, got none")
    if stream.isatty():
        yield from _pressed(stream.fileno())
    else:
        yield from (key for line in stream if (key := line.strip().lower()))


def _pressed(terminal: int) -> Iterator[str]:
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)  # no echo, no waiting for Enter; Ctrl-C still interrupts
    try:
        while (byte := os.read(terminal, 1)) not in _END:
            key = byte.decode("ascii", "ignore").lower()
            if byte == _ESCAPE:
                termios.tcflush(terminal, termios.TCIFLUSH)
            elif key.isprintable() and key.strip():
                yield key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
