"""A real vLLM server on the loopback, as a process group of its own that a test may kill. Needs vLLM."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from types import TracebackType
from typing import Any

import pytest

from rewardgate.prm.vllm.attempts import Call, Patience
from rewardgate.prm.vllm.endpoint import Endpoint
from rewardgate.prm.vllm.failures import NoAnswerError

KEY = "a key of the tests"
START_S = 400.0

# The CPU build reserves half of the machine unless told, and a second process would only be one more to wait for.
SETTINGS = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "HF_HUB_OFFLINE": "1"}
MAX_TOKENS = 512


class RealServer:
    """`vllm serve` of one checkpoint; every `start` listens at the same port.

    Args:
        checkpoint: a folder.
        log: a file for what it prints.
        pooler: its `--pooler-config`; None serves a language model.
        further: arguments of its command line.
    """

    def __init__(
        self, checkpoint: Path, log: Path, *, pooler: dict[str, Any] | None, further: Sequence[str] = ()
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._log = log
        # The CPU build's `vllm serve` looks for the metadata of a distribution named vllm, and fails.
        self._command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
        self._command += ["--model", str(checkpoint), "--served-model-name", "prm", "--api-key", KEY]
        self._command += ["--host", "127.0.0.1", "--port", str(self._port), "--dtype", "float32", "--enforce-eager"]
        self._command += ["--max-model-len", str(MAX_TOKENS)]
        if pooler is not None:
            self._command += ["--runner", "pooling", "--pooler-config", json.dumps(pooler)]
        self._command += further  # the last of an argument counts
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def launch(self) -> None:
        """Start it, without waiting until it listens."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, env={**os.environ, **SETTINGS}
            )

    def await_start(self) -> float:
        """Seconds that it took to answer."""
        started = monotonic()
        endpoint, patience = Endpoint(self.address, KEY), Patience(timeout_s=5.0, patience_s=5.0)
        while monotonic() < started + START_S:
            assert self.process is not None
            if self.process.poll() is not None:
                pytest.fail(f"vLLM ended with {self.process.returncode}:\n{self._log.read_text()[-3000:]}")
            try:
                Call(endpoint, patience).answer("/v1/models")
            except NoAnswerError:
                continue
            return monotonic() - started
        return pytest.fail(f"vLLM did not listen within {START_S:g} s:\n{self._log.read_text()[-3000:]}")

    def kill(self) -> None:
        """SIGKILL to all of it."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def __enter__(self) -> "RealServer":
        self.launch()
        self.await_start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.kill()


def answers_until(server: RealServer, count: int, stop: Event) -> None:
    """Kills the server once its log shows `count` answers of its own, or when `stop` is set."""
    while not stop.wait(0.01):
        if server._log.read_text(errors="replace").count('"POST /pooling HTTP/1.1" 200') >= count:
            server.kill()
            return
