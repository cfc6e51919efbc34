"""The gate: outcomes own correctness, step scores speak where a group's outcomes say nothing.

What the tokens of a rollout get, by the kind of its group:

    mixed         the estimator's advantage of the rollout
    opened        the credit of their step, normalised over the group's steps
    any other     the estimator's (exact zeros from the group-centred ones)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import torch
from torch import Tensor

from ..diagnostics import GroupKind
from ..errors import ArgumentError
from .advantages import group_advantages
from .credit import Cumulate, filled_from_right, is_after_error, one_sided_credits, step_credits
from .gate_config import GateConfig, Sign
from .gate_report import GateReport, gate_report
from .scale import Scale, ScaleState, matching_factor
from .scored import ScoredRows, scored_rows
from .shapes import (
    Groups,
    check_integers,
    check_known,
    check_mask,
    check_numbers,
    check_rank,
    check_same_shape,
)
from .standardising import Baseline, centred_credits, differ_in_group, standardised_credits
from .step_tokens import count_step_tokens, spread_over_tokens

__all__ = ["GatedAdvantages", "gate"]


@dataclass(frozen=True, slots=True, eq=False)
class GatedAdvantages:
    """Token advantages, what the gate did, and what the next batch needs to know.

    Args:
        advantages: (B, T), 0 where the mask is False.
        report: figures of this batch.
        scale_state: pass it to the next call.
    """

    advantages: Tensor
    report: GateReport
    scale_state: ScaleState


def gate(
    outcome_rewards: Tensor,
    group_ids: Tensor,
    step_rewards: Tensor,
    step_ids: Tensor,
    completion_mask: Tensor,
    *,
    rewards: Tensor | None = None,
    estimator: str = "grpo",
    estimator_options: Mapping[str, Any] | None = None,
    open_on: Sequence[str] = ("all_wrong", "tied"),
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
    cumulate: Cumulate = "sum",
    gamma: float = 0.9,
    temperature: float = 0.1,
    threshold: float = 0.5,
    symmetric: bool = False,
    baseline: Baseline = "group",
    ddof: int = 0,
    epsilon: float = 1e-6,
    sign: Sign = "free",
    scale: Scale = "match",
    scale_state: ScaleState | None = None,
) -> GatedAdvantages:
    """Token advantages (B, T): the estimator's where outcomes differ, step credit where the group is open.

    The defaults are the paper's, VeriGate's future-cumulated sum, which pays for every further step. For a
    scorer that proves steps wrong take `**gate_mode("rules").options()`: it charges from the first proved error
    on, pays nothing, and lets a rollout gain nothing by added truths.

    In an open group
    - credits are formed within each rollout (`cumulate`), standardised over all scored steps of the group, and
      given to every token of their step. All credits equal: exact zeros;
    - a token of an unscored step takes the credit of the next scored step to its right, 0 if there is none. Under
      a one-signed gate unscored steps have a credit of their own instead: nobody is charged, or paid, for a step
      that stands before the one that was judged;
    - a token of no step (-1), and a row without an outcome, get 0. That row's steps do not count for its siblings.

    Under `sign="nonpositive"` credits are not centred: a mean would pay the untouched steps, and would move with
    each truth that is added. What remains relative is the silence of a group whose steps are all charged alike.

    Args:
        outcome_rewards: (B,) of the verifier alone, raw, NaN = no outcome. What opens the gate.
        group_ids: (B,) integers; groups may be ragged and interleaved.
        step_rewards: (B, S), NaN = no score (or no such step); in [0, 1], read as the chance that the step is right,
            wherever a threshold is asked (`sign`, `symmetric`, `cumulate="prefix"`). Not read outside open groups.
        step_ids: (B, T) integers, the step 0..S-1 that a token belongs to, -1 = none. Not read under a False mask.
        completion_mask: (B, T) bool, True = counts.
        rewards: (B,) what the estimator compares, where it is more than the outcome (a format bonus, a KL); rows
            without an outcome are left out of it. None: outcome_rewards.
        estimator: a name of `estimators`, with `estimator_options`.
        open_on, correct_at, wrong_at, cumulate, gamma, temperature, threshold, symmetric, baseline, ddof, epsilon,
            sign, scale: see `GateConfig`.
        scale_state: as the last call returned it, for batches without a mixed group.

    Returns:
        Advantages in the dtype of the estimator's, on the device of the mask, without a graph; and the report.

    Raises:
        ArgumentError: shapes or dtypes other than stated, infinite rewards, step rewards outside [0, 1] where that is
            asked, a step id outside -1..S-1 under a True of the mask, or an option outside its range.
        UnknownNameError: no estimator has that name.

    Source:
        VeriGate (arXiv 2605.30451), of which we know formulas second-hand. It leaves open: ddof and epsilon (ours 0
        and 1e-6), whether tied groups open (ours do), and what becomes of unscored steps. Signs and scale are ours.

    Example:
        Two rollouts of one prompt, both wrong; the second loses its way in its second step.

        >>> outcome, groups = torch.tensor([0.0, 0.0]), torch.tensor([0, 0])
        >>> steps = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
        >>> tokens = torch.tensor([[0, 0, 1, -1], [0, 1, 1, -1]])
        >>> mask = torch.tensor([[True, True, True, True], [True, True, True, False]])
        >>> gate(outcome, groups, steps, tokens, mask, cumulate="prefix", sign="nonpositive").advantages
        tensor([[ 0.,  0.,  0.,  0.],
                [ 0., -1., -1.,  0.]])
        >>> gate(outcome, groups, steps, tokens, mask, cumulate="sum").advantages
        tensor([[ 1.4142,  1.4142,  0.0000,  0.0000],
                [ 0.0000, -1.4142, -1.4142,  0.0000]])
    """
    config = GateConfig(
        estimator=estimator,
        estimator_options=estimator_options or {},
        open_on=open_on,
        correct_at=correct_at,
        wrong_at=wrong_at,
        cumulate=cumulate,
        gamma=gamma,
        temperature=temperature,
        threshold=threshold,
        symmetric=symmetric,
        baseline=baseline,
        ddof=ddof,
        epsilon=epsilon,
        sign=sign,
        scale=scale,
    )
    check_integers("step_ids", step_ids)
    step_ids = step_ids.long()  # an unsigned dtype has no -1 to compare with
    _check_tensors(outcome_rewards, rewards, step_rewards, step_ids, completion_mask)
    by_row = _row_advantages(outcome_rewards, group_ids, rewards, config)  # (B,)
    outcomes = scored_rows(outcome_rewards, group_ids, correct_at=correct_at, wrong_at=wrong_at)
    groups, has_outcome = outcomes.groups, torch.as_tensor(outcomes.is_scored)
    is_open = _is_kind(outcomes, config.open_on)  # (N,)
    is_open_row = groups.spread(is_open) & has_outcome  # (B,)

    # What concerns steps is (B, S), float64, on the CPU; (B, T) is touched to count tokens and to spread over them.
    step_tokens = count_step_tokens(step_ids, completion_mask, step_rewards.shape[1])  # (B, S)
    row_tokens = completion_mask.sum(1).cpu()  # (B,)
    scores = step_rewards.detach().cpu().double().where(is_open_row[:, None], nan)
    _check_scores(scores, config)
    is_step = ((step_tokens > 0) | ~scores.isnan()) & is_open_row[:, None]
    credit = _credit(scores, is_step, groups, config)  # (B, S)

    mixed_tokens = row_tokens * (groups.spread(_is_kind(outcomes, [GroupKind.MIXED])) & has_outcome)
    mixed = _mean_square(by_row.cpu().double(), mixed_tokens)
    state = ScaleState() if scale_state is None else scale_state
    factor, source = 1.0, "none"
    if scale == "match":
        gated = _mean_square(credit, step_tokens * _weighs(credit, groups, sign))
        factor, source = matching_factor(gated, mixed, state)
    by_step = credit.nan_to_num(0.0) * factor
    report = gate_report(
        outcomes, is_open, scores, by_step, step_tokens, row_tokens, scale_factor=factor, scale_source=source
    )
    advantages = spread_over_tokens(by_row, by_step, is_open_row, step_ids, completion_mask)
    return GatedAdvantages(advantages, report, state.updated(mixed))


def _row_advantages(outcome: Tensor, group_ids: Tensor, rewards: Tensor | None, config: GateConfig) -> Tensor:
    # Without an outcome nothing of a row may count, whatever else it was rewarded for.
    compared = outcome if rewards is None else rewards.where(~outcome.isnan(), nan)
    return group_advantages(compared, group_ids, estimator=config.estimator, **config.estimator_options)


def _is_kind(outcomes: ScoredRows, kinds: Sequence[str]) -> Tensor:
    """(N,) True marks the groups of one of these kinds."""
    is_kind = torch.zeros(len(outcomes.groups), dtype=torch.bool)
    for kind in kinds:
        is_kind |= torch.as_tensor(outcomes.judgement.is_kind(GroupKind(kind)))
    return is_kind


def _credit(scores: Tensor, is_step: Tensor, groups: Groups, config: GateConfig) -> Tensor:
    """(B, S) advantages of steps before they are scaled, NaN where nothing is given."""
    rewards = 2 * scores - 1 if config.symmetric and config.sign in ("free", "prefix") else scores
    # Of prefix, the threshold is for scores; it has two values, which standardise to the same two either way.
    rewards = scores if config.cumulate == "prefix" else rewards
    form = {
        "cumulate": config.cumulate,
        "gamma": config.gamma,
        "temperature": config.temperature,
        "threshold": config.threshold,
        "start": _before_any_step(rewards, groups) if config.cumulate == "progress" else None,
    }
    if config.sign in ("nonpositive", "nonnegative"):
        credit = one_sided_credits(rewards, is_step, sign=config.sign, **form)
        heard = differ_in_group(credit, groups)[groups.index][:, None]
        return credit.where(heard | credit.isnan(), 0.0)
    credit = step_credits(rewards, **form)
    credit = standardised_credits(credit, groups, baseline=config.baseline, ddof=config.ddof, epsilon=config.epsilon)
    credit = filled_from_right(credit)
    if config.sign == "prefix":
        is_after = is_after_error(scores, threshold=config.threshold)
        credit = torch.where(is_after, credit.clamp(max=0), credit.clamp(min=0))
    return credit


def _before_any_step(rewards: Tensor, groups: Groups) -> Tensor:
    """(B,) what the prompt is worth: the mean over the group of its rollouts' first scores (where they estimate a
    value, its value before the step is their expectation)."""
    first = filled_from_right(rewards)[:, :1]
    # Where the first scores are equal, an exact 0 is left of each.
    return (first - centred_credits(first, groups)).sum(1)


def _weighs(credit: Tensor, groups: Groups, sign: Sign) -> Tensor:
    """(B, S) True marks the steps whose tokens count for the scale: not those of a silent group and, under a sign,
    not those that were left alone. Each of them would make the others louder."""
    if sign != "free":
        return credit.nan_to_num(0.0) != 0
    return ~credit.isnan() & differ_in_group(credit, groups)[groups.index][:, None]


def _mean_square(values: Tensor, tokens: Tensor) -> float:
    """Mean of the squares of `values` over tokens; NaN where there is no token."""
    total = tokens.sum().item()
    return ((values.nan_to_num(0.0).square() * tokens).sum() / total).item() if total else nan


def _check_tensors(
    outcome_rewards: Tensor, rewards: Tensor | None, step_rewards: Tensor, step_ids: Tensor, completion_mask: Tensor
) -> None:
    check_numbers("outcome_rewards", outcome_rewards)
    check_rank("outcome_rewards", outcome_rewards, "(B,)")
    check_known("outcome_rewards", outcome_rewards)
    if rewards is not None:
        check_numbers("rewards", rewards)
        check_same_shape("rewards", rewards, "outcome_rewards", outcome_rewards)
    check_mask("completion_mask", completion_mask)
    check_rank("completion_mask", completion_mask, "(B, T)")
    check_same_shape("step_ids", step_ids, "completion_mask", completion_mask)
    check_numbers("step_rewards", step_rewards)
    check_rank("step_rewards", step_rewards, "(B, S)")
    check_known("step_rewards", step_rewards)
    rows = len(outcome_rewards)
    for name, tensor in (("step_rewards", step_rewards), ("completion_mask", completion_mask)):
        if len(tensor) != rows:
            raise ArgumentError(f"{name}: expected one row an outcome ({rows}), got {len(tensor)}")
    n_steps = step_rewards.shape[1]
    is_wrong = completion_mask & ((step_ids < -1) | (step_ids >= n_steps))
    for row, token in is_wrong.nonzero().tolist()[:1]:
        raise ArgumentError(
            f"step_ids: expected -1 or a step below S = {n_steps}, got {int(step_ids[row, token])} at {row}, {token}"
        )


def _check_scores(scores: Tensor, config: GateConfig) -> None:
    """Refuse scores (B, S) outside [0, 1] where they are compared with a threshold; a sum takes any."""
    if config.sign == "free" and config.cumulate != "prefix" and not config.symmetric:
        return
    for row, step in ((scores < 0) | (scores > 1)).nonzero().tolist()[:1]:
        raise ArgumentError(
            f"step_rewards: expected numbers in [0, 1] for cumulate={config.cumulate!r}, sign={config.sign!r}, got "
            f"{scores[row, step].item()} at {row}, {step}"
        )
