r"""Steps <-> policy tokens, over bytes: which step each completion token belongs to.

The blank line between two steps is mostly no token of its own but part of one ("]\n\n"), and a token may end
in the middle of a character. So both are laid on the bytes of the text:

- a token belongs to the step that holds its first byte;
- a token without bytes of its own belongs to the step of the byte before which it stands;
- a special token, and an id beyond the vocabulary, belongs to no step: -1.

The bytes of the tokens, joined, must be those of the text. Where they are not, the difference is accepted
only if it is one that decoders and hosts are known to make, and if it explains the whole text; otherwise the
first byte that differs is named, and nothing is guessed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .blocks import Span

__all__ = ["byte_offsets", "step_ids"]

IntArray = npt.NDArray[np.int64]

_REPLACED = re.compile("\ufffd+")
_WHITE_SPACE = b" \t\r\n\f\v"


def step_ids(text: str, spans: Sequence[Span], pieces: Sequence[bytes | None]) -> IntArray:
    r"""The step of every completion token.

    Accepted differences between the joined pieces and the UTF-8 of `text`:

    - white space at either end that only the pieces have (a decoder that drops the first space, a host that
      strips): its tokens belong to the first and to the last step;
    - U+FFFD in the text for bytes that are no valid UTF-8: one for each maximal invalid part (Python, Rust), one
      for each invalid byte (SentencePiece), or one for each byte of a run of them and their neighbours
      (the ByteFallback decoder of `tokenizers`);
    - an incomplete character at the end that only the pieces have, where a generation was cut in it.

    Args:
        text: the response.
        spans: of its steps, in characters; they tile it, as those of `step_spans` do.
        pieces: (T,) bytes of the completion's tokens, None for special ones: `token_bytes.token_bytes`, or as logged.

    Returns:
        (T,) int64, never falling apart from the -1 of special tokens. All -1 where the text is empty.

    Raises:
        ArgumentError: spans that do not tile the text; pieces that are no bytes; or a difference of another
            kind, with the first byte that differs and its token (a tokenizer that normalises, a text that
            keeps its special tokens or lost a stop string).

    Source:
        ours.

    Example:
        >>> text = "1+1\n\n=2"
        >>> step_ids(text, [(0, 5), (5, 7)], [b"1+", b"1\n", b"\n=", b"2", None])
        array([ 0,  0,  0,  1, -1])
    """
    ends = _step_ends(text, spans)  # (S,) in bytes
    known = [piece for piece in pieces if piece is not None]
    tokens = np.array([token for token, piece in enumerate(pieces) if piece is not None], dtype=np.int64)
    for piece in known:
        if not isinstance(piece, bytes):
            raise ArgumentError(f"pieces: expected bytes or None, got {piece!r}")
    lengths = np.fromiter(map(len, known), dtype=np.int64, count=len(known))
    starts = np.cumsum(lengths) - lengths  # first byte of each token, among the joined pieces
    places = _placed(starts, tokens, text, b"".join(known))
    steps = np.full(len(pieces), -1, dtype=np.int64)  # (T,)
    if len(ends):
        steps[tokens] = np.searchsorted(ends[:-1], places, side="right")
    return steps


def byte_offsets(text: str) -> IntArray:
    """Where each character begins in the UTF-8 of `text`, in O(n).

    Returns:
        (len(text) + 1,), the last entry being the number of bytes.

    Example:
        >>> byte_offsets("aé∑😀").tolist()
        [0, 1, 3, 6, 10]
    """
    code_points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    widths = 1 + (code_points >= 0x80) + (code_points >= 0x800) + (code_points >= 0x10000)
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)


def _step_ends(text: str, spans: Sequence[Span]) -> IntArray:
    """(S,) the byte at which each step ends."""
    end = 0
    for number, (start, stop) in enumerate(spans):
        if start != end or stop <= start:
            raise ArgumentError(f"spans: expected a span from {end} on, got ({start}, {stop}) as number {number}")
        end = stop
    if end != len(text):
        raise ArgumentError(f"spans: expected the last to end with the text ({len(text)}), got {end}")
    return byte_offsets(text)[np.fromiter((stop for _, stop in spans), dtype=np.int64, count=len(spans))]


class _Stretch(NamedTuple):
    """Bytes of the joined pieces from `start` up to the next stretch, and where they begin in the text."""

    start: int
    text_start: int


def _placed(starts: IntArray, tokens: IntArray, text: str, joined: bytes) -> IntArray:
    """Where in the UTF-8 of the text each token begins, which begins at `starts` in the joined pieces."""
    encoded = text.encode("utf-8", "surrogatepass")
    if joined == encoded:
        return starts
    stretches, end, text_end = _agreement(starts, text, encoded, joined)
    if text_end < len(encoded) or not _is_incomplete(joined[end:].lstrip(_WHITE_SPACE)):
        token = "" if end == len(joined) else f" (token {tokens[np.searchsorted(starts, end, side='right') - 1]})"
        raise ArgumentError(
            f"pieces: expected the UTF-8 of the text ({_shown(encoded, text_end)}), got {_shown(joined, end)}{token}; "
            "take as text what the tokenizer makes of the ids, without special tokens and without any clean-up"
        )
    table = np.array(stretches, dtype=np.int64)  # (stretches, 2)
    starts = np.maximum(starts, stretches[0].start)  # tokens of the white space that the text lacks
    start, text_start = table[np.searchsorted(table[:, 0], starts, side="right") - 1].T
    return text_start + starts - start


def _shown(some: bytes, at: int) -> str:
    return f"{some[at : at + 12]!r} at byte {at}" if at < len(some) else f"the end at byte {at}"


def _agreement(starts: IntArray, text: str, encoded: bytes, joined: bytes) -> tuple[list[_Stretch], int, int]:
    """The stretches as far as they can be told, and where in the pieces and in the text they end."""
    dropped = len(encoded.lstrip(_WHITE_SPACE)) - len(encoded) + len(joined) - len(joined.lstrip(_WHITE_SPACE))
    at, text_at, character = max(dropped, 0), 0, 0
    stretches: list[_Stretch] = []
    for run in [*_REPLACED.finditer(text), None]:
        verbatim = text[character : len(text) if run is None else run.start()].encode("utf-8", "surrogatepass")
        agreeing = _common_length(verbatim, joined[at : at + len(verbatim)])
        stretches.append(_Stretch(at, text_at))
        at, text_at = at + agreeing, text_at + agreeing
        if run is None or agreeing < len(verbatim):
            break
        widths = _replaced_widths(starts, joined, at, run.end() - run.start())
        if widths is None:
            break
        character = run.end()
        for width in widths:
            stretches.append(_Stretch(at, text_at))
            at, text_at = at + width, text_at + 3  # U+FFFD is three bytes
    return stretches, at, text_at


def _replaced_widths(starts: IntArray, joined: bytes, at: int, count: int) -> list[int] | None:
    """How many bytes from `at` on each of `count` characters U+FFFD stands for; None where none can be told."""
    parts = list(_invalid_parts(joined, at))
    if len(parts) == count:  # Python and Rust
        return [width for width, _ in parts]
    by_byte = [1 if is_invalid else width for width, is_invalid in parts for _ in range(width if is_invalid else 1)]
    if len(by_byte) == count:  # SentencePiece
        return by_byte
    # ByteFallback: a run of byte tokens that is not valid as a whole is replaced as a whole, byte by byte.
    first = int(np.searchsorted(starts, at))
    is_bytewise = np.array_equal(starts[first : first + count], np.arange(at, at + count))
    if is_bytewise and at + count <= len(joined) and _first_invalid(joined[at : at + count]) is not None:
        return [1] * count
    return None


def _invalid_parts(joined: bytes, at: int) -> Iterator[tuple[int, bool]]:
    """Widths of what decodes to U+FFFD from `at` on: invalid parts (True), and that character itself (False)."""
    while at < len(joined):
        invalid = _first_invalid(joined[at : at + 4])
        if invalid is not None and invalid.start == 0:
            width = invalid.end
        elif joined.startswith(b"\xef\xbf\xbd", at):
            invalid, width = None, 3
        else:
            return
        yield width, invalid is not None
        at += width


def _is_incomplete(tail: bytes) -> bool:
    """Whether `tail` is nothing, or the beginning of one character."""
    invalid = _first_invalid(tail[:4])
    return not tail or (invalid is not None and invalid.start == 0 and invalid.reason == "unexpected end of data")


def _first_invalid(some: bytes) -> UnicodeDecodeError | None:
    try:
        some.decode()
    except UnicodeDecodeError as error:
        return error
    return None


def _common_length(first: bytes, second: bytes) -> int:
    length = min(len(first), len(second))
    if first[:length] == second[:length]:
        return length
    return int(np.argmax(np.frombuffer(first, np.uint8, length) != np.frombuffer(second, np.uint8, length)))
