"""How often the looks of a bootstrap are wrong, and how soon they are right.

    python benchmarks/bootstrap_looks.py [--runs 5000] [--seed 0]

A policy has a share m of mixed groups; a look draws n groups and is sure of 25 % where the low end of its interval says
so. The first table has m = 25 %, the most that must not be called more, and a policy that stands still for K looks:
every run that ends is wrong, and at most 5 % may. `each at 95 %` looks as if every look were the only one.

The second has the chance that one look of 21 planned ones is sure, by m and n.
"""

import argparse
from functools import cache

import numpy as np

from rewardgate.training.bootstrap import LookRules

LEAST = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    print("| looks | each at 95 % | 95 % together | the same, rates from 5 % to 45 % |")
    print("| --- | --- | --- | --- |")
    alike, spread = np.full(128, LEAST), np.tile([LEAST - 0.2, LEAST + 0.2], 64)
    for looks in (1, 5, 21, 51):
        naive = np.mean(ended(alike, looks, needed(128, 1), options.runs, generator))
        ours = [np.mean(ended(rates, looks, needed(128, looks), options.runs, generator)) for rates in (alike, spread)]
        print(f"| {looks} | {naive:.1%} | {' | '.join(f'{share:.1%}' for share in ours)} |")
    print("\n| m | n = 32 | 64 | 128 | 256 |")
    print("| --- | --- | --- | --- | --- |")
    for share in (0.3, 0.35, 0.4, 0.5, 0.6):
        chances = [
            np.mean(ended(np.full(n, share), 1, needed(n, 21), options.runs, generator)) for n in (32, 64, 128, 256)
        ]
        print(f"| {share:.0%} | {' | '.join(f'{chance:.0%}' for chance in chances)} |")


@cache
def needed(n: int, planned: int) -> int:
    """The least number of mixed groups of n at which a look of so many planned ones is sure."""
    from rewardgate.diagnostics import clopper_pearson

    level = LookRules(groups=n, least_mixed=LEAST).level(planned)
    return next(x for x in range(n + 1) if clopper_pearson(x, n, confidence=1 - 2 * level).low >= LEAST)


def ended(rates: np.ndarray, looks: int, least: int, runs: int, generator: np.random.Generator) -> np.ndarray:
    """(runs,) bool: whether some look saw `least` mixed groups; two kinds of group at most, half of each."""
    half = len(rates) // 2
    first = generator.binomial(half, rates[0], (runs, looks))
    return (first + generator.binomial(len(rates) - half, rates[-1], (runs, looks)) >= least).any(1)


if __name__ == "__main__":
    main()
