"""The gate: what stays the estimator's, what becomes credit, and what nobody can buy."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, nan, sqrt
from random import Random

import pytest
import torch
from gated_rollouts import Stepped, rollout_batches, tensors_of
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from rewardgate.diagnostics import group_kinds
from rewardgate.errors import ArgumentError
from rewardgate.grpo import gate, gate_mode, group_advantages

FORMS = ["none", "sum", "mean", "discounted", "min", "prefix", "progress"]
SIGNS = ["free", "nonpositive", "prefix", "nonnegative"]
RULES = gate_mode("rules").options()


def gated(rollouts: Sequence[Stepped], **options: object) -> Tensor:
    return gate(**tensors_of(rollouts), **options).advantages


def by_step(rollouts: Sequence[Stepped], **options: object) -> list[list[float]]:
    """The advantage of each step of each rollout (of its first token; 0 for a step without one)."""
    advantages = gated(rollouts, **options)
    rows = []
    for rollout, row in zip(rollouts, advantages.tolist(), strict=True):
        first = {step: row[token] for token, step in reversed(list(enumerate(rollout.token_steps)))}
        rows.append([first.get(step, 0.0) for step in range(len(rollout.steps))])
    return rows


def credit_by_loop(scores: list[float | None], form: str, start: float) -> list[float | None]:
    """Credit of every step of one rollout, None where it has no score."""
    known = [(index, score) for index, score in enumerate(scores) if score is not None]
    credit: list[float | None] = [None] * len(scores)
    total = sum(exp(-score / 0.1) for _, score in known)
    wrong = min((index for index, score in known if score < 0.5), default=len(scores))
    for index, score in known:
        later = [(k, s) for k, s in known if k >= index]
        earlier = [s for k, s in known if k < index]
        credit[index] = {
            "none": score,
            "sum": sum(s for _, s in later),
            "mean": sum(s for _, s in later) / len(later),
            "discounted": sum(0.9 ** (k - index) * s for k, s in later),
            "min": sum(exp(-s / 0.1) / total * s for _, s in later),
            "prefix": 1.0 if index < wrong else 0.0,
            "progress": score - (earlier[-1] if earlier else start),
        }[form]
    return credit


def charge_by_loop(
    scores: list[float | None], is_step: list[bool], form: str, start: float, side: float
) -> list[float]:
    """One-signed credit of every step of one rollout: side -1 charges, +1 pays; unscored steps count as nothing."""
    wrong = min((k for k, s in enumerate(scores) if s is not None and s < 0.5), default=len(scores))
    if form == "prefix":
        if side < 0:
            return [-1.0 if k >= wrong else 0.0 for k in range(len(scores))]
        return [1.0 if k < wrong and s is not None else 0.0 for k, s in enumerate(scores)]
    if form == "progress":
        changes = credit_by_loop(scores, "progress", start)
        return [side * max(side * change, 0.0) if change is not None else 0.0 for change in changes]
    counted = [0.0 if s is None else side * max(side * (s - 0.5) / 0.5, 0.0) for s in scores]
    there = [score if exists else None for score, exists in zip(counted, is_step, strict=True)]
    return [c or 0.0 for c in credit_by_loop(there, form, start)]


def gate_by_loop(rollouts: Sequence[Stepped], form: str, sign: str, ddof: int, epsilon: float) -> list[list[float]]:
    """Advantages of steps, unscaled, for batches whose groups are all wrong or tied, rows without outcome included."""
    result = [[0.0] * len(rollout.steps) for rollout in rollouts]
    for group in {rollout.group for rollout in rollouts}:
        rows = [k for k, rollout in enumerate(rollouts) if rollout.group == group and rollout.outcome is not None]
        if len(rows) < 2:  # a singleton or unscorable group is not degenerate
            continue
        scores = {k: [score for score, _ in rollouts[k].steps] for k in rows}
        firsts = [next(s for s in scores[k] if s is not None) for k in rows if any(s is not None for s in scores[k])]
        start = sum(firsts) / len(firsts) if firsts else 0.0
        if sign in ("nonpositive", "nonnegative"):
            side = -1.0 if sign == "nonpositive" else 1.0
            is_step = {k: [tokens > 0 or score is not None for score, tokens in rollouts[k].steps] for k in rows}
            charges = {k: charge_by_loop(scores[k], is_step[k], form, start, side) for k in rows}
            steps_counted = [c for k in rows for c, exists in zip(charges[k], is_step[k], strict=True) if exists]
            if steps_counted and max(steps_counted) - min(steps_counted) > 1e-12:
                for k in rows:
                    result[k] = charges[k]
            continue
        credit = {k: credit_by_loop(scores[k], form, start) for k in rows}
        known = [c for k in rows for c in credit[k] if c is not None]
        if not known or max(known) - min(known) <= 1e-12 * max(map(abs, known)):
            continue
        mean = sum(known) / len(known)
        std = sqrt(sum((c - mean) ** 2 for c in known) / max(len(known) - ddof, 1))
        for k in rows:
            following: float | None = None
            for step in reversed(range(len(scores[k]))):
                own = credit[k][step]
                following = following if own is None else (own - mean) / (std + epsilon)
                value = following or 0.0
                if sign == "prefix":
                    wrong = any(s is not None and s < 0.5 for s in scores[k][: step + 1])
                    value = min(value, 0.0) if wrong else max(value, 0.0)
                result[k][step] = value
    return result


@given(
    rollout_batches(outcomes=(0.0, 0.0, 0.0, None)),
    st.sampled_from(FORMS),
    st.sampled_from(SIGNS),
    st.sampled_from([(0, 0.0), (0, 1e-6), (1, 0.1)]),
)
def test_credit_is_that_of_a_loop_over_steps(
    rollouts: list[Stepped], form: str, sign: str, scaling: tuple[int, float]
) -> None:
    ddof, epsilon = scaling
    found = by_step(rollouts, cumulate=form, sign=sign, ddof=ddof, epsilon=epsilon, scale="none")
    expected = gate_by_loop(rollouts, form, sign, ddof, epsilon)
    for rollout, mine, theirs in zip(rollouts, found, expected, strict=True):
        has_tokens = [tokens > 0 for _, tokens in rollout.steps]
        assert mine == pytest.approx(
            [a if counts else 0.0 for a, counts in zip(theirs, has_tokens, strict=True)], abs=1e-9
        )


WRONG_PAIR = [Stepped(0, 0.0, ((1.0, 2), (0.0, 1))), Stepped(0, 0.0, ((1.0, 1), (1.0, 1), (0.0, 2)))]


def test_each_token_has_the_credit_of_its_step_and_tokens_of_none_have_zero() -> None:
    # none: scores 1 0 1 1 0: mean 0.6, std sqrt(0.24) = 0.4899; 0.4 / 0.4899 = 0.8165, -0.6 / 0.4899 = -1.2247.
    pair = [replace(rollout, specials=1) for rollout in WRONG_PAIR]
    up, down = 0.4 / sqrt(0.24), -0.6 / sqrt(0.24)
    expected = [[up, up, down, 0.0, 0.0], [up, up, down, down, 0.0]]
    assert gated(pair, cumulate="none", epsilon=0.0).tolist() == [pytest.approx(row) for row in expected]


def test_the_future_sum_of_equal_steps_pays_early_ones_and_charges_late_ones() -> None:
    # Scores of 0.5: c = 1.0 0.5 and 1.5 1.0 0.5; mean 0.9, std sqrt(0.7 / 5) = 0.3742.
    pair = [Stepped(0, 0.0, ((0.5, 1),) * 2), Stepped(0, 0.0, ((0.5, 1),) * 3)]
    std = sqrt(0.14)
    assert by_step(pair, cumulate="sum", epsilon=0.0) == [
        pytest.approx([0.1 / std, -0.4 / std]),
        pytest.approx([0.6 / std, 0.1 / std, -0.4 / std]),
    ]
    assert by_step(pair, cumulate="mean") == by_step(pair, cumulate="none") == [[0.0] * 2, [0.0] * 3]


def test_a_token_of_an_unscored_step_takes_the_credit_of_the_next_scored_one_or_zero() -> None:
    # Scores 0.2 and 0.8: mean 0.5, std 0.3: -1 and +1.
    pair = [
        Stepped(0, 0.0, ((None, 1), (0.2, 1), (None, 1))),
        Stepped(0, 0.0, ((0.8, 1), (None, 2))),
    ]
    assert by_step(pair, cumulate="none", epsilon=0.0) == [
        pytest.approx([-1.0, -1.0, 0.0]),
        pytest.approx([1.0, 0.0]),
    ]


def test_a_baseline_by_step_index_takes_away_what_a_place_has_in_common() -> None:
    # Sums: 1.5 0.5 and 1.5 0.7; at place 0 they are equal, at place 1 the means leave -0.1 and 0.1; std 0.0707.
    pair = [Stepped(0, 0.0, ((1.0, 1), (0.5, 1))), Stepped(0, 0.0, ((0.8, 1), (0.7, 1)))]
    std = sqrt(0.02 / 4)
    assert by_step(pair, cumulate="sum", baseline="step_index", epsilon=0.0) == [
        pytest.approx([0.0, -0.1 / std]),
        pytest.approx([0.0, 0.1 / std]),
    ]


def test_progress_measures_first_steps_from_what_they_are_worth_on_average() -> None:
    # Firsts 0.2 and 0.6: the prompt is worth 0.4. Changes: -0.2 +0.5 and +0.2 -0.3; mean 0.05.
    pair = [Stepped(0, 0.0, ((0.2, 1), (0.7, 1))), Stepped(0, 0.0, ((0.6, 1), (0.3, 1)))]
    changes = [-0.2, 0.5, 0.2, -0.3]
    std = sqrt(sum((change - 0.05) ** 2 for change in changes) / 4)
    assert by_step(pair, cumulate="progress", epsilon=0.0) == [
        pytest.approx([(change - 0.05) / std for change in changes[:2]]),
        pytest.approx([(change - 0.05) / std for change in changes[2:]]),
    ]


def test_the_rules_gate_charges_from_the_first_proved_error_on_and_nothing_else() -> None:
    group = [
        Stepped(0, 0.0, ((None, 1), (1.0, 1), (0.0, 2), (1.0, 1), (None, 1)), specials=1),
        Stepped(0, 0.0, ((1.0, 1), (None, 1))),
        Stepped(0, 0.0, ((None, 3),)),
        Stepped(0, None, ((0.0, 1), (0.0, 1))),
    ]
    assert by_step(group, **RULES) == [[0.0, 0.0, -1.0, -1.0, -1.0], [0.0, 0.0], [0.0], [0.0, 0.0]]
    assert gated(group, **RULES)[0, -1].item() == 0.0


def test_a_group_whose_every_step_is_charged_says_nothing() -> None:
    alike = [Stepped(0, 0.0, ((0.0, 1), (1.0, 1))), Stepped(0, 0.0, ((0.0, 2),))]
    assert not gated(alike, **RULES).any()
    assert gate(**tensors_of(alike), **RULES).report.silent == 1


def test_scores_in_minus_one_to_one_make_a_sum_pay_for_right_steps_only() -> None:
    # 2r - 1: steps of 0.5 are worth nothing, so that equal steps of any number are equal credits.
    pair = [Stepped(0, 0.0, ((0.5, 1),) * 2), Stepped(0, 0.0, ((0.5, 1),) * 3)]
    assert not gated(pair, cumulate="sum", symmetric=True).any()
    assert gated(pair, cumulate="sum").any()


@pytest.mark.parametrize("estimator", ["grpo", "dr_grpo", "rloo", "batch_std", "global"])
@pytest.mark.parametrize("form", FORMS)
def test_mixed_groups_are_the_estimators_bit_for_bit(estimator: str, form: str) -> None:
    rollouts = [Stepped(k % 3, [0.0, 1.0, 0.35][k % 2 + (k == 3)], ((0.3, 2), (None, 1), (0.9, 1))) for k in range(9)]
    rollouts += [Stepped(9, 0.0, ((0.1, 1), (0.7, 2))), Stepped(9, 0.0, ((0.6, 1),)), Stepped(0, None, ((1.0, 1),))]
    for dtype in (torch.float32, torch.float64):
        arguments = tensors_of(rollouts)
        arguments["outcome_rewards"] = arguments["outcome_rewards"].to(dtype)
        plain = group_advantages(arguments["outcome_rewards"], arguments["group_ids"], estimator=estimator)
        result = gate(**arguments, estimator=estimator, cumulate=form)
        mixed = [k for k, rollout in enumerate(rollouts) if rollout.group != 9]
        wanted = plain[:, None].where(arguments["completion_mask"], 0)
        assert result.advantages.dtype is dtype
        assert torch.equal(result.advantages[mixed], wanted[mixed])
        assert result.advantages[9].any()


@given(rollout_batches(), st.sampled_from(["grpo", "dr_grpo", "rloo", "global"]), st.sampled_from(SIGNS))
def test_a_gate_that_never_opens_is_the_plain_estimator(rollouts: list[Stepped], estimator: str, sign: str) -> None:
    arguments = tensors_of(rollouts)
    result = gate(**arguments, estimator=estimator, open_on=(), sign=sign)
    plain = group_advantages(arguments["outcome_rewards"], arguments["group_ids"], estimator=estimator)
    assert torch.equal(result.advantages, plain[:, None].where(arguments["completion_mask"], 0))
    assert result.report.opened == {}
    assert result.report.gated_share in (0.0, pytest.approx(nan, nan_ok=True))


def test_the_gate_opens_on_all_wrong_and_tied_groups_unless_told_otherwise() -> None:
    steps = (((0.0, 1), (1.0, 1)), ((1.0, 1), (0.0, 1)))
    outcomes = {0: 0.0, 1: 0.5, 2: 1.0}
    batch = [Stepped(group, outcome, s) for group, outcome in outcomes.items() for s in steps]
    result = gate(**tensors_of(batch), cumulate="none")
    assert (result.report.opened, result.report.closed) == ({"all_wrong": 1, "tied": 1}, {"all_correct": 1})
    assert result.advantages.any(1).tolist() == [True] * 4 + [False] * 2
    only = gate(**tensors_of(batch), cumulate="none", open_on=["all_correct"])
    assert only.advantages.any(1).tolist() == [False] * 4 + [True] * 2


def test_a_bonus_moves_the_estimator_and_never_the_gate() -> None:
    # Both wrong, one with a format bonus: the outcome is degenerate, the reward is not. And a mixed group.
    batch = [*WRONG_PAIR, Stepped(1, 1.0, ((1.0, 1),)), Stepped(1, 0.0, ((1.0, 1),)), Stepped(1, None, ((1.0, 1),))]
    bonus = torch.tensor([0.1, 0.0, 1.0, 0.2, 5.0], dtype=torch.float64)
    arguments = tensors_of(batch)
    plain, shaped = gate(**arguments), gate(**arguments, rewards=bonus)
    assert shaped.report.opened == plain.report.opened == {"all_wrong": 1}
    # The row without an outcome is left out, whatever its bonus: (1.0 - 0.6) / (std(1.0, 0.2) + 1e-4).
    std = sqrt(0.4**2 + 0.4**2)
    assert shaped.advantages[2:, 0].tolist() == pytest.approx([0.4 / (std + 1e-4), -0.4 / (std + 1e-4), 0.0])
    closed = gate(**arguments, rewards=bonus, open_on=())
    assert closed.advantages[0, 0] > 0 > closed.advantages[1, 0]


@given(rollout_batches(), st.sampled_from(FORMS), st.sampled_from(SIGNS), st.data())
def test_rows_without_an_outcome_get_nothing_and_move_nobody(
    rollouts: list[Stepped], form: str, sign: str, data: st.DataObject
) -> None:
    unknown = data.draw(rollout_batches(outcomes=(None,)))
    options = {"cumulate": form, "sign": sign, "scale": "none"}
    plain = by_step(rollouts, **options)
    beside = by_step([*rollouts, *unknown], **options)
    assert beside[: len(rollouts)] == [pytest.approx(row, abs=1e-9) for row in plain]
    assert not any(value for row in beside[len(rollouts) :] for value in row)


@given(rollout_batches(), st.sampled_from(FORMS), st.sampled_from(SIGNS), st.randoms(use_true_random=False))
def test_permuting_rollouts_permutes_advantages(rollouts: list[Stepped], form: str, sign: str, random: Random) -> None:
    order = list(range(len(rollouts)))
    random.shuffle(order)
    plain = gated(rollouts, cumulate=form, sign=sign)
    shuffled = gated([rollouts[k] for k in order], cumulate=form, sign=sign)
    torch.testing.assert_close(shuffled, plain[order], rtol=1e-9, atol=1e-9)


@given(rollout_batches(), st.sampled_from(FORMS), st.sampled_from(SIGNS), st.integers(0, 3))
def test_padding_changes_nothing_whatever_step_it_names(
    rollouts: list[Stepped], form: str, sign: str, columns: int
) -> None:
    plain = gate(**tensors_of(rollouts), cumulate=form, sign=sign)
    padded = gate(**tensors_of(rollouts, columns=columns, filler=99), cumulate=form, sign=sign)
    width = plain.advantages.shape[1]
    assert torch.equal(padded.advantages[:, :width], plain.advantages)
    assert not padded.advantages[:, width:].any()
    assert str(padded.report) == str(plain.report)


@pytest.mark.parametrize("size", [2, 3, 5, 7, 16, 33, 64])
@pytest.mark.parametrize("form", ["none", "mean", "prefix", "progress"])
def test_equal_credits_are_exact_zeros(size: int, form: str) -> None:
    for score in (0.1, 1 / 3, 0.7):
        group = [Stepped(0, 0.35, ((score, 1),) * (1 + k % 5)) for k in range(size)]
        for sign in SIGNS:
            for baseline in ("group", "step_index"):
                assert not gated(group, cumulate=form, sign=sign, baseline=baseline, epsilon=0.0).any()


def test_copies_of_one_rollout_have_nothing_to_tell_apart_at_any_place() -> None:
    # Sums of thirds round: without an exact rule their remainders, standardised, would be advantages of 1.
    for size in range(2, 20):
        group = [Stepped(0, 0.0, ((0.1, 1), (0.2, 1), (0.7, 1)))] * size
        for form in FORMS:
            assert not gated(group, cumulate=form, baseline="step_index", epsilon=0.0).any()


@given(rollout_batches(scores=(None, 0.0, 1.0)), st.sampled_from(["rules", "errors"]), st.data())
def test_adding_true_steps_never_pays_and_moves_nobody_under_the_rules_gate(
    rollouts: list[Stepped], mode: str, data: st.DataObject
) -> None:
    options = gate_mode(mode).options()
    row = data.draw(st.integers(0, len(rollouts) - 1))
    spammed = rollouts[row]
    added: list[int] = []  # places of the added steps in the longer rollout
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(spammed.steps)))
        spammed = spammed.with_step(place, 1.0, data.draw(st.integers(1, 5)))
        added = [step + (step >= place) for step in added] + [place]
    longer = [*rollouts[:row], spammed, *rollouts[row + 1 :]]
    arguments = tensors_of(rollouts)
    is_degenerate = group_kind_of(rollouts, rollouts[row].group) in ("all_wrong", "tied")
    assume(is_degenerate)

    before, after = gate(**arguments, **options), gate(**tensors_of(longer), **options)
    assert (after.advantages[row] <= 0).all()
    steps_before, steps_after = by_step(rollouts, **options), by_step(longer, **options)
    own = [value for step, value in enumerate(steps_after[row]) if step not in added]
    others_after = [*steps_after[:row], own, *steps_after[row + 1 :]]
    if before.report.silent == after.report.silent:
        # Mixed groups are measured in tokens of their own, so not even the scale moves.
        assert others_after == [pytest.approx(values, abs=1e-12) for values in steps_before]
    else:
        # Every step of the group was charged, and nothing could be told apart: now some are, none is paid.
        for mine, theirs in zip(others_after, steps_before, strict=True):
            assert all(
                new == pytest.approx(old) or (old == 0 and new < 0) for new, old in zip(mine, theirs, strict=True)
            )


def group_kind_of(rollouts: Sequence[Stepped], group: int) -> str:
    return group_kinds([r.outcome for r in rollouts], [r.group for r in rollouts]).of(group)


def test_under_the_papers_sum_the_same_spam_is_paid() -> None:
    # Three added truths lift the rollout's first tokens from below its sibling's to far above: why rules veto.
    plain = [Stepped(0, 0.0, ((1.0, 1), (0.0, 1))), Stepped(0, 0.0, ((1.0, 1), (1.0, 1), (0.0, 1)))]
    spammed = [Stepped(0, 0.0, ((1.0, 1),) * 4 + ((0.0, 1),)), plain[1]]
    before, after = by_step(plain, cumulate="sum"), by_step(spammed, cumulate="sum")
    assert before[0][0] < before[1][0]
    assert after[0][0] > after[1][0] > 0


@given(rollout_batches(), st.sampled_from(FORMS), st.sampled_from(["group", "step_index"]))
def test_each_sign_keeps_to_its_side(rollouts: list[Stepped], form: str, baseline: str) -> None:
    options = {"cumulate": form, "baseline": baseline}
    arguments = tensors_of(rollouts)
    opened = [k for k, r in enumerate(rollouts) if group_kind_of(rollouts, r.group) in ("all_wrong", "tied")]
    assert (gate(**arguments, sign="nonpositive", **options).advantages[opened] <= 0).all()
    assert (gate(**arguments, sign="nonnegative", **options).advantages[opened] >= 0).all()
    prefix = by_step(rollouts, sign="prefix", **options)
    for k in opened:
        wrong = min((j for j, (s, _) in enumerate(rollouts[k].steps) if s is not None and s < 0.5), default=99)
        assert all(value >= 0 if step < wrong else value <= 0 for step, value in enumerate(prefix[k]))


MIXED_PAIR = [Stepped(5, 1.0, ((None, 3),)), Stepped(5, 0.0, ((None, 5),))]


def rms(values: Tensor) -> float:
    return values.square().mean().sqrt().item()


@pytest.mark.parametrize("estimator", ["grpo", "dr_grpo", "rloo"])
def test_gated_tokens_have_the_rms_of_mixed_ones_or_of_those_before(estimator: str) -> None:
    arguments = tensors_of([*WRONG_PAIR, *MIXED_PAIR])
    first = gate(**arguments, estimator=estimator)
    mask = arguments["completion_mask"]
    assert rms(first.advantages[:2][mask[:2]]) == pytest.approx(rms(first.advantages[2:][mask[2:]]), rel=1e-12)
    assert first.report.scale_source == "batch"
    later = gate(**tensors_of(WRONG_PAIR), estimator=estimator, scale_state=first.scale_state)
    assert later.report.scale_source == "running"
    torch.testing.assert_close(later.advantages, first.advantages[:2, :4])
    assert later.scale_state == first.scale_state
    alone = gate(**tensors_of(WRONG_PAIR), estimator=estimator)
    assert (alone.report.scale_source, alone.report.scale_factor) == ("unknown", 1.0)
    unscaled = gate(**arguments, estimator=estimator, scale="none")
    assert (unscaled.report.scale_source, unscaled.report.scale_factor) == ("none", 1.0)
    torch.testing.assert_close(unscaled.advantages[:2, :4], alone.advantages)


def test_silent_groups_and_steps_that_were_let_be_make_nobody_louder() -> None:
    quiet = [Stepped(7, 0.0, ((0.5, 9),)), Stepped(7, 0.0, ((0.5, 9),))]
    for options in ({"cumulate": "none"}, RULES):
        loud = by_step([*WRONG_PAIR, *MIXED_PAIR], **options)
        beside = by_step([*WRONG_PAIR, *MIXED_PAIR, *quiet], **options)
        assert beside[:2] == [pytest.approx(row) for row in loud[:2]]
    longer = [replace(WRONG_PAIR[0], steps=((1.0, 50), (0.0, 1))), *WRONG_PAIR[1:], *MIXED_PAIR]
    assert by_step(longer, **RULES)[:2] == by_step([*WRONG_PAIR, *MIXED_PAIR], **RULES)[:2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome_rewards": torch.zeros(2, 2)}, r"outcome_rewards: expected shape \(B,\), got \(2, 2\)"),
        ({"group_ids": torch.zeros(2)}, "group_ids: expected an integer dtype, got float32"),
        ({"step_rewards": torch.zeros(2)}, r"step_rewards: expected shape \(B, S\), got \(2,\)"),
        ({"step_rewards": torch.zeros(3, 2)}, r"step_rewards: expected one row an outcome \(2\), got 3"),
        ({"step_rewards": torch.ones(2, 2) / 0}, "step_rewards: expected finite numbers or NaN, got inf at 0, 0"),
        ({"step_ids": torch.zeros(2, 3)}, "step_ids: expected an integer dtype, got float32"),
        ({"step_ids": torch.zeros(2, 4).long()}, r"step_ids: expected shape \(2, 3\) as completion_mask, got \(2, 4\)"),
        ({"step_ids": torch.full((2, 3), 2)}, "step_ids: expected -1 or a step below S = 2, got 2 at 0, 0"),
        ({"step_ids": torch.full((2, 3), -2)}, "step_ids: expected -1 or a step below S = 2, got -2 at 0, 0"),
        ({"completion_mask": torch.ones(2, 3)}, "completion_mask: expected dtype bool, got float32"),
        ({"rewards": torch.zeros(3)}, r"rewards: expected shape \(2,\) as outcome_rewards, got \(3,\)"),
        ({"open_on": ("mixed",)}, "open_on: expected kinds of all_wrong, tied, all_correct, got 'mixed'"),
        ({"open_on": "tied"}, "open_on: expected a sequence of kinds, got the string 'tied'"),
        ({"cumulate": "max"}, "cumulate: expected one of sum, none, mean, .*, got 'max'"),
        ({"sign": "positive"}, "sign: expected one of free, nonpositive, prefix, nonnegative, got 'positive'"),
        ({"scale": "rms"}, "scale: expected one of match, none, got 'rms'"),
        ({"baseline": "token"}, "baseline: expected one of group, step_index, got 'token'"),
        ({"gamma": 1.5}, r"gamma: expected a number in \[0, 1\], got 1.5"),
        ({"temperature": 0}, "temperature: expected a positive number, got 0"),
        ({"threshold": 1.0}, r"threshold: expected a number in \(0, 1\), got 1.0"),
        ({"ddof": 2}, "ddof: expected 0 or 1, got 2"),
        ({"epsilon": -1.0}, "epsilon: expected a finite number of at least 0, got -1.0"),
        ({"wrong_at": 1.0}, "wrong_at: expected a number below correct_at = 1.0, got 1.0"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(change: dict[str, object], message: str) -> None:
    given = {
        "outcome_rewards": torch.zeros(2),
        "group_ids": torch.zeros(2, dtype=torch.int64),
        "step_rewards": torch.zeros(2, 2),
        "step_ids": torch.zeros(2, 3, dtype=torch.int64),
        "completion_mask": torch.ones(2, 3, dtype=torch.bool),
        **change,
    }
    with pytest.raises(ArgumentError, match=message):
        gate(**given)
    assert len(change) == 1


def test_what_padding_names_is_not_checked_and_an_empty_batch_is_one() -> None:
    arguments = tensors_of(WRONG_PAIR, columns=1, filler=-77)
    assert gate(**arguments).advantages.shape == (2, 5)
    empty = gate(**tensors_of([]))
    assert (empty.advantages.shape, empty.report.tokens, empty.report.opened) == ((0, 0), 0, {})
    bare = gate(**tensors_of([Stepped(0, 0.0, (), specials=2), Stepped(0, 0.0, (), specials=1)]))
    assert (bare.report.silent, bare.advantages.any().item()) == (1, False)


def test_scores_outside_0_and_1_are_refused_where_a_threshold_is_asked_and_summed_elsewhere() -> None:
    outcome, ids = torch.zeros(2), torch.zeros(2).long()
    steps, tokens, mask = (
        torch.tensor([[-100.0, 1.0], [0.0, 1.0]]),
        torch.tensor([[0, 1], [0, 1]]),
        torch.ones(2, 2).bool(),
    )
    with pytest.raises(ArgumentError, match=r"step_rewards: expected numbers in \[0, 1\]"):
        gate(outcome, ids, steps, tokens, mask, **gate_mode("errors").options())
    assert gate(outcome, ids, steps, tokens, mask).advantages[0, 0] < 0


def test_an_infinite_outcome_and_unsigned_step_ids_are_named() -> None:
    steps, tokens, mask = torch.ones(1, 2), torch.tensor([[0, 1]], dtype=torch.uint8), torch.ones(1, 2).bool()
    with pytest.raises(ArgumentError, match="outcome_rewards: expected finite"):
        gate(torch.tensor([torch.inf]), torch.tensor([0]), steps, tokens, mask)
    assert gate(torch.tensor([0.0]), torch.tensor([0]), steps, tokens, mask).advantages.shape == (1, 2)
