"""A stand-in of vLLM's server over a model of arithmetic: the same routes and answers, and every fault on demand.

In a thread (`stand_in`), where a test may change what it says; or as a process of its own (`StandInProcess`), which
can be killed and started again at the same address. Forms of requests and answers: vLLM 0.32,
vllm/entrypoints/pooling/pooling/protocol.py and vllm/entrypoints/openai/completion/protocol.py.
"""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from threading import Event, Lock, Thread
from time import monotonic
from types import TracebackType
from typing import Any, TypeVar
from zlib import crc32

VOCABULARY = 600
"""Tokens that the model of arithmetic knows: the ids 0 to 599."""


def checksums(ids: Sequence[int]) -> list[int]:
    """One for every beginning of `ids`, the whole of it last."""
    return list(
        accumulate((token.to_bytes(4, "big") for token in ids), lambda so_far, token: crc32(token, so_far), initial=0)
    )[1:]


def logits(checksum: int, columns: Sequence[int]) -> list[float]:
    """What the model gives to labels or tokens behind what has that checksum: between -3 and 3."""
    return [crc32(b"%d" % column, checksum) / 2**32 * 6 - 3 for column in columns]


def label_probabilities(ids: Sequence[int]) -> list[list[float]]:
    """Softmax over two labels at every token."""
    rows = []
    for checksum in checksums(ids):
        wrong, right = map(math.exp, logits(checksum, (0, 1)))
        rows.append([wrong / (wrong + right), right / (wrong + right)])
    return rows


def next_logprobs(ids: Sequence[int]) -> dict[int, float]:
    """Log-softmax over the vocabulary behind `ids`."""
    values = logits(checksums(ids)[-1], range(VOCABULARY))
    total = math.log(sum(map(math.exp, values)))
    return {token: value - total for token, value in enumerate(values)}


@dataclass
class StandIn:
    """What the server was asked, and what it is told to do instead of its work.

    Args:
        step_tag_id: pools these tokens alone (`STEP`); None pools all (`ALL`).
        max_model_len: refuses longer inputs, as vLLM does.
        knows_token_ids: whether it honours `logprob_token_ids`; older versions ignore it.
        max_logprobs: refuses to return more.
        api_key: refuses requests without it.
        dies_after: kills its own process before the answer to this many requests.
        model: the name that it serves.
        faults: what happens to the next requests, one each: a status, raw bytes, a name (`hang`, `dribble`, `half`,
            `closed`, `endless`), or a function of the right answer.
    """

    step_tag_id: int | None = None
    max_model_len: int = 4096
    knows_token_ids: bool = True
    max_logprobs: int = 20
    api_key: str | None = None
    dies_after: int | None = None
    model: str = "prm"
    faults: list[Any] = field(default_factory=list)
    address: str = ""
    requests: list[tuple[str, Any]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    lock: Any = field(default_factory=Lock)
    closing: Event = field(default_factory=Event)

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        """Status and body that vLLM would send."""
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": self.model, "max_model_len": self.max_model_len}]}
        if body["model"] != self.model:
            return _error(404, f"The model `{body['model']}` does not exist.")
        if path == "/pooling":
            if body.get("task") != "token_classify":
                return _error(400, "Unsupported task")
            ids = body["input"]
            if len(ids) > self.max_model_len:
                return _too_long(len(ids), self.max_model_len)
            rows = label_probabilities(ids)
            if self.step_tag_id is not None:
                rows = [row for token, row in zip(ids, rows, strict=True) if token == self.step_tag_id]
            return 200, {"object": "list", "data": [{"index": 0, "object": "pooling", "data": rows}]}
        if path == "/v1/completions":
            if body["logprobs"] > self.max_logprobs:
                return _error(400, f"Requested sample logprobs of {body['logprobs']}, greater than max allowed")
            if any(len(ids) + body["max_tokens"] > self.max_model_len for ids in body["prompt"]):
                return _too_long(max(map(len, body["prompt"])), self.max_model_len)
            choices = [self._choice(index, ids, body) for index, ids in enumerate(body["prompt"])]
            return 200, {"object": "text_completion", "choices": choices}
        return 404, {"detail": "Not Found"}

    def _choice(self, index: int, ids: list[int], body: dict[str, Any]) -> dict[str, Any]:
        logprobs = next_logprobs(ids)
        best = sorted(logprobs, key=lambda token: -logprobs[token])
        wanted = best[: body["logprobs"]]
        if self.knows_token_ids and body.get("logprob_token_ids"):
            wanted = body["logprob_token_ids"]
        shown = {best[0]: logprobs[best[0]], **{token: logprobs[token] for token in wanted}}
        top = {f"token_id:{token}": value for token, value in shown.items()}
        return {"index": index, "text": "", "logprobs": {"top_logprobs": [top]}, "finish_reason": "length"}


Served = TypeVar("Served", bound=StandIn)


def _error(status: int, message: str) -> tuple[int, Any]:
    return status, {"error": {"message": message, "type": "BadRequestError", "param": None, "code": status}}


def _too_long(length: int, limit: int) -> tuple[int, Any]:
    return _error(400, f"You passed {length} input tokens. However, the model's context length is only {limit} tokens.")


def _server(state: StandIn, port: int = 0) -> ThreadingHTTPServer:
    class Answer(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            self._take(None)

        def do_POST(self) -> None:
            self._take(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _take(self, body: Any) -> None:
            with state.lock:
                fault = state.faults.pop(0) if state.faults else None
                state.requests.append((self.path, body))
                state.at.append(monotonic())
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
                if len(state.requests) == state.dies_after:
                    os.kill(os.getpid(), signal.SIGKILL)
            try:
                self._answer(body, fault)
            finally:
                with state.lock:
                    state.at_once -= 1

        def _answer(self, body: Any, fault: Any) -> None:
            if state.api_key is not None and self.headers["Authorization"] != f"Bearer {state.api_key}":
                self._write(401, json.dumps({"error": "Unauthorized"}).encode())
            elif isinstance(fault, int):
                self._write(fault, json.dumps(_error(fault, "on purpose")[1]).encode())
            elif isinstance(fault, bytes):
                self._write(200, fault)
            elif isinstance(fault, str):
                FAULTS[fault](self, state)
            else:
                status, said = state.answer(self.path, body)
                self._write(status, json.dumps(said if fault is None else fault(said)).encode())

        def _write(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
    server.daemon_threads = True
    server.block_on_close = False
    state.address = f"http://127.0.0.1:{server.server_port}"
    return server


def _hang(_: BaseHTTPRequestHandler, state: StandIn) -> None:
    state.closing.wait()


def _half(connection: BaseHTTPRequestHandler, _: StandIn) -> None:
    connection.send_response(200)
    connection.send_header("Content-Length", "1000")
    connection.end_headers()
    connection.wfile.write(b'{"data": [')


def _dribble(connection: BaseHTTPRequestHandler, state: StandIn) -> None:
    """A header that never ends, a byte at a time."""
    try:
        while not state.closing.wait(0.02):
            connection.wfile.write(b"H")
    except OSError:
        pass


def _endless(connection: BaseHTTPRequestHandler, state: StandIn) -> None:
    """A body without a length, and without an end."""
    connection.send_response(200)
    connection.end_headers()
    try:
        while not state.closing.is_set():
            connection.wfile.write(b" " * 65536)
    except OSError:
        pass


def _closed(connection: BaseHTTPRequestHandler, _: StandIn) -> None:
    connection.close_connection = True


FAULTS: dict[str, Callable[[Any, StandIn], None]] = {
    "hang": _hang,
    "half": _half,
    "dribble": _dribble,
    "endless": _endless,
    "closed": _closed,
}


@contextmanager
def stand_in(made: "type[Served]" = StandIn, **options: Any) -> "Iterator[Served]":
    """The server in a thread, listening."""
    state = made(**options)
    server = _server(state)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class StandInProcess:
    """The server as a process of its own: `start` listens at the same port every time."""

    def __init__(self) -> None:
        self._port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self, **options: Any) -> None:
        """Start it and wait until it listens."""
        arguments = [sys.executable, __file__, str(self._port), json.dumps(options)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self._port = int(self.process.stdout.readline())

    def __enter__(self) -> "StandInProcess":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


if __name__ == "__main__":
    listening = _server(StandIn(**json.loads(sys.argv[2])), int(sys.argv[1]))
    print(listening.server_port, flush=True)  # noqa: T201
    listening.serve_forever(0.05)
