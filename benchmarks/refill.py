"""What dynamic sampling costs by its options, beside what `grpo.refill_cost` predicts.

    python benchmarks/refill.py [--steps 500] [--seed 0]

A group is degenerate with chance h, independently; a step wants 16 mixed ones and may generate ten batches of 16.
Printed for each h, over all steps, in groups generated for each mixed one kept:

    predicted           1 / (1 - h)
    batch, drop         whole batches are drawn again, the surplus of the last one is thrown away
    batch, keep         the same, and the surplus is kept: batches of several sizes
    missing, drop       a round draws what is missing over the share of mixed groups so far
    rounds              a step, of `batch` and of `missing`: each is a call of the sampler
    short               share of steps that end at the limit, with fewer than 16
"""

import argparse
from typing import NamedTuple

import numpy as np

from rewardgate.grpo import refill_cost
from rewardgate.training.ledger import LedgerRow, total
from rewardgate.training.sampling import DynamicSampling, sample_groups

WANTED = 16
SHARES = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


class Drawn(NamedTuple):
    """A group of two."""

    rewards: tuple[float, float]
    n_tokens: int = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| h | predicted | batch, drop | batch, keep | missing, drop | rounds: batch | missing | short |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for share in SHARES:
        ledgers = {
            (refill, surplus): ledger(share, DynamicSampling(refill=refill, surplus=surplus), options)
            for refill, surplus in (("batch", "drop"), ("batch", "keep"), ("missing", "drop"))
        }
        batch, missing = ledgers["batch", "drop"], ledgers["missing", "drop"]
        predicted = refill_cost(share, wanted_groups=WANTED, group_size=2).overhead
        costs = " | ".join(f"{one.overhead:.2f}" for one in ledgers.values())
        rounds = f"{batch.rounds / options.steps:.1f} | {missing.rounds / options.steps:.1f}"
        print(f"| {share} | {predicted:.2f} | {costs} | {rounds} | {batch.ended.get('limit', 0) / options.steps:.1%} |")


def ledger(share: float, rules: DynamicSampling, options: argparse.Namespace) -> LedgerRow:
    """Of all steps together."""
    generator = np.random.default_rng(options.seed)

    def draw(n: int) -> list[Drawn]:
        return [Drawn((1.0, float(is_degenerate))) for is_degenerate in generator.random(n) < share]

    return total(sample_groups(draw, WANTED, rules).ledger for _ in range(options.steps))


if __name__ == "__main__":
    main()
