"""A code-execution service over HTTP that speaks SandboxFusion's language: one program in, how it ended out.

Source of the API: bytedance/SandboxFusion, sandbox/server/sandbox_api.py (`POST /run_code`).
"""

import http.client
import json
import random
import threading
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from ...errors import ArgumentError
from .runs import Ended, JailError, Limits, Running

__all__ = ["KEPT_BYTES", "Service"]

KEPT_BYTES = 1 << 20
"""What SandboxFusion keeps of an output; the rest is lost without a word."""
_MAX_REPLY_BYTES = 64 << 20
_CHUNK = 1 << 16
_RETRIED = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT_S = 8.0
_SHOWN_CHARS = 300


class ServiceError(Exception):
    """One attempt failed; `again` where another may succeed, after at least `wait_s`."""

    def __init__(self, why: str, *, again: bool, wait_s: float = 0.0) -> None:
        super().__init__(why)
        self.again, self.wait_s = again, wait_s


class Service:
    """Runs Python programs at `address`, for any number of threads: each request has a connection of its own.

    Args:
        address: `http://host:8080`, or `https://…` with a path before `/run_code`.
        attempts: how often a request is made that fails for another reason than a time-out.
        patience_s: how much longer than its program may run an answer may take: a busy service queues.
        first_wait_s: before the second attempt; each later wait is twice as long, or what the service asks for.

    Raises:
        ArgumentError: the address is none.
    """

    def __init__(
        self, address: str, *, attempts: int = 5, patience_s: float = 60.0, first_wait_s: float = 0.25
    ) -> None:
        parts = urlsplit(address)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1 or parts.query or parts.username:
            raise ArgumentError(f"backend: expected an address like http://host:8080, got {address!r}")
        self._host, self._port, self._is_secure = parts.hostname, port, parts.scheme == "https"
        self._path = parts.path.rstrip("/") + "/run_code"
        self._attempts, self._patience_s, self._first_wait_s = attempts, patience_s, first_wait_s
        self._closed = threading.Event()

    def run(self, source: bytes, *, stdin: bytes = b"", limits: Limits) -> Running:
        """Run `source` as a program from its start to its end.

        Raises:
            JailError: the service cannot be reached, refuses, or says what makes no sense.
        """
        try:
            request = {
                "code": source.decode("utf-8"),
                "stdin": stdin.decode("utf-8"),
                "language": "python",
                "compile_timeout": limits.wall_s,
                "run_timeout": limits.wall_s,
                "memory_limit_MB": max(1, limits.memory_bytes >> 20),
            }
        except UnicodeDecodeError:
            raise JailError("backend: expected text, which is all that a service takes, got other bytes") from None
        body = json.dumps(request).encode("ascii")
        for attempt in range(1, self._attempts + 1):
            try:
                return _running(self._posted(body, limits.wall_s + self._patience_s), limits)
            except ServiceError as error:
                if not error.again or attempt == self._attempts:
                    times = f" ({attempt} times)" if attempt > 1 else ""
                    raise JailError(f"backend: expected an answer of {self._host}, got: {error}{times}") from None
                wait_s = min(_LONGEST_WAIT_S, max(error.wait_s, self._first_wait_s * 2 ** (attempt - 1)))
                # Jitter, or all who were refused together would come again together.
                if self._closed.wait(wait_s * random.uniform(0.5, 1.0)):
                    break
        raise JailError("backend: expected an open service, got one that was closed")

    def close(self) -> None:
        """End all waiting."""
        self._closed.set()

    def _posted(self, body: bytes, timeout_s: float) -> Any:
        """What the service answers, as JSON gives it."""
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=timeout_s)
        until = monotonic() + timeout_s
        try:
            headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            data = bytearray()
            while chunk := response.read1(_CHUNK):
                data += chunk
                if len(data) > _MAX_REPLY_BYTES:
                    raise ServiceError(f"more than {_MAX_REPLY_BYTES} bytes", again=False)
                if monotonic() > until:
                    raise TimeoutError
        except TimeoutError:
            raise ServiceError(f"no answer within {timeout_s:g} s", again=False) from None
        except (OSError, http.client.HTTPException) as error:
            raise ServiceError(f"{type(error).__name__}: {error}", again=True) from None
        finally:
            connection.close()
        if response.status != 200:
            wait_s = _seconds(response.headers.get("Retry-After", ""))
            raise ServiceError(f"status {response.status}", again=response.status in _RETRIED, wait_s=wait_s)
        if response.length:
            raise ServiceError("an answer that breaks off", again=True)
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise ServiceError("an answer that is not JSON", again=False) from None


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() and len(text) < 4 else 0.0


def _running(reply: Any, limits: Limits) -> Running:
    """The run that a reply tells of."""
    if not isinstance(reply, dict) or reply.get("status") not in ("Success", "Failed", "SandboxError"):
        raise ServiceError(f"an answer of no known kind: {str(reply)[:_SHOWN_CHARS]}", again=False)
    if reply["status"] == "SandboxError":
        raise ServiceError(f"SandboxError: {str(reply.get('message'))[:_SHOWN_CHARS]}", again=True)
    result = reply.get("run_result")
    if not isinstance(result, dict) or result.get("status") not in ("Finished", "TimeLimitExceeded"):
        raise ServiceError(f"a run of no known kind: {str(result)[:_SHOWN_CHARS]}", again=False)
    outputs = [result.get("stdout") or "", result.get("stderr") or ""]
    if not all(isinstance(output, str) for output in outputs):
        raise ServiceError("outputs that are no text", again=False)
    stdout, stderr = (bytearray(output.encode("utf-8", "surrogatepass")) for output in outputs)
    code, killed = result.get("return_code"), None
    if result["status"] == "TimeLimitExceeded":
        code, killed = -9, "wall"
    elif len(stdout) >= min(limits.output_bytes, KEPT_BYTES):
        code, killed = -9, "output"
    if type(code) is not int:
        raise ServiceError(f"a run that ended with {str(code)[:_SHOWN_CHARS]}", again=False)
    seconds = result.get("execution_time")
    wall_s = float(seconds) if isinstance(seconds, (int, float)) else 0.0
    ended = Ended(code if code >= 0 else None, -code if code < 0 else None, killed, 0.0, wall_s, 0)
    return Running(0, limits.output_bytes, stdout, stderr, ended=ended)
