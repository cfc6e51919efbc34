"""Messages over a stream: four bytes of length, then JSON. Used on both sides of the wall, trusted by neither."""

import json
import os

MAX_BYTES = 64 * 1024 * 1024
_MAX_PARTS = 16_000_000
"""Brackets, quotes and commas: a million items of `plain` have half of it. `[],[],…` is twenty times as large in memory
as on the wire."""
_HEADER = 4


class FrameError(ValueError):
    """What came is no frame."""


def packed(message: object) -> bytes:
    """The bytes of one message; lone surrogates pass as escapes.

    Raises:
        FrameError: it is too long, or nested too deep.
    """
    try:
        body = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    except RecursionError:
        raise FrameError("frame: expected JSON, got RecursionError") from None
    if len(body) > MAX_BYTES:
        raise FrameError(f"frame: expected at most {MAX_BYTES} bytes, got {len(body)}")
    return len(body).to_bytes(_HEADER, "little") + body


def unpacked(buffer: bytearray) -> tuple[object] | None:
    """The first message of `buffer`, which is removed from it; None while it is not complete.

    Raises:
        FrameError: it is too long, has too many parts, is not JSON, or is nested too deep.
    """
    if len(buffer) < _HEADER:
        return None
    length = int.from_bytes(buffer[:_HEADER], "little")
    if length > MAX_BYTES:
        raise FrameError(f"frame: expected at most {MAX_BYTES} bytes, got {length}")
    if len(buffer) < _HEADER + length:
        return None
    body = bytes(buffer[_HEADER : _HEADER + length])
    del buffer[: _HEADER + length]
    if length > _MAX_PARTS and sum(map(body.count, (b"[", b"{", b'"', b","))) > _MAX_PARTS:
        raise FrameError(f"frame: expected at most {_MAX_PARTS} parts")
    try:
        return (json.loads(body),)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"frame: expected JSON, got {type(error).__name__}") from None


def send(descriptor: int, message: object) -> None:
    """Write one message, blocking."""
    view = memoryview(packed(message))
    while view:
        view = view[os.write(descriptor, view) :]


def receive(descriptor: int, buffer: bytearray) -> object:
    """Read one message, blocking; raises EOFError where the other side is gone."""
    while (message := unpacked(buffer)) is None:
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            raise EOFError("frame: the other side is gone")
        buffer += chunk
    return message[0]
