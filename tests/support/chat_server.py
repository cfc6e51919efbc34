"""A server of the OpenAI chat completions protocol on loopback, scripted to answer, to be slow, and to fail.

In a thread (`chat_server`) for what the tests want to look into, or as a process of its own (`python chat_server.py`,
which prints its address) for what has to be killed.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["ChatServer", "Script", "chat_server", "completion", "flagged_paragraph"]


class Script:
    """What one request gets instead of a completion, once.

    Args:
        status: of the answer.
        body: bytes as they are, or what is sent as JSON.
        headers: beside the usual ones.
        end: "half" breaks off within the body, "closed" says nothing at all, "hang" waits until the server ends,
            "drip" sends a byte now and then for ever.
    """

    def __init__(
        self, status: int = 200, body: Any = None, *, headers: dict[str, str] | None = None, end: str = ""
    ) -> None:
        self.status, self.headers, self.end = status, headers or {}, end
        self.data = body if isinstance(body, bytes) else json.dumps(body if body is not None else {}).encode()


class ChatServer:
    """What a test sees of the server.

    Attributes:
        base_url: what a client is given.
        requests: bodies as they came.
        authorizations: the header of each request, None where there was none.
        script: what the next requests get, one each; then `answer` decides.
        script_for: what a request gets whatever its turn; None lets `script` and `answer` decide.
        answer: text of the completion for a request's body.
        most_at_once: requests under way at the same time.
    """

    def __init__(self) -> None:
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.script: list[Script] = []
        self.script_for: Callable[[dict[str, Any]], Script | None] = lambda _: None
        self.answer: Callable[[dict[str, Any]], str] = lambda body: f"\\boxed{{{flagged_paragraph(body)}}}"
        self.most_at_once = 0
        self.hangs = threading.Event()  # set as soon as a request hangs
        self.ending = threading.Event()
        self.lock = threading.Lock()
        self.under_way = 0


def flagged_paragraph(body: dict[str, Any]) -> int:
    """The number of the first paragraph that says WRONG, else -1."""
    content = body["messages"][-1]["content"]
    found = re.search(r"<paragraph_(\d+)>\n(?:(?!</paragraph_).)*?WRONG", content, re.DOTALL)
    return -1 if found is None else int(found[1])


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    """A chat completion, with more fields of its message; `finish_reason` and `usage` go where they belong."""
    finish_reason, usage = message.pop("finish_reason", "stop"), message.pop("usage", None)
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    counts = usage or {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "judge", "choices": [choice], "usage": counts}


def _handler(state: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.requests.append(body)
                state.authorizations.append(self.headers["Authorization"])
                script = state.script_for(body) or (state.script.pop(0) if state.script else None)
                state.under_way += 1
                state.most_at_once = max(state.most_at_once, state.under_way)
            try:
                with suppress(OSError):  # the client went away
                    self._reply(body, script)
            finally:
                with state.lock:
                    state.under_way -= 1

        def _reply(self, body: dict[str, Any], script: Script | None) -> None:
            if script is None:
                if self.path != "/v1/chat/completions":
                    script = Script(404, {"detail": "Not Found"})
                else:
                    script = Script(body=completion(state.answer(body)))
            if script.end == "hang":
                state.hangs.set()
                state.ending.wait()
            if script.end in ("hang", "closed"):
                self.close_connection = True
                return
            self.send_response(script.status)
            length = len(script.data) + (100 if script.end == "half" else 0)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(length)}.items():
                self.send_header(name, value)
            for name, value in script.headers.items():
                self.send_header(name, value)
            if script.end == "drip":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while not state.ending.wait(0.02):
                    self.wfile.write(b"X-Drip: 1\r\n")
                return
            self.end_headers()
            self.wfile.write(script.data)
            self.wfile.flush()
            self.close_connection = True

    return Answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None: ...


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """The server, listening, in a thread."""
    state = ChatServer()
    server = _Server(("127.0.0.1", 0), _handler(state))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        state.ending.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _main() -> None:
    """Serve as a process: says its address, answers as often as it is told to, and then lets every request hang."""
    state = ChatServer()
    state.script = [Script(body=completion("\\boxed{-1}"))] * int(sys.argv[1]) + [Script(end="hang")] * 10_000
    server = _Server(("127.0.0.1", 0), _handler(state))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    state.hangs.wait()
    sys.stdout.write("hangs\n")
    sys.stdout.flush()
    state.ending.wait()


if __name__ == "__main__":
    _main()
