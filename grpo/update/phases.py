"""Seconds by phase of one call, and the most memory it took."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import torch

__all__ = ["Phases"]

MIB = 1 << 20


class Phases:
    """`with phases("old"): …` adds to `seconds["old"]`; an accelerator is waited for at both ends.

    Args:
        device: of the model; its record of the highest memory begins anew.
    """

    def __init__(self, device: torch.device) -> None:
        self.seconds: dict[str, float] = {}
        self._device = device
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self._wait()
        started = perf_counter()
        try:
            yield
        finally:
            self._wait()
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - started

    def peak_mib(self) -> float:
        """The highest so far: allocated on a CUDA device since the beginning; else resident since the process began."""
        if self._device.type == "cuda":
            return torch.cuda.max_memory_allocated(self._device) / MIB
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return highest / MIB if sys.platform == "darwin" else highest / 1024  # bytes there, KiB elsewhere

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
