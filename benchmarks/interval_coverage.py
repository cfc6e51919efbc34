"""How often 95 % intervals hold the success rate, when rollouts of one prompt are right and wrong together.

    python benchmarks/interval_coverage.py [--trials 2000] [--prompts 30 100 300] [--json OUT.json]

Each trial draws a rate for every prompt from a beta distribution with mean p and correlation rho between two rollouts
of a prompt, and G = 8 rollouts from each. Then it asks four intervals for the mean rate over prompts:

    rollouts     Wilson on all rollouts, as if they were independent: what is usually printed
    wilson       Wilson on one rollout a prompt
    exact        Clopper-Pearson on one rollout a prompt
    bootstrap    bootstrap_by_prompt on all rollouts (1,000 resamples)

Printed: the share of trials in which the interval holds p, and its mean width. The standard error of a share near .95
is .005 at 2,000 trials.
"""

import argparse
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rewardgate.diagnostics import Interval, bootstrap_by_prompt, clopper_pearson, wilson

GROUP_SIZE = 8
RHOS = (0.0, 0.2, 0.5, 0.75)
PROMPTS = (30, 100, 300)
RATES = (0.05, 0.5, 0.9)
RESAMPLES = 1_000

IntArray = npt.NDArray[np.int64]
Method = Callable[[IntArray], Interval]
"""Successes (N, G) of 0 and 1 -> an interval for the rate."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--prompts", type=int, nargs="+", default=PROMPTS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"G = {GROUP_SIZE}, {options.trials:,} trials a row; coverage of 95 % intervals (mean width)\n")
    print(f"| prompts | p | rho | {' | '.join(METHODS)} |\n|{' --- |' * (len(METHODS) + 3)}")
    rows = []
    for n_prompts, rate, rho in product(options.prompts, RATES, RHOS):
        figures = measured(n_prompts, rate, rho, options.trials)
        rows.append({"prompts": n_prompts, "p": rate, "rho": rho, **figures})
        cells = (f"{coverage:.3f} ({width:.3f})" for coverage, width in figures.values())
        print(f"| {n_prompts} | {rate:g} | {rho:g} | {' | '.join(cells)} |", flush=True)
    print(f"\n| | {' | '.join(METHODS)} |\n|{' --- |' * (len(METHODS) + 1)}")
    for what, of in (("least coverage", min), ("mean coverage", np.mean)):
        print(f"| {what} | {' | '.join(f'{of([row[name][0] for row in rows]):.3f}' for name in METHODS)} |")
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def measured(n_prompts: int, rate: float, rho: float, trials: int) -> dict[str, tuple[float, float]]:
    """Method -> coverage and mean width."""
    generator = np.random.default_rng([n_prompts, round(100 * rate), round(100 * rho)])
    intervals: dict[str, list[Interval]] = {name: [] for name in METHODS}
    for _ in range(trials):
        rollouts = drawn(generator, n_prompts, rate, rho)
        for name, method in METHODS.items():
            intervals[name].append(method(rollouts))
    return {
        name: (
            float(np.mean([interval.low <= rate <= interval.high for interval in found])),
            float(np.mean([interval.high - interval.low for interval in found])),
        )
        for name, found in intervals.items()
    }


def drawn(generator: np.random.Generator, n_prompts: int, rate: float, rho: float) -> IntArray:
    """(N, G) of 0 and 1."""
    total = (1 - rho) / rho if rho else np.inf  # a + b of the beta distribution
    rates = generator.beta(rate * total, (1 - rate) * total, size=n_prompts) if rho else np.full(n_prompts, rate)
    return (generator.random((n_prompts, GROUP_SIZE)) < rates[:, None]).astype(np.int64)


def _bootstrap(rollouts: IntArray) -> Interval:
    ids = np.repeat(np.arange(len(rollouts)), GROUP_SIZE)
    return bootstrap_by_prompt(rollouts.ravel(), ids, resamples=RESAMPLES).interval


METHODS: dict[str, Method] = {
    "rollouts": lambda rollouts: wilson(int(rollouts.sum()), rollouts.size),
    "wilson": lambda rollouts: wilson(int(rollouts[:, 0].sum()), len(rollouts)),
    "exact": lambda rollouts: clopper_pearson(int(rollouts[:, 0].sum()), len(rollouts)),
    "bootstrap": _bootstrap,
}


if __name__ == "__main__":
    main()
