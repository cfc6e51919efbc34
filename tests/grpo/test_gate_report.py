"""The gate's report: each figure on a batch small enough to count by hand."""

from math import isnan, sqrt

import pytest
from gated_rollouts import Stepped, rollout_batches, tensors_of
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.grpo import GATE_MODES, GateReport, gate, gate_mode


def report(rollouts: list[Stepped], **options: object) -> GateReport:
    return gate(**tensors_of(rollouts), **options).report


# Group 0, all wrong: 3 + 5 tokens, of which one special; 5 steps, 4 scored. Group 1, mixed: 2 + 2 tokens. Group 2,
# tied, nothing scored: 1 + 1. Group 3, all correct: 1 + 1. Group 4, a singleton beside an unknown: 1 + 1.
BATCH = [
    Stepped(0, 0.0, ((1.0, 2), (0.0, 1))),
    Stepped(0, 0.0, ((1.0, 1), (None, 1), (0.0, 2)), specials=1),
    Stepped(1, 1.0, ((1.0, 2),)),
    Stepped(1, 0.0, ((0.0, 2),)),
    Stepped(2, 0.5, ((None, 1),)),
    Stepped(2, 0.5, ((None, 1),)),
    Stepped(3, 1.0, ((1.0, 1),)),
    Stepped(3, 1.0, ((0.0, 1),)),
    Stepped(4, 0.0, ((1.0, 1),)),
    Stepped(4, None, ((1.0, 1),)),
]


def test_groups_tokens_and_steps_are_counted() -> None:
    found = report(BATCH, cumulate="none", scale="none")
    assert found.opened == {"all_wrong": 1, "tied": 1}
    assert found.closed == {"mixed": 1, "all_correct": 1, "singleton": 1}
    assert found.silent == 1
    assert found.tokens == 18
    assert found.opened_share == pytest.approx(10 / 18)
    assert found.gated_share == pytest.approx(7 / 18)  # all but the special one of group 0
    assert found.coverage == pytest.approx(4 / 7)
    # Paid: 2 + 1 tokens; charged: 1 + 2, and the unscored step before the wrong one.
    assert found.sign_balance == pytest.approx((3 - 4) / 7)


def test_binary_scores_tell_how_often_the_gate_is_wrong_about_a_step() -> None:
    # Sums: c = 1 0 and 2 1 0 with mean 0.8: the valid steps have +, +, +; the invalid ones -, -.
    right = [Stepped(0, 0.0, ((1.0, 1), (0.0, 1))), Stepped(0, 0.0, ((1.0, 1), (1.0, 1), (0.0, 1)))]
    assert (report(right).valid_negative_share, report(right).invalid_positive_share) == (0.0, 0.0)
    # Sums: 3 3 2 1, 0: mean 9 / 5 = 1.8. The invalid first step has +1.2; of the valid ones 1 is charged.
    wrong = [Stepped(0, 0.0, ((0.0, 1), (1.0, 1), (1.0, 1), (1.0, 1))), Stepped(0, 0.0, ((0.0, 1),))]
    found = report(wrong)
    assert found.valid_negative_share == pytest.approx(1 / 3)
    assert found.invalid_positive_share == pytest.approx(1 / 2)
    graded = report([*wrong, Stepped(0, 0.0, ((0.5, 1),))])
    assert isnan(graded.valid_negative_share)
    assert isnan(graded.invalid_positive_share)


def test_equal_step_rewards_in_rollouts_of_different_length_show_in_the_length_bias() -> None:
    # Every step 0.5 of 2 tokens; mean credit of a rollout of n steps under the sum: 0.5 (n + 1) / 2, linear in n.
    group = [Stepped(0, 0.0, ((0.5, 2),) * n) for n in (1, 2, 4, 8)]
    assert report(group, cumulate="sum").length_bias == pytest.approx(1.0)
    assert report(group, cumulate="sum", symmetric=True).length_bias == 0.0
    assert report(group, cumulate="min").length_bias < -0.5
    for form in ("none", "mean", "prefix", "progress"):
        assert report(group, cumulate=form).length_bias == 0.0
    assert report(group, **gate_mode("rules").options()).length_bias == 0.0


def test_the_length_bias_is_a_correlation_within_groups() -> None:
    # Group 0: lengths 1, 2 with +1, -1; group 1: 4, 8 with -1, +1. Within their groups (-0.5, 0.5), (-2, 2): products
    # -1 + 4 = 3, over sqrt(2 * 0.25 + 2 * 4) * sqrt(4) = sqrt(34): the offset between the groups does not count.
    batch = [
        Stepped(0, 0.0, ((1.0, 1),)),
        Stepped(0, 0.0, ((0.0, 2),)),
        Stepped(1, 0.0, ((0.0, 4),)),
        Stepped(1, 0.0, ((1.0, 8),)),
    ]
    assert report(batch, cumulate="none").length_bias == pytest.approx(3 / sqrt(34))
    # A silent group says nothing about length.
    silent = [Stepped(2, 0.0, ((0.5, 1),)), Stepped(2, 0.0, ((0.5, 90),))]
    assert report([*batch, *silent], cumulate="none").length_bias == pytest.approx(3 / sqrt(34))
    assert report(silent, cumulate="none").length_bias == 0.0
    assert isnan(report([batch[0], batch[0]], cumulate="none").length_bias)


def test_where_nothing_opens_there_is_nothing_to_report() -> None:
    found = report([Stepped(0, 1.0, ((1.0, 1),)), Stepped(0, 0.0, ((0.0, 1),))])
    assert (found.opened, found.closed, found.silent) == ({}, {"mixed": 1}, 0)
    assert (found.opened_share, found.gated_share) == (0.0, 0.0)
    for value in (found.coverage, found.sign_balance, found.length_bias, found.valid_negative_share):
        assert isnan(value)


@given(rollout_batches(), st.sampled_from(sorted(GATE_MODES)))
def test_figures_are_plain_numbers_in_their_ranges(rollouts: list[Stepped], mode: str) -> None:
    found = report(rollouts, **gate_mode(mode).options())
    assert sum(found.opened.values()) + sum(found.closed.values()) == len({r.group for r in rollouts})
    assert found.silent <= sum(found.opened.values())
    for name in ("opened_share", "gated_share", "coverage", "valid_negative_share", "invalid_positive_share"):
        value = getattr(found, name)
        assert type(value) is float
        assert isnan(value) or 0 <= value <= 1, name
    for name in ("sign_balance", "length_bias"):
        value = getattr(found, name)
        assert type(value) is float
        assert isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9, name
    assert found.gated_share <= found.opened_share or isnan(found.gated_share)
