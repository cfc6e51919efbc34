"""Which runs there are, in the order of their worth: the plan as far as what is known decides it."""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from arms import ARMS
from running import TUNING_SEED, Job
from tasks import task_of

RATES = (4e-4, 8e-4, 1.6e-3)
USUAL_RATE = 8e-4
TUNING_SEEDS = (TUNING_SEED, TUNING_SEED + 1)
SEEDS = 5
SHORT_ROLLOUTS = 1_600


class Setting(NamedTuple):
    """Where arms meet: a fine-tuned policy, and how many hard steps its prompts have."""

    checkpoint: str
    difficulty: int

    def __str__(self) -> str:
        return f"{self.checkpoint}, {self.difficulty} hard steps"


MAIN = Setting("totals0", 3)
OTHERS = (Setting("insertion0", 4), Setting("totals0", 4), Setting("totals1", 3), Setting("totals2", 3))
SETTINGS = (MAIN, *OTHERS)
WHOLE = (MAIN, OTHERS[0])
"""Where every arm meets: one setting of each task. The others have the arms of `CORE`."""

CHECKPOINTS = tuple(dict.fromkeys(setting.checkpoint for setting in SETTINGS))

CORE = ("grpo", "vg_none", "vg_none_end", "vg_sum", "ungated", "prm_outcome", "replay", "sgpo", "bootstrap")
TRUE_SCORERS = ("exact", "first_error", "to_the_end")
TUNED = tuple(name for name, arm in ARMS.items() if arm.scorer in TRUE_SCORERS and "_equal" not in name)
"""Whose own rates are tried: an arm whose scorer errs takes those it has with the exact one (`Arm.tuned_as`)."""


def planned(rows: Sequence[dict[str, Any]]) -> Iterator[Job]:
    """Every job, first things first; rates are those that the finished runs `rows` speak for."""
    seen: set[str] = set()
    for job in _in_order(rows):
        if job.key not in seen:
            seen.add(job.key)
            yield job


def _in_order(rows: Sequence[dict[str, Any]]) -> Iterator[Job]:
    yield from _trials(MAIN, TUNED)
    for seeds in (range(3), range(3, SEEDS)):
        yield from (_final(MAIN, arm, seed, rows) for seed in seeds for arm in ARMS)
    yield from _trials(OTHERS[0], TUNED)
    for number, setting in enumerate(OTHERS):
        yield from (_final(setting, arm, seed, rows) for seed in range(SEEDS) for arm in CORE)
        if number == 0:
            yield from short_jobs()
    yield from (_final(setting, "grpo_x3", seed, rows) for setting in OTHERS for seed in range(SEEDS))
    yield from (_final(OTHERS[0], arm, seed, rows) for seed in range(SEEDS) for arm in ARMS)


def short_jobs() -> Iterator[Job]:
    """Plain GRPO over difficulties and group sizes: is what is seen early what one ends at?"""
    for seed, difficulty, size, rate in product(range(6), (1, 2, 3), (4, 8, 16), RATES[:2]):
        yield Job("grpo", "totals", "totals0", difficulty, rate, seed, SHORT_ROLLOUTS, size)


def chosen_rate(arm: str, task: str, rows: Sequence[dict[str, Any]]) -> tuple[float, str]:
    """The rate of an arm on a task, and whose trials chose it: its own where all were made, else its family's."""
    name = arm
    while name:
        found: dict[float, dict[int, float]] = {}
        for row in rows:
            if (row["arm"], row["task"]) == (name, task) and row["seed"] in TUNING_SEEDS:
                found.setdefault(row["lr"], {})[row["seed"]] = row["final"]["tuning"]
        if all(len(found.get(rate, ())) == len(TUNING_SEEDS) for rate in RATES):
            success = {rate: fmean(by_seed.values()) for rate, by_seed in found.items()}
            best = max(success.values())
            # Of equals the usual one, so that arms that never succeed are not told apart by chance.
            ranked = sorted(success, key=lambda rate: (rate != USUAL_RATE, rate))
            return next(rate for rate in ranked if success[rate] == best), name
        name = ARMS[name].tuned_as
    return USUAL_RATE, ""


def _trials(setting: Setting, arms: Sequence[str]) -> Iterator[Job]:
    for arm, seed, rate in product(arms, TUNING_SEEDS, RATES):
        yield Job(arm, task_of(setting.checkpoint).name, *setting, rate, seed)


def _final(setting: Setting, arm: str, seed: int, rows: Sequence[dict[str, Any]]) -> Job:
    task = task_of(setting.checkpoint).name
    return Job(arm, task, *setting, chosen_rate(arm, task, rows)[0], seed)
