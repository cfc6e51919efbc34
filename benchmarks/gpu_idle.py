"""How much of a time the card ran no kernel, by nvidia-smi."""

import subprocess
import sys
import time
from collections.abc import Iterable
from threading import Thread
from types import TracebackType

__all__ = ["Utilization"]

EVERY_MS = 100
NVIDIA_SMI = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", f"-lms={EVERY_MS}"]
STAND_IN = [sys.executable, "-c", "import time\nwhile True:\n    print(75, flush=True)\n    time.sleep(0.05)"]
"""Says the same as often: for a machine without a card, where nothing but the way through this file can be tried."""


class Utilization:
    """Reads the utilization of the first card while it is entered.

    Attributes:
        samples: when each was read (`time.monotonic`), and per cent of the time before it with a kernel running.
        command: what was read, or why nothing was.
    """

    def __init__(self, *, is_stand_in: bool) -> None:
        self.samples: list[tuple[float, float]] = []
        self._asked = STAND_IN if is_stand_in else NVIDIA_SMI
        self.command = "a stand-in" if is_stand_in else " ".join(NVIDIA_SMI)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Utilization":
        try:
            self._process = subprocess.Popen(self._asked, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            self.command = f"not read: {error}"
            return self
        self._reader = Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def idle_share(self, spans: Iterable[tuple[float, float]]) -> float | None:
        """Over these spans of time; None where nothing was read in them."""
        spans = list(spans)
        read = [busy for at, busy in self.samples if any(start <= at < end for start, end in spans)]
        return 1 - sum(read) / len(read) / 100 if read else None

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().isdecimal():  # of a card that does not tell, "[N/A]"
                self.samples.append((time.monotonic(), float(line)))
