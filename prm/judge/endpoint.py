"""One address that speaks the OpenAI chat completions protocol: a request in, a checked reply out.

Threads with a connection each, not an event loop: so a scorer can be called from anywhere, a running loop
included, and needs no package. What fails for a passing reason is asked again; what the caller got wrong (the key,
the address, the model's name) is an error at once; anything else is told of the one request that it befell.

Source of the protocol: the API reference of OpenAI's `POST /chat/completions`, as vLLM and SGLang serve it too.
"""

import http.client
import json
import random
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import count
from threading import Event, Lock, Timer
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ...errors import ArgumentError
from ...verifiers.expression.results import shown
from .replies import BrokenReplyError, Reply, error_message, read_reply

__all__ = ["Address", "ChatClient", "EndpointError"]

_MAX_REPLY_BYTES = 16 << 20
_CONNECT_S = 10.0
_LONGEST_WAIT_S = 60.0
_AGAIN = frozenset({408, 409, 425, 429})
_CALLERS_MISTAKE = {
    **dict.fromkeys((301, 302, 303, 307, 308, 404, 405), "base_url, model: expected an endpoint that serves the model"),
    **dict.fromkeys((401, 403), "api_key_env: expected the name of a variable with a key that the endpoint takes"),
}


class EndpointError(Exception):
    """A request had no answer.

    Args:
        why: one line for a person.
        is_refusal: the endpoint took the request and will not answer it; asked again it would refuse again.
    """

    def __init__(self, why: str, *, is_refusal: bool = False) -> None:
        super().__init__(why)
        self.is_refusal = is_refusal


class _AttemptError(Exception):
    """One attempt failed for a reason that may pass, after `wait_s` at the earliest."""

    def __init__(self, why: str, *, wait_s: float = 0.0) -> None:
        super().__init__(why)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint listens.

    Example:
        >>> Address.of("http://localhost:8000/v1").path
        '/v1/chat/completions'
    """

    host: str
    port: int | None
    path: str
    is_secure: bool

    @classmethod
    def of(cls, base_url: str) -> "Address":
        """The address below `base_url`, which ends where `/chat/completions` follows.

        Raises:
            ArgumentError: it is no http or https address, or holds a password.
        """
        try:
            parts = urlsplit(str(base_url))
            host, port = parts.hostname, parts.port
        except ValueError:
            parts, host, port = urlsplit(""), None, None
        path = parts.path.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        path += f"?{parts.query}" if parts.query else ""
        is_plain = path.isascii() and path.isprintable() and " " not in path
        if parts.scheme not in ("http", "https") or not host or parts.username or not is_plain:
            raise ArgumentError(f"base_url: expected an address like http://host:8000/v1, got {base_url!r}")
        return cls(host, port, path, parts.scheme == "https")


@dataclass(slots=True)
class ChatClient:
    """Asks one endpoint, from any number of threads, until it is stopped.

    Args:
        address: of the endpoint.
        key: sent as a bearer token; "" sends none. Neither an error nor a reply's text ever shows it.
        key_name: the environment variable that it came from, for error messages.
        timeout_s: that one attempt may take, once connected, however many bytes have come by then; connecting may take
            as long again, at most 10 s.
        retries: how often a request is made again that fails for a reason that may pass.
        first_wait_s: before the second attempt; each later wait is twice as long, or what `Retry-After` says, at
            most a minute.
        patience_s: once the endpoint has been silent to every request for so long, each is made once and without a
            wait, until one is answered: an endpoint that is gone does not cost its waits for every row.
    """

    address: Address
    key: str = field(repr=False)
    key_name: str
    timeout_s: float
    retries: int
    first_wait_s: float
    patience_s: float
    _stopped: Event = field(default_factory=Event, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _open: set[socket.socket] = field(default_factory=set, init=False, repr=False)
    _heard_at: float = field(default_factory=monotonic, init=False, repr=False)

    def ask(self, body: Mapping[str, Any]) -> Reply:
        """The reply to `body`.

        Raises:
            EndpointError: there is none, or `stop` was called.
            ArgumentError: the endpoint refuses the key, or knows neither the path nor the model.
        """
        data = json.dumps(body).encode("ascii")
        for attempt in count(1):
            try:
                return self._attempt(data)
            except _AttemptError as error:
                is_last = attempt > self.retries or monotonic() - self._heard_at > self.patience_s
                wait_s = min(_LONGEST_WAIT_S, self.first_wait_s * 2.0 ** min(attempt - 1, 30))
                # Jitter, or all who were refused together would come again together; never before they may.
                if is_last or self._stopped.wait(max(error.wait_s, wait_s * random.uniform(0.5, 1.0))):
                    raise EndpointError(f"{error}{f' ({attempt} attempts)' if attempt > 1 else ''}") from None
        raise AssertionError("counting does not end")

    def stop(self) -> None:
        """Make every request under way fail, and every later one."""
        self._stopped.set()
        with self._lock:
            for connection in self._open:
                _cut(connection)

    def _attempt(self, data: bytes) -> Reply:
        if self._stopped.is_set():
            raise EndpointError("stopped")
        status, headers, answer = self._posted(data)
        self._heard_at = monotonic()
        if status == 200:
            try:
                return read_reply(answer)
            except BrokenReplyError as error:
                raise _AttemptError(self._without_key(str(error))) from None
        why = f"status {status}: {self._without_key(error_message(answer))}"
        if status in _CALLERS_MISTAKE:
            key = f"${self.key_name}" if self.key else f"no key (${self.key_name} is not set)"
            place = f" at {headers['Location']}" if "Location" in headers else ""
            raise ArgumentError(f"{_CALLERS_MISTAKE[status]}, got {why}{place}, from {self.address.host} with {key}")
        if status in _AGAIN or status >= 500:
            raise _AttemptError(why, wait_s=_seconds_until(headers.get("Retry-After", "")))
        raise EndpointError(why, is_refusal=True)

    def _posted(self, data: bytes) -> tuple[int, Message, bytes]:
        """Status, headers and body of one answer."""
        kind = http.client.HTTPSConnection if self.address.is_secure else http.client.HTTPConnection
        connection = kind(self.address.host, self.address.port, timeout=min(_CONNECT_S, self.timeout_s))
        is_late = Event()
        try:
            connection.connect()
            connection.sock.settimeout(None)  # a time limit of the socket would start anew with every byte
            with self._watched(connection.sock, is_late):
                connection.request("POST", self.address.path, data, self._headers())
                with connection.getresponse() as response:
                    answer = response.read(_MAX_REPLY_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            is_time_out = is_late.is_set() or isinstance(error, TimeoutError)
            raise self._failed("" if is_time_out else f"{type(error).__name__}: {error}") from None
        finally:
            connection.close()
        if is_late.is_set():
            raise self._failed("")
        if len(answer) > _MAX_REPLY_BYTES:
            raise self._failed("an answer beyond 16 MiB")
        if response.length:
            raise self._failed("an answer that breaks off")
        return response.status, response.headers, answer

    @contextmanager
    def _watched(self, connection: socket.socket, is_late: Event) -> Iterator[None]:
        """Cuts `connection` when its time is over, or when all is to stop."""

        def cut() -> None:
            is_late.set()
            _cut(connection)

        timer = Timer(self.timeout_s, cut)
        timer.daemon = True
        with self._lock:
            self._open.add(connection)
        timer.start()
        try:
            if self._stopped.is_set():
                raise EndpointError("stopped")
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._open.discard(connection)

    def _failed(self, why: str) -> Exception:
        if self._stopped.is_set():
            return EndpointError("stopped")
        return _AttemptError(why or f"no answer within {self.timeout_s:g} s")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        return {**headers, "Authorization": f"Bearer {self.key}"} if self.key else headers

    def _without_key(self, text: str) -> str:
        """One line of what the endpoint says, which may quote the key."""
        return shown(" ".join((text.replace(self.key, "…") if self.key else text).split()))


def _cut(connection: socket.socket) -> None:
    # The plain socket's: that of TLS takes apart what another thread is reading from.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _seconds_until(text: str) -> float:
    """What a `Retry-After` asks for, which gives seconds or a date; 0 where it says neither."""
    with suppress(ValueError):
        return min(max(0.0, float(text)), _LONGEST_WAIT_S)  # in this order NaN is 0
    with suppress(ValueError, TypeError):
        when = parsedate_to_datetime(text)
        return min(max((when - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST_WAIT_S)
    return 0.0
