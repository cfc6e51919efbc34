"""Planted faults, and which causes the audit finds: recall and precision of each, group by group.

    python benchmarks/causes.py [--data ../shared/data] [--each 34] [--keep FOLDER]

Writes a file of rollouts in which one thing is wrong with each group (planted_faults.py; real problems and responses,
numbers rewritten), keeps the truth beside it, runs `rewardgate audit --json` on it as a user would, and compares. No
file of this benchmark imports the audit, or a verifier. A group counts as found where the cause of its card is the
planted one; a group without a card counts as "none". Truly wrong groups may get no cause that blames the pipeline.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

from planted_faults import FAULTS, WRONG, Planted, healthy, plant
from planted_problems import problems

COMMAND = [sys.executable, "-c", "from rewardgate.cli import main; main()", "audit"]
CAUSES = (
    "gold",
    "scoring_fault",
    "false_negative:extraction",
    "false_negative:format",
    "false_negative:tolerance",
    "false_negative:units",
    "false_negative:structure",
    "tool_format",
    "truncated",
    "no_answer",
    "hedged",
    "undetermined",
)
BLAMES_THE_PIPELINE = tuple(cause for cause in CAUSES if cause.startswith("false_negative") or cause == "scoring_fault")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--each", type=int, default=34, help="groups of each kind of fault")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for the rollouts, the truth and the report")
    options = parser.parse_args()
    planted = groups(options.data, options.each, options.seed)
    copies = copied(planted, options.each, options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        write(planted, folder)
        report = audited(folder / "rollouts.jsonl", folder / "report.json")
    print_table(planted, {card["group_id"]: card["cause"] for card in report["cards"]})
    print_copies(copies, planted, report["duplicates"]["prompt_pairs"])


def groups(data: Path, each: int, seed: int) -> dict[str, Planted]:
    """The planted groups by their id, shuffled."""
    source = random.Random(seed)
    right = problems(data, seed=seed, needs_right=True)
    wrong = problems(data, seed=seed + 1, needs_right=False)
    found = [*plant(FAULTS, right, source, each), *plant(WRONG, wrong, source, math.ceil(1.6 * each))]
    shuffled = list(plant((partial(healthy, n_wrong=(0, 0, 2)),) * 2, right, source, each))
    targets = [group.target for group in shuffled]
    for group, target in zip(shuffled, targets[1:] + targets[:1], strict=True):
        if target != group.target:
            group.cause, group.kind, group.target = "gold", "another prompt's target", target
            group.rows = [(text, 0.0, columns) for text, _, columns in group.rows]
    found += shuffled
    found += plant((healthy,) * 16, right, source, each)
    source.shuffle(found)
    return {f"g{position}": group for position, group in enumerate(found)}


def copied(planted: dict[str, Planted], each: int, seed: int) -> dict[str, set[frozenset[str]]]:
    """Copies of healthy groups under other ids, put into `planted`: exact but for a space, near with two words more."""
    source = random.Random(seed + 2)
    ways = {
        "exact": lambda prompt: prompt.replace(" ", "\n", 1) + " ",
        "near": lambda prompt: f"{prompt} Think carefully.",
    }
    long = [name for name, group in planted.items() if group.cause == "none" and len(group.prompt.split()) > 30]
    chosen = iter(source.sample(long, 2 * each))
    pairs: dict[str, set[frozenset[str]]] = {kind: set() for kind in ways}
    for kind, way in ways.items():
        for number in range(each):
            name, copy = next(chosen), f"{kind}{number}"
            planted[copy] = replace(planted[name], prompt=way(planted[name].prompt))
            pairs[kind].add(frozenset({name, copy}))
    return pairs


def write(planted: dict[str, Planted], folder: Path) -> None:
    with (folder / "rollouts.jsonl").open("w") as file, (folder / "truth.jsonl").open("w") as truth:
        for group_id, group in planted.items():
            truth.write(json.dumps({"group_id": group_id, "cause": group.cause, "kind": group.kind}) + "\n")
            for response, reward, columns in group.rows:
                row = {"group_id": group_id, "prompt": group.prompt, "response": response, "target": group.target}
                file.write(json.dumps({**row, "reward": reward, **columns}) + "\n")


def audited(rollouts: Path, report: Path) -> dict[str, Any]:
    """What `rewardgate audit` says of the file."""
    command = [*COMMAND, str(rollouts), "--json", str(report), "--no-progress"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=1_800)
    return json.loads(report.read_text())


def print_table(planted: dict[str, Planted], found: dict[str, str]) -> None:
    pairs = [(group, found.get(group_id, "none")) for group_id, group in planted.items()]
    print("| cause | planted | recall | precision | undetermined | what its misses became |")
    print("| --- | --- | --- | --- | --- | --- |")
    for cause in CAUSES:
        own = [said for group, said in pairs if group.cause == cause]
        named = [group for group, said in pairs if said == cause]
        hits = own.count(cause)
        precision = f"{hits / len(named):.3f}" if named else "–"
        misses = Counter(said for said in own if said != cause)
        print(
            f"| `{cause}` | {len(own)} | {hits / len(own):.3f} | {precision} | "
            f"{own.count('undetermined') / len(own):.1%} | {_listed(misses)} |"
        )
    print_kinds(pairs)
    wrong = [said for group, said in pairs if group.cause == "undetermined"]
    faults = [said for group, said in pairs if group.cause not in ("undetermined", "none")]
    blamed = sum(said in BLAMES_THE_PIPELINE for said in wrong)
    print(f"\nundetermined: {faults.count('undetermined') / len(faults):.1%} of {len(faults)} groups with a fault")
    print(f"truly wrong groups blamed on the verifier: {blamed} of {len(wrong)}; on the target: {wrong.count('gold')}")
    cards = sum(said != "none" for group, said in pairs if group.cause == "none")
    print(f"healthy groups with a card: {cards} of {sum(group.cause == 'none' for group, _ in pairs)}")


def print_copies(
    copies: dict[str, set[frozenset[str]]], planted: dict[str, Planted], found: Sequence[dict[str, Any]]
) -> None:
    """Recall of planted copies; of all pairs named, the share whose words are the same, or nearly."""
    print("\n| copies | planted | recall | named | of these alike in their words |\n| --- | --- | --- | --- | --- |")
    for kind, least in (("exact", 1.0), ("near", 0.8)):
        said = [pair for pair in found if pair["kind"] == kind]
        names = {frozenset({pair["group_id"], pair["other_id"]}) for pair in said}
        words = [[planted[pair[end]].prompt.split() for end in ("group_id", "other_id")] for pair in said]
        alike = sum(SequenceMatcher(None, *two, autojunk=False).ratio() >= least for two in words)
        recall = len(names & copies[kind]) / len(copies[kind])
        print(f"| {kind} | {len(copies[kind])} | {recall:.3f} | {len(said)} | {alike} |")


def print_kinds(pairs: Sequence[tuple[Planted, str]]) -> None:
    """The kinds that are not all found."""
    by_kind: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for group, said in pairs:
        by_kind[group.cause, group.kind][said] += 1
    print("\nkinds with a miss:")
    for (cause, kind), said in by_kind.items():
        if said[cause] < said.total():
            print(f"- {cause}, {kind}: {_listed(said)}")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


if __name__ == "__main__":
    main()
