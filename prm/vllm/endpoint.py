"""One request to one server: JSON sent, JSON read back, within limits of time and size that hold whatever it does.

A server may be absent, slow, or somebody else's: it may dribble, break off, or never end. What comes of that is a
`NoAnswerError` with a rule and a reason, never anything else.
"""

import http.client
import io
import json
import socket
import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ...errors import ArgumentError
from ...verifiers.arguments import positive, whole
from ...verifiers.frames import LOOK_UP_S
from .failures import NoAnswerError

__all__ = ["Endpoint"]

_CHUNK = 1 << 16
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server by its address. Every request has a connection of its own, so any number of threads may ask.

    Redirects are not followed and proxies of the environment not used: the key goes to this address alone.

    Args:
        address: `http://host:8000` or `https://…`, with whatever path stands before the server's own; the `/v1` of
            an OpenAI base URL may stay.
        api_key: sent as `Authorization: Bearer …`; None sends none. Not shown by `repr`.
        connect_timeout_s: seconds until the server accepts. Looking up its name is the system's and not counted.
        max_answer_bytes: the longest answer that is read.

    Raises:
        ArgumentError: the address is none, the key cannot stand in a header, or a limit is not positive.
    """

    address: str
    api_key: str | None = field(default=None, repr=False)
    connect_timeout_s: float = 5.0
    max_answer_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        wanted = "an address like http://host:8000"
        try:
            parts = urlsplit(self.address)
            is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            is_one = is_one and not (parts.query or parts.fragment or "@" in parts.netloc)
            is_one = is_one and self.address.isascii() and self.address.isprintable() and " " not in self.address
        except (ValueError, TypeError, AttributeError):
            is_one = False
        if not is_one:
            raise ArgumentError(f"address: expected {wanted}, got {self.address!r}")
        key = self.api_key
        if key is not None and not (isinstance(key, str) and key and key.isascii() and key.isprintable()):
            raise ArgumentError("api_key: expected printable ASCII characters, got something else")
        positive("connect_timeout_s", self.connect_timeout_s, what="number of seconds")
        whole("max_answer_bytes", self.max_answer_bytes, at_least=1)

    def answer(self, path: str, body: Any = None, *, timeout_s: float, stop: threading.Event) -> Any:
        """What the server answers, as JSON gives it (NaN included).

        Args:
            path: the server's own, like `/pooling`.
            body: posted, as JSON; without one the request is a GET.
            timeout_s: seconds for the whole exchange, from the connection to the last byte.
            stop: set from another thread, it ends the exchange.

        Raises:
            NoAnswerError: there was none, or none that can be read.
        """
        deadline = monotonic() + timeout_s
        connection = self._connection(min(self.connect_timeout_s, timeout_s))
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        try:
            connection.connect()
        except TimeoutError:
            raise NoAnswerError("unreachable", f"{self.address} did not accept a connection", again=True) from None
        except OSError as error:
            raise NoAnswerError("unreachable", f"{self.address}: {_shown(error)}", again=True) from None
        try:
            # The time that is left holds for the sending as a whole, and then again for every byte that is read.
            connection.sock.settimeout(max(deadline - monotonic(), 0.001))
            connection.response_class = _within(deadline, stop)
            data = None if body is None else json.dumps(body).encode("ascii")
            connection.request("GET" if data is None else "POST", self._path(path), data, headers)
            response = connection.getresponse()
            said = self._read(response)
        except TimeoutError:
            raise NoAnswerError(
                "timeout", f"{self.address} gave no answer within {timeout_s:g} s", again=True
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError("unreachable", f"{self.address} broke off: {_shown(error)}", again=True) from None
        finally:
            connection.close()
        if response.status != 200:
            raise _refusal(response.status, response.headers.get("Retry-After", ""), self._without_key(said))
        try:
            return json.loads(said)
        except (ValueError, RecursionError):
            raise NoAnswerError("unreadable_answer", "an answer that is not JSON", was_heard=True) from None

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=timeout_s)

    def _path(self, path: str) -> str:
        return urlsplit(self.address).path.rstrip("/").removesuffix("/v1") + path

    def _without_key(self, said: bytes) -> bytes:
        """A refusal may quote what it refuses."""
        return said if self.api_key is None else said.replace(self.api_key.encode("ascii"), b"...")

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        data = bytearray()
        while chunk := response.read1(_CHUNK):
            data += chunk
            if len(data) > self.max_answer_bytes:
                detail = f"an answer of more than {self.max_answer_bytes} bytes"
                raise NoAnswerError("unreadable_answer", detail, was_heard=True)
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return bytes(data)


def _within(deadline: float, stop: threading.Event) -> Any:
    """`HTTPResponse`, reading from a socket that gives up at `deadline`: a socket's own time-out starts anew with
    every byte, so that a server which sends one a second would be listened to for ever."""

    def response(sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(_Socket(sock, deadline, stop), *args, **options)  # type: ignore[arg-type]

    return response


class _Socket:
    """The one thing that a response asks of a socket."""

    def __init__(self, sock: socket.socket, deadline: float, stop: threading.Event) -> None:
        self._raw = _Reader(sock, deadline, stop)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._raw)


class _Reader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: float, stop: threading.Event) -> None:
        self._sock, self._deadline, self._stop = sock, deadline, stop
        # A connection closes its socket once the headers are read; a file made from it keeps it open for the body.
        self._kept_open = sock.makefile("rb", buffering=0)

    def close(self) -> None:
        self._kept_open.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            left_s = self._deadline - monotonic()
            if self._stop.is_set():
                raise ConnectionAbortedError("no longer wanted")
            if left_s <= 0:
                raise TimeoutError
            self._sock.settimeout(min(left_s, LOOK_UP_S))
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue


def _refusal(status: int, retry_after: str, data: bytes) -> NoAnswerError:
    wait_s = float(retry_after) if retry_after.isdecimal() and len(retry_after) < 4 else 0.0
    said = f"status {status}: {_message(data)}".removesuffix(": ")
    again = status in _RETRIED
    return NoAnswerError("server_error" if again else "refused", said, again=again, was_heard=True, wait_s=wait_s)


def _message(data: bytes) -> str:
    """What a body says for a person: OpenAI's `error.message`, FastAPI's `detail`, or its first characters."""
    try:
        body = json.loads(data)
        error = body.get("error", body)
        said = error.get("message") or error.get("detail") or body
    except (ValueError, RecursionError, AttributeError):
        said = data[:_SHOWN_CHARS].decode("utf-8", "replace")
    return " ".join(str(said).split())[:_SHOWN_CHARS]


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:_SHOWN_CHARS]
