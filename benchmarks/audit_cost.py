"""What an audit costs: wall-clock seconds and peak memory of the command and of everything that it starts.

    python benchmarks/audit_cost.py FILE [FILE …] [--verifier SPEC] [--repeat 5]

Runs `rewardgate audit FILE --json -` as a user would, start-up included. Prints, for each file: rollouts, seconds
(min / median / max), the highest sum of the resident memory of the process tree, sampled every 10 ms, and the worst
finding.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

PAGE_BYTES = 4096


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--verifier")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print("| file | rollouts | seconds | peak MB | worst finding |\n| --- | --- | --- | --- | --- |")
    for file in options.files:
        runs = [audited(file, options.verifier) for _ in range(options.repeat)]
        seconds = sorted(run[0] for run in runs)
        report = runs[0][2]
        spread = f"{seconds[0]:.1f} / {median(seconds):.1f} / {seconds[-1]:.1f}"
        peak = max(run[1] for run in runs) / 1e6
        print(f"| {file.name} | {report['reading']['n_rollouts']} | {spread} | {peak:.0f} | {report['headline']} |")


def audited(file: Path, verifier: str | None) -> tuple[float, int, dict]:
    """Seconds, peak bytes of the process tree, and the report of one run."""
    command = [sys.executable, "-c", "from rewardgate.cli import main; main()", "audit", str(file), "--json", "-"]
    if verifier is not None:
        command += ["--verifier", verifier]
    with tempfile.TemporaryFile("w+") as output:
        started = perf_counter()
        process = subprocess.Popen(command, stdout=output, text=True)
        peak = 0
        while process.poll() is None:
            peak = max(peak, tree_bytes(process.pid))
            sleep(0.01)
        seconds = perf_counter() - started
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
        output.seek(0)
        return seconds, peak, json.load(output)


def tree_bytes(root: int) -> int:
    """Resident bytes of `root` and all its descendants."""
    children: dict[int, list[int]] = {}
    resident: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            resident[int(folder.name)] = int((folder / "statm").read_text().split()[1]) * PAGE_BYTES
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += resident.get(process, 0)
        waiting += children.get(process, [])
    return total


if __name__ == "__main__":
    main()
