"""What an audit costs: seconds and peak memory of the command and of everything that it starts.

    python benchmarks/audit_cost.py FILE [FILE …] [--verifier SPEC] [--repeat 5]
    python benchmarks/audit_cost.py FILE [FILE …] --peers [--repeat 3]

Runs `rewardgate audit FILE --json -` as a user would, start-up included. Prints, for each file: rollouts, seconds
(min / median / max), the highest sum of the resident memory of the process tree, sampled every 10 ms, and the worst
finding.

With --peers, each repetition runs the same audit with `auto` as referee and with math-verify as a user's function in
workers (math_verify_referee.py), then both once more in the audit's own process, where the referee's own part can be
told from the audit's. Prints of each: wall-clock and processor seconds (of all its processes), the seconds inside the
referee, and how many times ours it takes, repetition by repetition.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

PAGE_BYTES = 4096
COMMAND = [sys.executable, "-c", "from rewardgate.cli import main; main()", "audit"]
PEER_REFEREE = Path(__file__).with_name("math_verify_referee.py")


@dataclass(frozen=True)
class Run:
    """What one audit cost, and what it found."""

    seconds: float
    processor_s: float
    peak_bytes: int
    referee_s: float | None
    report: dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--verifier")
    parser.add_argument("--peers", action="store_true", help="compare referees; logged rewards are audited")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if options.peers:
        beside_peers(options.files, options.repeat)
        return
    print("| file | rollouts | seconds | peak MB | worst finding |\n| --- | --- | --- | --- | --- |")
    for file in options.files:
        chosen = [] if options.verifier is None else ["--verifier", options.verifier]
        runs = [audited([*COMMAND, str(file), "--json", "-", *chosen]) for _ in range(options.repeat)]
        spread = _spread([run.seconds for run in runs])
        peak = max(run.peak_bytes for run in runs) / 1e6
        report = runs[0].report
        print(f"| {file.name} | {report['reading']['n_rollouts']} | {spread} | {peak:.0f} | {report['headline']} |")


def beside_peers(files: Sequence[Path], repeat: int) -> None:
    """The table of --peers."""
    print(f"load {os.getloadavg()[0]:.1f} before; min / median / max of {repeat}\n")
    columns = ("file", "referee", "seconds", "× ours", "processor s", "× ours", "referee's own s", "× ours", "peak MB")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for file in files:
        command = [*COMMAND, str(file), "--json", "-"]
        commands = {
            "ours": command,
            "math-verify in workers": [*command, "--referee", f"{PEER_REFEREE}:accepts"],
            "ours, in process": [sys.executable, str(PEER_REFEREE), str(file), "rewardgate"],
            "math-verify in process": [sys.executable, str(PEER_REFEREE), str(file), "math-verify"],
        }
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for turn in range(repeat):
            names = list(commands)
            shift = turn % len(names)
            for name in (*names[shift:], *names[:shift]):
                runs[name].append(audited(commands[name]))
        for name, own in runs.items():
            against = runs["ours, in process" if name.endswith("in process") else "ours"]
            cells = [file.name, name]
            for figure in ("seconds", "processor_s", "referee_s"):
                values, ours = ([getattr(run, figure) for run in these] for these in (own, against))
                ratios = [a / b for a, b in zip(values, ours, strict=True) if a is not None]
                cells += [_spread(values), _spread(ratios)] if ratios else ["", ""]
            cells.append(f"{max(run.peak_bytes for run in own) / 1e6:.0f}")
            print(f"| {' | '.join(cells)} |", flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} after")


def audited(command: Sequence[str]) -> Run:
    """One run of a command that prints an audit's JSON."""
    with tempfile.TemporaryFile("w+") as output:
        started = perf_counter()
        process = subprocess.Popen(command, stdout=output, text=True)
        peak = 0
        # Not `poll`: the kernel tells whoever waits what the process, and those it waited for itself, have used.
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            peak = max(peak, tree_bytes(process.pid))
            sleep(0.01)
        seconds = perf_counter() - started
        _, status, usage = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
        output.seek(0)
        report = json.load(output)
        return Run(seconds, usage.ru_utime + usage.ru_stime, peak, report.get("referee_s"), report)


def tree_bytes(root: int) -> int:
    """Resident bytes of `root` and all its descendants."""
    total = 0
    for process in process_tree(root):
        with suppress(FileNotFoundError, ProcessLookupError):
            total += int((Path("/proc") / str(process) / "statm").read_text().split()[1]) * PAGE_BYTES
    return total


def process_tree(root: int) -> list[int]:
    """The process numbers of `root` and of all its descendants that still run."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def _spread(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.1f}" for value in (min(values), median(values), max(values)))


if __name__ == "__main__":
    main()
