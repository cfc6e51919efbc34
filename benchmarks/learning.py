"""What the gate teaches, and what else does: small policies learn two tasks by the library's own parts, arm by arm.

    python benchmarks/learning.py --checkpoints FOLDER              the fine-tuned policies: four times 160 CPU-seconds
    python benchmarks/learning.py --starts FOLDER                   what those can do before a run, for docs/learning.md
    python benchmarks/learning.py --plan                            what would be run, in which order, and what is done
    python benchmarks/learning.py --run FOLDER --budget-s 3600 [--share 0/2]
    python benchmarks/learning.py --report                          tables to docs/learning.md, figures beside them

A policy of 160,000 weights was fine-tuned on a teacher with a systematic fault (learning/tasks.py): the right step is
its minority answer, whole derivations are hardly ever right, and nearly every group is all wrong. A run is
3,840 rollouts in steps of 64, fresh prompts each, 8 to 20 CPU-seconds on one thread; what it found is one line of
learning/results.jsonl, and a run whose line is there is not run again. Several shares may run at the same time.

Learning rates are chosen on seeds from 1,000 on by success on prompts of their own; results are of other seeds and
other prompts. Until an arm's own rates are tried it takes those of its family (`Arm.tuned_as`), which the report tells.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from zlib import crc32

FOLDER = Path(__file__).resolve().parent / "learning"
RESULTS = FOLDER / "results.jsonl"
sys.path.append(str(FOLDER))

from planning import CHECKPOINTS, planned  # noqa: E402 (its folder is on the path only now)
from policy import make_checkpoint  # noqa: E402
from reporting import report  # noqa: E402
from running import run  # noqa: E402
from starting import start_table  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", type=Path, metavar="FOLDER")
    parser.add_argument("--starts", type=Path, metavar="FOLDER")
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="where the checkpoints are")
    parser.add_argument("--budget-s", type=float, default=240, help="no run begins later than that")
    parser.add_argument("--share", default="0/1", help="i/n: of n processes the i-th, from 0")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.checkpoints:
        for name in CHECKPOINTS:
            make_checkpoint(name, options.checkpoints)
    if options.starts:
        print(start_table(options.starts, CHECKPOINTS))
    if options.plan:
        rows = list(recorded(options.results))
        done = {row["key"] for row in rows}
        for job in planned(rows):
            print("done" if job.key in done else "    ", job.key)
    if options.run:
        part, parts = map(int, options.share.split("/"))
        spend(options.budget_s, options.run, options.results, part, parts)
    if options.report:
        report(list(recorded(options.results)), FOLDER)


def recorded(results: Path) -> Iterator[dict]:
    """The records of finished runs. A line that a killed process left half written is left out."""
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            print(f"left out: {line[:60]}", file=sys.stderr)


def spend(budget_s: float, folder: Path, results: Path, part: int, parts: int) -> None:
    """Run what is planned and not done, first things first, until the time is over."""
    began = monotonic()
    while monotonic() - began < budget_s:
        rows = list(recorded(results))
        done = {row["key"] for row in rows}
        ready = (job for job in planned(rows) if (folder / f"{job.checkpoint}.safetensors").exists())
        mine = (job for job in ready if job.key not in done and crc32(job.key.encode()) % parts == part)
        job = next(mine, None)
        if job is None:
            break
        row = run(job, folder)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{monotonic() - began:5.0f} s  {job.key}  {row['final']}", flush=True)


if __name__ == "__main__":
    main()
