from collections import Counter
from functools import cache

import numpy as np
import pytest
from scripted_generator import numbered_prompts

from rewardgate.diagnostics import clopper_pearson
from rewardgate.errors import ArgumentError
from rewardgate.training import Sampled
from rewardgate.training.bootstrap.looks import Look, LookRules, Standing, look_at, looked_at
from rewardgate.training.groups.attempts import Attempts
from rewardgate.verifiers.base import Outcome, Verdict

RIGHT, WRONG = Verdict(Outcome.CORRECT, 1.0), Verdict(Outcome.INCORRECT, 0.0)
FAULT = Verdict(Outcome.ERROR, None, rule="crashed")
LOST, HALF, WON, BROKEN = [WRONG, WRONG], [WRONG, RIGHT], [RIGHT, RIGHT], [WRONG, FAULT]
RULES = LookRules(group_size=2, groups=40, least_mixed=0.25)


def look(*groups: list[Verdict], is_last: bool = False, level: float = 0.025, rules: LookRules = RULES) -> Look:
    prompt, sampled = numbered_prompts(1)[0], Sampled((1, 2), (0.0, 0.0), "x", "stop")
    attempts = [Attempts(prompt, (sampled,) * len(verdicts), tuple(verdicts)) for verdicts in groups]
    return look_at(attempts, rules, sft_steps=7, level=level, is_last=is_last)


def test_a_look_counts_kinds_and_gives_the_exact_interval_at_its_level() -> None:
    found = look(*[LOST] * 12, *[HALF] * 6, *[WON] * 2)
    assert (found.groups, found.kinds) == (20, {"all_wrong": 12, "mixed": 6, "all_correct": 2})
    low, high = clopper_pearson(6, 20, confidence=0.95)
    assert (found.mixed.value, found.mixed.low, found.mixed.high) == (0.3, low, high)
    assert found.pass_at_g.value == 8 / 20
    assert (found.success, found.tokens, found.unscored, found.sft_steps) == (10 / 40, 80, 0, 7)


@pytest.mark.parametrize("n", [1, 3])
def test_one_lucky_sample_decides_nothing(n: int) -> None:
    found = look(HALF, *[LOST] * (4 * n - 1))
    assert found.mixed.value is not None
    assert found.standing is Standing.GO_ON


def test_it_is_the_bound_that_decides_and_not_the_share() -> None:
    # 16 of 40 are 40 %, at least 24.9 %; 17 of 40 at least 27.0 %
    assert look(*[HALF] * 16, *[LOST] * 24).standing is Standing.GO_ON
    assert look(*[HALF] * 17, *[LOST] * 23).standing is Standing.READY
    assert look(*[HALF] * 17, *[LOST] * 23, level=0.025 / 20).standing is Standing.GO_ON


def test_groups_that_are_all_correct_leave_nothing_to_explore() -> None:
    # 36 of 40 all correct are at least 76 %: fewer than a quarter can be mixed
    assert look(*[WON] * 36, *[LOST] * 4).standing is Standing.TOO_EASY
    assert look(*[WON] * 35, *[LOST] * 5).standing is Standing.GO_ON


def test_the_last_look_says_whether_it_is_known_that_there_is_no_support() -> None:
    assert look(*[LOST] * 40, is_last=True).standing is Standing.NO_SUPPORT
    # 6 of 40 are 15 %, and up to 30 %
    assert look(*[HALF] * 6, *[LOST] * 34, is_last=True).standing is Standing.UNDECIDED
    # prompts that are solved, if always, are no want of support
    assert look(*[WON] * 30, *[LOST] * 10, is_last=True).standing is Standing.UNDECIDED


def test_groups_without_all_their_verdicts_count_neither_way() -> None:
    found = look(*[HALF] * 17, *[LOST] * 23, *[BROKEN] * 100)
    assert (found.groups, found.left_out, found.unscored) == (40, 100, 100)
    assert found.standing is Standing.READY


def test_without_one_whole_group_nothing_is_said_and_it_ends() -> None:
    found = look(*[BROKEN] * 5)
    assert (found.mixed.value, found.standing, found.success) == (None, Standing.UNDECIDED, 0.0)
    assert look([FAULT, FAULT]).success is None


def test_the_level_is_shared_by_the_looks_that_are_planned() -> None:
    assert RULES.level(1) == pytest.approx(0.05)
    assert RULES.level(20) == pytest.approx(0.0025)


def test_a_look_too_small_ever_to_be_sure_is_refused() -> None:
    # 0.05^(1/n) >= 0.25 from n = 3 on; (0.05 / 20)^(1/n) from 5 on
    assert LookRules(groups=3).level(1) == pytest.approx(0.05)
    for groups, planned, needed in ((2, 1, 3), (4, 20, 5)):
        with pytest.raises(ArgumentError, match=f"groups: expected at least {needed} a look"):
            LookRules(groups=groups).level(planned)
    assert look(*[HALF] * 5, level=0.0025).standing is Standing.READY


@cache
def low_end(mixed: int, n: int, level: float) -> float:
    return clopper_pearson(mixed, n, confidence=1 - 2 * level).low


def ended_too_soon(level: float, *, looks: int, rates: np.ndarray, runs: int, seed: int) -> float:
    """Share of runs in which some look is sure of more mixed groups than the mean of `rates`, the truth."""
    generator, wrong = np.random.default_rng(seed), 0
    for _ in range(runs):
        mixed = (generator.random((looks, len(rates))) < rates).sum(1)  # every look draws afresh
        wrong += any(low_end(int(count), len(rates), level) >= rates.mean() for count in mixed)
    return wrong / runs


@pytest.mark.parametrize("spread", [0.0, 0.2])
def test_twenty_looks_together_err_no_more_often_than_promised(spread: float) -> None:
    """A policy that stays exactly at 25 % mixed groups must not be called ready in more than 5 % of runs."""
    rates = np.tile([0.25 - spread, 0.25 + spread], 32)
    rules = LookRules(groups=64)
    promised = ended_too_soon(rules.level(20), looks=20, rates=rates, runs=400, seed=1)
    naive = ended_too_soon(rules.level(1), looks=20, rates=rates, runs=400, seed=1)
    assert promised <= 0.05
    if not spread:
        assert naive > 0.3  # what peeking twenty times at 95 % does


@pytest.mark.parametrize(("n_prompts", "groups"), [(1, 5), (3, 7), (50, 50), (200, 30)])
def test_prompts_take_turns(n_prompts: int, groups: int) -> None:
    drawn = looked_at(n_prompts, groups, seed=3)
    times = Counter(drawn)
    assert len(drawn) == groups
    assert max(times.values()) - min(times.get(number, 0) for number in range(n_prompts)) <= 1
    assert drawn == looked_at(n_prompts, groups, seed=3)


def test_other_looks_draw_other_prompts() -> None:
    assert looked_at(200, 30, seed=3) != looked_at(200, 30, seed=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group_size": 1}, "group_size: expected at least 2, got 1"),
        ({"groups": 0}, "groups: expected at least 1, got 0"),
        ({"least_mixed": 0.0}, "least_mixed: expected a number in (0, 1), got 0.0"),
        ({"confidence": 1.0}, "confidence: expected a number in (0, 1), got 1.0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        LookRules(**options)
    assert str(refused.value) == message
