"""Measurements that survive a noisy machine: each in a process of its own, contenders interleaved, ratios in quartiles.

Time is CPU-seconds of all threads together: on a shared machine the wall clock says how often another process ran. A
ratio is taken within a repetition, between neighbours, and passes when its upper quartile meets the bar.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import quantiles
from time import process_time

__all__ = ["Figures", "in_own_process", "interleaved", "measured_step", "quartiles", "ratios", "verdict"]

Figures = dict[str, float]
"""What one process measured, by name; `cpu_s` and `peak_mib` from `measured_step`."""

MIB = 1 << 20


def in_own_process(script: str, *arguments: object, timeout_s: float = 300, python: str = sys.executable) -> Figures:
    """The JSON object that `python script arguments` prints as its last line."""
    command = [python, script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def interleaved(contenders: Sequence[str], measure: Callable[[str], Figures], repeat: int) -> dict[str, list[Figures]]:
    """Every contender once a repetition, each repetition beginning with another one."""
    figures: dict[str, list[Figures]] = {name: [] for name in contenders}
    for turn in range(repeat):
        shift = turn % len(contenders)
        for name in (*contenders[shift:], *contenders[:shift]):
            figures[name].append(measure(name))
    return figures


def measured_step(step: Callable[[], object]) -> Figures:
    """CPU-seconds of one call, and how far resident memory rose above what it was before, in MiB, at its highest."""
    Path("/proc/self/clear_refs").write_text("5")  # forgets the highest so far
    before = _status("VmRSS")
    started = process_time()
    step()
    return {"cpu_s": process_time() - started, "peak_mib": (_status("VmHWM") - before) / MIB}


def ratios(figures: dict[str, list[Figures]], ours: str, other: str, figure: str = "cpu_s") -> list[float]:
    """Ours over the other's, repetition by repetition."""
    return [a[figure] / b[figure] for a, b in zip(figures[ours], figures[other], strict=True)]


def quartiles(values: Sequence[float], digits: int = 2) -> str:
    """`lower / median / upper`."""
    return " / ".join(f"{value:,.{digits}f}" for value in quantiles(values, n=4, method="inclusive"))


def verdict(name: str, values: Sequence[float], bar: float) -> str:
    """One line: the quartiles, the bar, and whether the upper quartile meets it."""
    upper = quantiles(values, n=4, method="inclusive")[2]
    return f"{name:<44}{quartiles(values):>24}   at most {bar:g}: {'pass' if upper <= bar else 'FAIL'}"


def _status(field: str) -> int:
    """A field of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))
