r"""Where `math` and math-verify give two verdicts on one answer, grouped by how the answer was made.

    python benchmarks/disagreements.py [--targets 8] [--expressions 300] [--seed 0] [--json FILE]

Targets are drawn from the strategies of `rewardgate.verifiers.testing`, so many of each kind, and each is given in
every other notation (`rewrites`, equal by their making) and with every wrong answer near it (`mutants`, different by
their making); sympy's pairs of `expression_pairs.py` come on top. Both graders see `\boxed{answer}`; math-verify is
called as its README recommends, in a worker that is killed where it hangs.

Prints how many pairs both get right, one alone or neither, and each group of pairs on which not both are right: kind of
target, how the answer was made, whether it is equal, who is right, how many pairs, and the first of them. `--json`
writes every pair of every group. `docs/disagreements.md` says of each group why.
"""

import argparse
import json
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import expression_pairs
from hypothesis import Phase, given, settings

from rewardgate.errors import WorkerError
from rewardgate.verifiers import get
from rewardgate.verifiers.isolation import Workers
from rewardgate.verifiers.testing import mutants, rewrites, strategies

PEER = "math-verify recommended"
LIMIT_S = 10.0
Pair = tuple[str, str, str, str, bool]
"""Kind, how the answer was made, target, answer, whether they are equal."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, default=8, help="of each kind")
    parser.add_argument("--expressions", type=int, default=300, help="pairs that sympy makes")
    parser.add_argument("--seed", type=int, default=0, help="of sympy's pairs")
    parser.add_argument("--json", type=Path, help="write every pair on which not both are right here")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    pairs = [pair for kind in strategies.MATHS for pair in notations(kind, options.targets)]
    for family, target, answer, equal in expression_pairs.pairs(options.expressions, options.seed):
        pairs.append((family, "rewritten by sympy" if equal else "changed", target, answer, equal))
    verdicts = graded(pairs)
    right: Counter[str] = Counter()
    groups: dict[tuple[Any, ...], list[tuple[str, str]]] = defaultdict(list)
    for (kind, change, target, answer, equal), (ours, theirs) in zip(pairs, verdicts, strict=True):
        right[who(equal, ours, theirs)] += 1
        if who(equal, ours, theirs) != "both":
            groups[kind, change, equal, who(equal, ours, theirs), theirs is None].append((target, answer))
    print(f"{len(pairs)} pairs: " + ", ".join(f"{name} {count}" for name, count in right.most_common()))
    print("| kind | answer | equal | right | pairs | the first: target, answer |\n|" + " --- |" * 6)
    for (kind, change, equal, name, unread), found in sorted(groups.items(), key=lambda group: str(group[0][:3])):
        shown = name + (" (math-verify: no verdict)" if unread else "")
        first = ", ".join(f"`{text}`" for text in found[0]).replace("|", "\\|")
        print(f"| {kind} | {change} | {'yes' if equal else 'no'} | {shown} | {len(found)} | {first} |")
    if options.json is not None:
        rows = [
            {"kind": group[0], "change": group[1], "equal": group[2], "right": group[3], "pairs": found}
            for group, found in groups.items()
        ]
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def notations(kind: str, count: int) -> list[Pair]:
    """Every rewrite and mutant of `count` targets of a kind, the first that Hypothesis draws."""
    drawn: dict[str, None] = {}

    @settings(max_examples=4 * count, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(strategies.targets(kind))
    def draw(target: str) -> None:
        drawn.setdefault(target)

    draw()
    return [
        (kind, change.name, target, change.text, equal)
        for target in list(drawn)[:count]
        for equal, changes in ((True, rewrites(target, conventions=True)), (False, mutants(target, conventions=True)))
        for change in changes
    ]


def graded(pairs: list[Pair]) -> list[tuple[bool | None, bool | None]]:
    """What `math` and math-verify say: whether they accept, None where they give no verdict or hang."""
    ours = get("math")
    verdicts: list[tuple[bool | None, bool | None]] = []
    with Workers(search_path=[str(Path(__file__).resolve().parent)]) as workers:
        for _kind, _change, target, answer, _equal in pairs:
            reward = ours.verify(rf"\boxed{{{answer}}}", target).reward
            try:
                theirs = workers.call("graders:graded", PEER, target, rf"\boxed{{{answer}}}", timeout_s=LIMIT_S)
            except WorkerError:
                theirs = {"accepted": None}
            verdicts.append((None if reward is None else reward == 1, theirs["accepted"]))
    return verdicts


def who(equal: bool, ours: bool | None, theirs: bool | None) -> str:
    """Who is right; to give no verdict is not."""
    is_ours, is_theirs = (ours is not None and ours == equal), (theirs is not None and theirs == equal)
    return {(True, True): "both", (True, False): "rewardgate", (False, True): "math-verify", (False, False): "neither"}[
        is_ours, is_theirs
    ]


if __name__ == "__main__":
    main()
