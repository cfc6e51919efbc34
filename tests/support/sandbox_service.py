"""A stand-in of SandboxFusion's `POST /run_code`, in a thread, over jails of ours: what it is sent can be hostile.

It answers as the service does (bytedance/SandboxFusion, sandbox/server/sandbox_api.py and runners/base.py): the
program's own failure is status 200 with `Failed`, a time-out has no return code, an output is cut at 1 MiB without a
word, a request without its fields is 422.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from rewardgate.verifiers.sandbox.pool import JailPool
from rewardgate.verifiers.sandbox.runs import Limits

KEPT = 1 << 20


class StandIn:
    """What the service was asked, and what it is to do instead of its work: `faults`, one a request, then none."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.faults: list[Any] = []
        self.address = ""
        self.lock = Lock()


@contextmanager
def stand_in_service() -> Iterator[StandIn]:
    """The service, listening."""
    state, pool = StandIn(), JailPool(2)

    class Answer(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with state.lock:
                fault = state.faults.pop(0) if state.faults else None
                state.requests.append(json.loads(body))
            if self.path != "/run_code":
                self._reply(404, {"detail": "Not Found"})
            elif isinstance(fault, int):
                self._reply(fault, {"detail": "later"}, {"Retry-After": "0"})
            elif isinstance(fault, bytes):
                self._write(200, fault)
            elif fault == "half":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"status": "Suc')
            elif fault == "closed":
                self.close_connection = True
            elif isinstance(fault, dict):
                self._reply(200, fault)
            elif missing := {"code", "language"} - state.requests[-1].keys():
                self._reply(422, {"detail": sorted(missing)})
            else:
                self._reply(200, _run(pool, json.loads(body)))

        def _reply(self, status: int, message: dict[str, Any], headers: dict[str, str] | None = None) -> None:
            self._write(status, json.dumps(message).encode(), headers)

        def _write(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        pool.close()


def _run(pool: JailPool, request: dict[str, Any]) -> dict[str, Any]:
    limits = Limits(
        cpu_s=(request["run_timeout"] - 1) / 2,
        memory_bytes=max(request["memory_limit_MB"], 64) << 20,
        output_bytes=64 << 20,
    )
    with pool.jail() as jail:
        running = jail.run(request["code"].encode(), stdin=(request.get("stdin") or "").encode(), limits=limits)
    ended = running.ended
    assert ended is not None
    result: dict[str, Any] = {
        "status": "Finished",
        "execution_time": ended.wall_s,
        "return_code": ended.exit_code if ended.exit_code is not None else -(ended.signal or 0),
        "stdout": running.stdout[:KEPT].decode("utf-8", "replace"),
        "stderr": running.stderr[:KEPT].decode("utf-8", "replace"),
    }
    if ended.killed in ("cpu", "wall"):
        result |= {"status": "TimeLimitExceeded", "return_code": None}
    status = "Success" if result["return_code"] == 0 else "Failed"
    return {"status": status, "message": "", "compile_result": None, "run_result": result, "files": {}}
