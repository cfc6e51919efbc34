"""Forms of credit: literal rollouts, what unscored steps do, and relations that hold for any scores."""

from math import exp, nan

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo import one_sided_credits, step_credits
from rewardgate.grpo.credit import filled_from_right, is_after_error

FORMS = ["none", "sum", "mean", "discounted", "min", "prefix", "progress"]
SCORES = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=6)


def row(scores: list[float | None]) -> Tensor:
    return torch.tensor([[nan if score is None else score for score in scores]], dtype=torch.float64)


def same(credit: Tensor, expected: list[float]) -> bool:
    return credit[0].tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_every_form_of_one_rollout_with_an_unscored_step() -> None:
    scores = row([0.8, None, 0.4, 1.0])
    assert same(step_credits(scores, cumulate="none"), [0.8, nan, 0.4, 1.0])
    assert same(step_credits(scores, cumulate="sum"), [2.2, nan, 1.4, 1.0])
    assert same(step_credits(scores, cumulate="mean"), [2.2 / 3, nan, 0.7, 1.0])
    # 1.0; 0.4 + 0.5 * 1; 0.8 + 0.25 * 0.9: an unscored step is a step of time.
    assert same(step_credits(scores, cumulate="discounted", gamma=0.5), [1.025, nan, 0.9, 1.0])
    # Below 0.5 at the third step.
    assert same(step_credits(scores, cumulate="prefix"), [1.0, nan, 0.0, 0.0])
    assert same(step_credits(scores, cumulate="progress", start=torch.tensor([0.5])), [0.3, nan, -0.4, 0.6])


def test_the_min_form_weighs_the_worst_step_most() -> None:
    # PURE: w = softmax(-s / T) over s = 1, -1 with T = 1: e^-1 and e^1 over their sum.
    low, high = exp(-1.0), exp(1.0)
    expected = [(low - high) / (low + high), -high / (low + high)]
    assert same(step_credits(row([1.0, -1.0]), cumulate="min", temperature=1.0), expected)
    # As T falls, the first step's credit becomes the lowest score.
    assert step_credits(row([0.9, 0.2, 0.6]), cumulate="min", temperature=0.01)[0, 0].item() == pytest.approx(0.2)


def test_one_sided_credit_charges_what_steps_lack_or_pays_what_they_have() -> None:
    scores, steps = row([None, 1.0, 0.25, 0.75, None]), torch.tensor([[True, True, True, True, False]])
    charge, pay = {"sign": "nonpositive"}, {"sign": "nonnegative"}
    assert same(one_sided_credits(scores, steps, **charge), [0.0, 0.0, -1.0, -1.0, nan])
    assert same(one_sided_credits(scores, steps, **charge, cumulate="none"), [0.0, 0.0, -0.5, 0.0, nan])
    assert same(one_sided_credits(scores, steps, **charge, cumulate="sum"), [-0.5, -0.5, -0.5, 0.0, nan])
    # 0.25 / 0.5 - 1 = -0.5 over 4, 3, 2 and 1 remaining steps, the unscored one included.
    assert same(one_sided_credits(scores, steps, **charge, cumulate="mean"), [-0.125, -0.5 / 3, -0.25, 0.0, nan])
    assert same(one_sided_credits(scores, steps, **charge, cumulate="progress"), [0.0, 0.0, -0.75, 0.0, nan])
    assert same(one_sided_credits(scores, steps, **pay), [0.0, 1.0, 0.0, 0.0, nan])
    assert same(one_sided_credits(scores, steps, **pay, cumulate="none"), [0.0, 1.0, 0.0, 0.5, nan])


@given(SCORES, st.sampled_from(FORMS))
def test_a_step_has_credit_exactly_where_it_has_a_score(scores: list[float | None], form: str) -> None:
    credit = step_credits(row(scores), cumulate=form)
    assert credit[0].isnan().tolist() == [score is None for score in scores]


@given(SCORES, st.sampled_from(["none", "sum", "mean", "min", "prefix", "progress"]), st.integers(0, 6))
def test_an_unscored_step_in_between_changes_nothing_but_the_discount(
    scores: list[float | None], form: str, place: int
) -> None:
    place = min(place, len(scores))
    plain = step_credits(row(scores), cumulate=form)[0].tolist()
    longer = step_credits(row([*scores[:place], None, *scores[place:]]), cumulate=form)[0].tolist()
    assert longer[:place] + longer[place + 1 :] == pytest.approx(plain, abs=1e-12, nan_ok=True)


@given(st.floats(0, 1), st.integers(1, 9))
def test_equal_scores_have_equal_credit_to_the_last_bit_where_length_is_not_paid(score: float, n_steps: int) -> None:
    for form in ("none", "mean"):
        credit = step_credits(row([score] * n_steps), cumulate=form)
        assert set(credit[0].tolist()) == {score}
    assert set(step_credits(row([score] * n_steps), cumulate="progress")[0, 1:].tolist()) <= {0.0}


@given(SCORES)
def test_discounting_by_one_is_the_sum_and_by_zero_the_step_itself(scores: list[float | None]) -> None:
    for gamma, form in ((1.0, "sum"), (0.0, "none")):
        discounted = step_credits(row(scores), cumulate="discounted", gamma=gamma)
        torch.testing.assert_close(discounted, step_credits(row(scores), cumulate=form), equal_nan=True)


@given(SCORES, st.integers(0, 6), st.sampled_from(["sum", "none", "prefix"]))
def test_a_right_step_more_leaves_every_charge_as_it_is(scores: list[float | None], place: int, form: str) -> None:
    place = min(place, len(scores))

    def charges(scores: list[float | None]) -> list[float]:
        steps = torch.ones(1, len(scores), dtype=torch.bool)
        return one_sided_credits(row(scores), steps, sign="nonpositive", cumulate=form)[0].tolist()

    longer = charges([*scores[:place], 1.0, *scores[place:]])
    assert longer[:place] + longer[place + 1 :] == charges(scores)
    assert longer[place] <= 0


def test_no_charge_is_a_plain_zero() -> None:
    steps = torch.ones(1, 2, dtype=torch.bool)
    for form in FORMS:
        credit = one_sided_credits(row([1.0, 1.0]), steps, sign="nonpositive", cumulate=form)
        assert not torch.signbit(credit).any(), form


def test_gaps_are_filled_from_the_right() -> None:
    assert same(filled_from_right(row([None, None, 0.3, None, 0.7, None])), [0.3, 0.3, 0.3, 0.7, 0.7, nan])
    assert filled_from_right(row([None])).isnan().all()
    assert is_after_error(row([None, 0.9, 0.4, None, 0.9]), threshold=0.5).tolist() == [[False] * 2 + [True] * 3]


def test_a_batch_without_steps_has_no_credit_and_an_unknown_form_is_refused() -> None:
    empty = torch.zeros(3, 0)
    for form in FORMS:
        assert step_credits(empty, cumulate=form).shape == (3, 0)
    assert filled_from_right(empty).shape == (3, 0)
    with pytest.raises(ArgumentError, match=r"cumulate: expected sum, none, mean, .*, got 'max'"):
        step_credits(row([1.0]), cumulate="max")
