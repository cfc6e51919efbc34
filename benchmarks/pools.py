"""Wrong moves, delays and mixed groups of four ways to route prompts, on simulated prompts whose rates drift.

    python benchmarks/pools.py [--seeds 8] [--prompts 2000] [--visits 40] [--bounds LOW HIGH] [--json OUT.json]

A prompt's logit starts where a Beta(0.6, 0.6) rate puts it, rises over the run by a slope of its own (mean 2, standard
deviation 1.5, so that some get worse) and walks at random (standard deviation 0.15 a visit). G = 8, binary rewards.

Routers, each with the same two bounds of the rate:

    last mean       the last group's mean alone: hard at or below the lower bound, easy above the upper one. With .25
                    and .75 these are the rule and the thresholds of prime-rl's difficulty pools
    moving average  the same rule on an average with a half-life of 3 visits, starting at the first mean
    counts          rewardgate's posterior of discounted counts, without hysteresis: leave_at = enter_at
    pools           rewardgate.diagnostics.PromptPools as it comes, but for the bounds

Every prompt is visited every 60 steps, and all routers see the same rewards. The true pool of a prompt is that of its
rate at that step. Printed, as mean over the seeds and (least to greatest):

    false moves     moves into another pool than the true one, a hundred visits
    moves           all moves, a hundred visits; the truth itself moves as the row "truth" says
    wrong           share of visits after which the prompt is not in its true pool
    delay           visits from a true change until the router is there, mean over changes that it followed
    missed          share of true changes that it had not followed when the truth changed again, or the run ended

Then each router decides what is drawn: a tenth of the prompts every 6 steps, so that a prompt is drawn every 60 steps
on average; weights .2, 1, .2 and a tenth of the draws alike, for every router. Printed:

    mixed           share of the drawn groups that are mixed; "alike" draws all prompts alike, and "truth" is routed by
                    the true rates
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rewardgate.diagnostics.pool_rules import POOLS, Pool, PoolRules
from rewardgate.diagnostics.pools import PromptPools

GROUP_SIZE = 8
STEPS_A_VISIT = 60
STEPS_A_BATCH = 6
HALF_LIFE_VISITS = 3.0
"""Of the moving average; with 2 it moves more often and falsely more often."""
BOUNDS = ((0.25, 0.75), (0.1, 0.9))
WEIGHTS = {"hard": 0.2, "frontier": 1.0, "easy": 0.2}
FLOOR = 0.1
HARD, FRONTIER, EASY = (POOLS.index(pool) for pool in (Pool.HARD, Pool.FRONTIER, Pool.EASY))

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Bounds = tuple[float, float]
Figures = dict[str, dict[str, float]]
"""Router -> figure -> value, of one seed."""


@dataclass
class Router:
    """A way to route N prompts: told of visits, it says where they are.

    Args:
        see: rows visited, successes of each, and the step -> nothing.
        codes: nothing -> (N,) positions in `POOLS`.
    """

    see: Callable[[IntArray, IntArray, int], None]
    codes: Callable[[], IntArray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--prompts", type=int, default=2000)
    parser.add_argument("--visits", type=int, default=40, help="of each prompt")
    parser.add_argument("--bounds", type=float, nargs=2, metavar=("LOW", "HIGH"), help="these alone")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(
        f"{options.prompts:,} prompts, {options.visits} visits each, {STEPS_A_VISIT} steps apart, G = {GROUP_SIZE}, "
        f"{options.seeds} seeds; numpy {np.__version__}\n"
    )
    everything: dict[str, list[Figures]] = {}
    for bounds in BOUNDS if options.bounds is None else [tuple(options.bounds)]:
        runs = []
        for seed in range(options.seeds):
            figures = followed(seed, bounds, options.prompts, options.visits)
            for name, share in drawn(seed, bounds, options.prompts, options.visits).items():
                figures.setdefault(name, {})["mixed"] = share
            runs.append(figures)
        everything[f"{bounds[0]:g} and {bounds[1]:g}"] = runs
        print(f"Bounds {bounds[0]:g} and {bounds[1]:g}\n\n{table(runs)}")
    if options.json is not None:
        options.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")


def rates(seed: int, n_prompts: int, n_visits: int) -> FloatArray:
    """(visits, N) the success rate of every prompt at every visit."""
    generator = np.random.default_rng(seed)
    start = generator.beta(0.6, 0.6, size=n_prompts).clip(1e-4, 1 - 1e-4)
    slope = generator.normal(2.0, 1.5, size=n_prompts)
    walk = generator.normal(0.0, 0.15, size=(n_visits, n_prompts)).cumsum(axis=0)
    progress = np.arange(n_visits)[:, None] / max(1, n_visits - 1)
    return 1 / (1 + np.exp(-(np.log(start / (1 - start)) + slope * progress + walk)))


def true_codes(rate: FloatArray, bounds: Bounds) -> IntArray:
    return np.where(rate <= bounds[0], HARD, np.where(rate > bounds[1], EASY, FRONTIER))


def routers(n_prompts: int, bounds: Bounds) -> dict[str, Router]:
    """Fresh ones, every prompt in the frontier."""
    return {
        "last mean": averaging(n_prompts, bounds, kept=0.0),
        "moving average": averaging(n_prompts, bounds, kept=2 ** (-1 / HALF_LIFE_VISITS)),
        "counts": pooling(n_prompts, _rules(bounds, leave_at=PoolRules().enter_at)),
        "pools": pooling(n_prompts, _rules(bounds)),
    }


def averaging(n_prompts: int, bounds: Bounds, *, kept: float) -> Router:
    """Routes by a moving average, of which a visit leaves `kept`."""
    mean, codes = np.full(n_prompts, np.nan), np.full(n_prompts, FRONTIER)

    def see(rows: IntArray, successes: IntArray, _step: int) -> None:
        rate = successes / GROUP_SIZE
        mean[rows] = np.where(np.isnan(mean[rows]), rate, kept * mean[rows] + (1 - kept) * rate)
        codes[rows] = true_codes(mean[rows], bounds)

    return Router(see, codes.copy)


def pooling(n_prompts: int, rules: PoolRules) -> Router:
    pools = PromptPools(range(n_prompts), rules=rules)

    def see(rows: IntArray, successes: IntArray, step: int) -> None:
        pools.update_counts(rows.tolist(), successes, np.full(len(rows), GROUP_SIZE), step=step)

    return Router(see, lambda: pools.codes)


def _rules(bounds: Bounds, leave_at: float | None = None) -> PoolRules:
    low, high = bounds
    if leave_at is None:
        return PoolRules(hard_below=low, easy_above=high)
    return PoolRules(hard_below=low, easy_above=high, leave_at=leave_at)


def followed(seed: int, bounds: Bounds, n_prompts: int, n_visits: int) -> Figures:
    """What each router makes of the same visits."""
    rate = rates(seed, n_prompts, n_visits)
    successes = np.random.default_rng([seed, 1]).binomial(GROUP_SIZE, rate)  # (visits, N)
    truth = true_codes(rate, bounds)
    rows = np.arange(n_prompts)
    figures = {}
    for name, router in routers(n_prompts, bounds).items():
        found = [np.full(n_prompts, FRONTIER)]
        for visit in range(n_visits):
            router.see(rows, successes[visit], visit * STEPS_A_VISIT)
            found.append(router.codes())
        figures[name] = compared(np.array(found), truth)
    return {**figures, "truth": {"moves": 100 * float((truth[1:] != truth[:-1]).mean())}}


def compared(found: IntArray, truth: IntArray) -> dict[str, float]:
    """Figures of one router; `found` (visits + 1, N) has one row more than `truth`: where prompts began."""
    has_moved, after = found[1:] != found[:-1], found[1:]
    delays, missed = delays_of(after, truth)
    return {
        "false moves": 100 * float((has_moved & (after != truth)).mean()),
        "moves": 100 * float(has_moved.mean()),
        "wrong": float((after != truth).mean()),
        "delay": float(np.mean(delays)) if delays else float("nan"),
        "missed": missed / max(1, missed + len(delays)),
    }


def delays_of(found: IntArray, truth: IntArray) -> tuple[list[int], int]:
    """Visits until each true change was followed, and how many never were."""
    delays, missed = [], 0
    for before, prompt in np.argwhere(truth[1:] != truth[:-1]):
        visit = before + 1
        pool = truth[visit, prompt]
        is_other = truth[visit:, prompt] != pool
        end = visit + int(is_other.argmax()) if is_other.any() else len(truth)
        is_there = found[visit:end, prompt] == pool
        if is_there.any():
            delays.append(int(is_there.argmax()))
        else:
            missed += 1
    return delays, missed


def drawn(seed: int, bounds: Bounds, n_prompts: int, n_visits: int) -> dict[str, float]:
    """Share of mixed groups among those drawn, by what routes them."""
    rate = rates(seed, n_prompts, n_visits)
    batch = n_prompts * STEPS_A_BATCH // STEPS_A_VISIT
    contenders: dict[str, Router | None] = {**routers(n_prompts, bounds), "truth": None, "alike": None}
    shares = {}
    for name, router in contenders.items():
        generator, mixed, total = np.random.default_rng([seed, 2]), 0, 0
        for step in range(0, n_visits * STEPS_A_VISIT, STEPS_A_BATCH):
            now = rate[step // STEPS_A_VISIT]
            codes = np.full(n_prompts, FRONTIER)
            if name == "truth":
                codes = true_codes(now, bounds)
            elif router is not None:
                codes = router.codes()
            weight = np.array([WEIGHTS.get(pool, 0.0) for pool in POOLS])[codes]
            weight = FLOOR / n_prompts + (1 - FLOOR) * weight / weight.sum()
            rows = np.argpartition(generator.standard_exponential(n_prompts) / weight, batch)[:batch]
            successes = generator.binomial(GROUP_SIZE, now[rows])
            mixed += int(((successes > 0) & (successes < GROUP_SIZE)).sum())
            total += batch
            if router is not None:
                router.see(rows, successes, step)
        shares[name] = mixed / total
    return shares


def table(runs: list[Figures]) -> str:
    """Mean over the seeds and range, in Markdown."""
    names = ("false moves", "moves", "wrong", "delay", "missed", "mixed")
    text = f"| router | {' | '.join(names)} |\n|{' --- |' * (len(names) + 1)}\n"
    for router in runs[0]:
        cells = [_cell([run[router][name] for run in runs if name in run[router]], name) for name in names]
        text += f"| {router} | {' | '.join(cells)} |\n"
    return text


def _cell(values: list[float], name: str) -> str:
    if not values:
        return "–"
    digits = 2 if name in ("false moves", "moves", "delay") else 3
    return f"{np.mean(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


if __name__ == "__main__":
    main()
