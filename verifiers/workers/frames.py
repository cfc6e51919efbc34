"""Length-prefixed frames over a socket, with a deadline and a cap on both sides.

`multiprocessing.connection` frames the same way but cannot give up in the middle: a peer that stops reading
would block its `send` for ever.
"""

import socket
import struct
from time import monotonic

MAX_FRAME_BYTES = 256 * 1024 * 1024

LOOK_UP_S = 0.2
"""The longest that anything here waits without a look at what else happened. A Ctrl-C that arrives just before the
main thread goes to sleep does not wake it: without the look, it would be seen when the wait is over."""

_LENGTH = struct.Struct("!Q")


def send_frame(channel: socket.socket, payload: bytes | memoryview, *, deadline: float | None = None) -> None:
    """Send `payload` whole.

    Args:
        deadline: in seconds of `time.monotonic()`; None waits for ever.

    Raises:
        TimeoutError: the peer did not read it in time.
        OSError: the peer is gone.
    """
    _limit(channel, deadline)
    channel.sendall(_LENGTH.pack(len(payload)))
    _limit(channel, deadline)
    channel.sendall(payload)


def receive_frame(channel: socket.socket, *, deadline: float | None = None) -> bytes:
    """The next frame.

    Raises:
        TimeoutError: it was not complete at the deadline.
        EOFError: the peer is gone.
        ValueError: it claims to be longer than 256 MiB.
    """
    (length,) = _LENGTH.unpack(_receive_exactly(channel, _LENGTH.size, deadline))
    if length > MAX_FRAME_BYTES:
        raise ValueError(f"frame: expected at most {MAX_FRAME_BYTES} bytes, got {length}")
    return bytes(_receive_exactly(channel, length, deadline))


def _receive_exactly(channel: socket.socket, length: int, deadline: float | None) -> bytearray:
    received = bytearray()
    while len(received) < length:
        _limit(channel, deadline, at_most_s=LOOK_UP_S)
        try:
            piece = channel.recv(min(length - len(received), 1 << 20))
        except TimeoutError:
            continue
        except ConnectionError as error:
            raise EOFError(str(error)) from None
        if not piece:
            raise EOFError("the peer closed the channel")
        received += piece
    return received


def _limit(channel: socket.socket, deadline: float | None, *, at_most_s: float | None = None) -> None:
    if deadline is None:
        channel.settimeout(None)
        return
    remaining = deadline - monotonic()
    if remaining <= 0:
        raise TimeoutError("the deadline passed")
    channel.settimeout(remaining if at_most_s is None else min(remaining, at_most_s))
