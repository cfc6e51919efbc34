"""Which runs there are, in the order of their worth: the plan as far as what is known decides it."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from arms import ARMS
from running import TUNING_SEED, Job
from tasks import TASKS

CHECKPOINTS = ("totals0", "insertion0", "totals1", "totals2", "insertion1")
RATES = (4e-4, 8e-4, 1.6e-3)
USUAL_RATE = 8e-4
SEEDS = 5
FAMILIES = ("grpo", "vg_none", "sign")

FIRST = ("grpo", "vg_none", "vg_sum", "vg_mean", "grpo_x3", "dr_grpo", "dapo", "ungated", "prm_outcome")
CORE = ("grpo", "vg_none", "vg_sum", "ungated", "prm_outcome", "replay", "sgpo", "bootstrap")
SHORT_ROLLOUTS = 1_600


def planned(rows: Sequence[dict[str, Any]]) -> Iterator[Job]:
    """Every job, first things first; rates are those that the finished runs `rows` speak for."""
    seen: set[str] = set()
    for job in _in_order(rows):
        if job.key not in seen:
            seen.add(job.key)
            yield job


def _in_order(rows: Sequence[dict[str, Any]]) -> Iterator[Job]:
    yield from (_tuning("totals0", arm, rate) for arm in FAMILIES for rate in RATES)
    for arms, seeds in ((FIRST, range(3)), (tuple(ARMS), range(2)), (FIRST, range(SEEDS)), (tuple(ARMS), range(SEEDS))):
        yield from (_final("totals0", arm, seed, rows) for arm in arms for seed in seeds)
    yield from short_jobs()
    for checkpoint in CHECKPOINTS[1:]:
        yield from (_final(checkpoint, arm, seed, rows) for arm in CORE for seed in range(SEEDS))
    yield from (_tuning("totals0", arm, rate) for arm in ARMS for rate in RATES)


def short_jobs() -> Iterator[Job]:
    """Plain GRPO over difficulties and group sizes: is what is seen early what one ends at?"""
    for seed in range(6):
        for difficulty in (2, 3, 4):
            for size in (4, 8, 16):
                for rate in RATES[:2]:
                    yield Job("grpo", "totals", "totals0", difficulty, rate, seed, SHORT_ROLLOUTS, size)


def chosen_rate(arm: str, rows: Sequence[dict[str, Any]]) -> tuple[float, str]:
    """The rate of an arm, and whose trials chose it: its own where all its rates were tried, else its family's."""
    name = arm
    while name:
        found: dict[float, list[float]] = {}
        for row in rows:
            if row["arm"] == name and row["seed"] >= TUNING_SEED:
                found.setdefault(row["lr"], []).append(row["final"]["tuning"])
        if set(found) >= set(RATES):
            best = max(fmean(values) for values in found.values())
            # Of equals the usual one, so that arms that never succeed are not told apart by chance.
            ranked = sorted(found, key=lambda rate: (rate != USUAL_RATE, rate))
            return next(rate for rate in ranked if fmean(found[rate]) == best), name
        name = ARMS[name].tuned_as
    return USUAL_RATE, ""


def _tuning(checkpoint: str, arm: str, rate: float) -> Job:
    task = TASKS[checkpoint.rstrip("0123456789")]
    return Job(arm, task.name, checkpoint, task.hard, rate, TUNING_SEED)


def _final(checkpoint: str, arm: str, seed: int, rows: Sequence[dict[str, Any]]) -> Job:
    task = TASKS[checkpoint.rstrip("0123456789")]
    return Job(arm, task.name, checkpoint, task.hard, chosen_rate(arm, rows)[0], seed)
