"""One request to one server: JSON sent, JSON read back, within limits of time and size that hold whatever it does.

A server may be absent, slow, or somebody else's: it may dribble, break off, or never end. What comes of that is a
`NoAnswerError` with a rule and a reason, never anything else.
"""

import http.client
import json
import ssl
import threading
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ...errors import ArgumentError
from ...verifiers.arguments import positive, whole
from .bounded_socket import BoundedSocket
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
        try:
            connection.connect()
        except TimeoutError:
            raise NoAnswerError("unreachable", f"{self.address} did not accept a connection", again=True) from None
        except (OSError, UnicodeError) as error:  # the latter of a name that no host can have
            is_final = isinstance(error, ssl.SSLCertVerificationError | UnicodeError)
            rule = "refused" if is_final else "unreachable"
            raise NoAnswerError(rule, f"{self.address}: {_shown(error)}", again=not is_final) from None
        sock: Any = connection.sock
        try:
            connection.sock = BoundedSocket(sock, deadline, stop)
            data = None if body is None else json.dumps(body).encode("ascii")
            connection.request("GET" if data is None else "POST", self._path(path), data, self._headers())
            response = connection.getresponse()
            said = self._read(response)
        except TimeoutError:
            detail = f"{self.address} gave no answer within {timeout_s:g} s"
            raise NoAnswerError("timeout", detail, again=True) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError("unreachable", f"{self.address} broke off: {_shown(error)}", again=True) from None
        finally:
            connection.close()
            sock.close()
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

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        return headers if self.api_key is None else {**headers, "Authorization": f"Bearer {self.api_key}"}

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
