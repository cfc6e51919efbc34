"""The audit on 100,000 rollouts: rollouts a second and peak memory of the command and all that it starts.

    python benchmarks/audit_scale.py [--data ../shared/data] [--rollouts 100000] [--repeat 1]

The rollouts are resampled from two real files, eight or four to a group, all numbers of a group scaled by a factor of
its own (in prompt, target and responses), so that no two prompts are alike and every cache has to earn its keep.
"""

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from audit_cost import COMMAND, audited
from planted_problems import GSM8K, QWEN, scaled

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--rollouts", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        write(path, options.data, options.rollouts)
        print(f"{path.stat().st_size / 1e6:.0f} MB of rollouts")
        columns = ("rollouts", "groups", "seconds", "rollouts/s", "processor s", "rollouts/processor s", "peak MB")
        print(f"load {os.getloadavg()[0]:.1f}\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)
        for _ in range(options.repeat):
            run = audited([*COMMAND, str(path), "--json", "-", "--no-progress"])
            n = run.report["reading"]["n_rollouts"]
            figures = (n, run.report["reading"]["n_groups"], run.seconds, n / run.seconds, run.processor_s)
            cells = (*figures, n / run.processor_s, run.peak_bytes / 1e6)
            print(f"| {' | '.join(f'{cell:.0f}' for cell in cells)} |", flush=True)


def write(path: Path, data: Path, n: int) -> None:
    """`n` rollouts as JSON lines, one each."""
    source = random.Random(0)
    groups = [*_qwen(data / QWEN), *_gsm8k(data / GSM8K)]
    written = 0
    with path.open("w") as file:
        for number in range(n):
            factor = source.randrange(2, 5_000)
            for row in source.choice(groups):
                rescaled = {name: scaled(cell, factor) if isinstance(cell, str) else cell for name, cell in row.items()}
                file.write(json.dumps({"group_id": f"g{number}", **rescaled}) + "\n")
                written += 1
            if written >= n:
                return


def _qwen(path: Path) -> Iterator[list[Row]]:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        pairs = zip(row["code"], row["score"], strict=True)
        yield [_row(row["question"], row["answer"], response, is_right) for response, is_right in pairs]


def _gsm8k(path: Path) -> Iterator[list[Row]]:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        solutions = [cell for cell in row.values() if isinstance(cell, dict)]
        target = row["ground_truth"].rpartition("A:")[2].strip()
        yield [_row(row["question"], target, one["solution"], one["is_correct"]) for one in solutions]


def _row(prompt: str, target: str, response: str, is_right: bool) -> Row:
    return {"prompt": prompt, "target": target, "response": response, "reward": float(is_right)}


if __name__ == "__main__":
    main()
