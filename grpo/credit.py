"""From step rewards to step credit: what a step is worth, given those around it.

    form          credit of step j of a rollout (r = its steps' rewards, k runs over the counted steps)
    none          r_j
    sum           Σ_{k ≥ j} r_k                       VeriGate's future-cumulated reward
    mean          the mean of r_k over k ≥ j          the same without a reward for more steps
    discounted    Σ_{k ≥ j} gamma^(k - j) r_k
    min           Σ_{k ≥ j} w_k r_k, w = softmax(-r / temperature) over the rollout     PURE
    prefix        1 before the first wrong step, 0 from it on                           VPPO
    progress      r_j minus the reward of the step before                               PAV

`sum` pays for length: with rewards in [0, 1] every further step adds to the credit of those before it, whatever it
is worth. Which form suits which scorer: `gate_config`.

Credits are (B, S), float64, NaN = none (no score, or no such step). What they become within their group is the
question of `standardising`, what tokens get that of `gate`.
"""

from typing import Literal

import torch
from torch import Tensor

from ..errors import ArgumentError

__all__ = ["Cumulate", "filled_from_right", "is_after_error", "one_sided_credits", "step_credits"]

Cumulate = Literal["sum", "none", "mean", "discounted", "min", "prefix", "progress"]


def step_credits(
    step_rewards: Tensor,
    *,
    cumulate: Cumulate = "sum",
    gamma: float = 0.9,
    temperature: float = 0.1,
    threshold: float = 0.5,
    start: Tensor | None = None,
) -> Tensor:
    """Credit of every scored step of every rollout. Unscored steps add nothing, and are no step for the mean.

    Args:
        step_rewards: (B, S), NaN = no score.
        cumulate: the form, see the head of this file.
        gamma: in [0, 1], for `"discounted"`; a step apart is a column apart, scored or not.
        temperature: positive, for `"min"`. PURE's 0.1 is meant for rewards in [-1, 1].
        threshold: for `"prefix"`: a step below it is wrong.
        start: (B,), for `"progress"`: what the prompt is worth before the first step; None: 0.

    Returns:
        (B, S) float64, NaN where step_rewards is.

    Raises:
        ArgumentError: an unknown form.

    Source:
        sum: VeriGate (arXiv 2605.30451). min: PURE's code, softmax over the scores of all steps of a rollout.
        prefix: VPPO (arXiv 2601.18984) locates the first error, penalises after it and rewards what stands
        before; it does not state the weights, and here they do not matter, because two values standardise to
        the same two. progress: PAV (arXiv 2410.08146), where rewards estimate the chance of success. The rest
        is ours.

    Example:
        >>> rewards = torch.tensor([[1.0, torch.nan, 0.0, 1.0]])
        >>> for form in ("none", "sum", "mean", "prefix", "progress"):
        ...     print(form, step_credits(rewards, cumulate=form).tolist())
        none [[1.0, nan, 0.0, 1.0]]
        sum [[2.0, nan, 1.0, 1.0]]
        mean [[0.6666666666666666, nan, 0.5, 1.0]]
        prefix [[1.0, nan, 0.0, 0.0]]
        progress [[1.0, nan, -1.0, 1.0]]
    """
    rewards = step_rewards.double()
    if not rewards.numel():
        return rewards
    is_scored = ~rewards.isnan()
    known = rewards.where(is_scored, 0.0)
    if cumulate == "none":
        credit = known
    elif cumulate == "sum":
        credit = _future_sum(known)
    elif cumulate == "mean":
        # Measured from the rollout's lowest reward: the mean of equal rewards is that reward, not one bit beside it.
        lowest = rewards.where(is_scored, torch.inf).amin(1, keepdim=True)
        above = (rewards - lowest).where(is_scored, 0.0)
        credit = lowest + _future_sum(above) / _future_sum(is_scored.double()).clamp(min=1)
    elif cumulate == "discounted":
        credit = torch.empty_like(known)
        after = known.new_zeros(len(known))
        for step in reversed(range(known.shape[1])):
            # c_j = r_j + gamma c_{j+1}
            after = known[:, step] + gamma * after
            credit[:, step] = after
    elif cumulate == "min":
        weights = (-rewards / temperature).where(is_scored, -torch.inf).softmax(1)
        credit = _future_sum((weights * known).where(is_scored, 0.0))
    elif cumulate == "prefix":
        credit = (~is_after_error(rewards, threshold=threshold)).double()
    elif cumulate == "progress":
        credit = known - _reward_before(rewards, start)
    else:
        raise ArgumentError(
            f"cumulate: expected sum, none, mean, discounted, min, prefix or progress, got {cumulate!r}"
        )
    return credit.where(is_scored, torch.nan)


def one_sided_credits(
    step_rewards: Tensor,
    is_step: Tensor,
    *,
    sign: Literal["nonpositive", "nonnegative"],
    cumulate: Cumulate = "prefix",
    gamma: float = 0.9,
    temperature: float = 0.1,
    threshold: float = 0.5,
    start: Tensor | None = None,
) -> Tensor:
    """Credit of every step that is never paid, or never charged, with 0 for what is not known.

    A step counts by what it lacks of the threshold (0 down to -1), or has above it (0 up to 1); at or beyond the
    threshold, and unscored, it counts exactly 0. So a step proved right, however often it is added, earns nothing
    under `"nonpositive"` and changes the sum of no other step.

    `"prefix"` charges -1 from the first wrong step on; under `"nonnegative"` it pays 1 for the steps scored right
    before that one. `"progress"` counts the losses, or the gains.

    Args:
        step_rewards: (B, S) in [0, 1], NaN = no score.
        is_step: (B, S) True marks the steps that a rollout has.
        sign: which side.
        cumulate, gamma, temperature, start: as in `step_credits`; here the mean runs over unscored steps too.
        threshold: in (0, 1).

    Returns:
        (B, S) float64, NaN where there is no step.

    Source:
        ours.

    Example:
        >>> rewards = torch.tensor([[torch.nan, 1.0, 0.0, torch.nan, torch.nan]])
        >>> steps = torch.tensor([[True, True, True, True, False]])
        >>> one_sided_credits(rewards, steps, sign="nonpositive").tolist()
        [[0.0, 0.0, -1.0, -1.0, nan]]
        >>> one_sided_credits(rewards, steps, sign="nonpositive", cumulate="none").tolist()
        [[0.0, 0.0, -1.0, 0.0, nan]]
    """
    rewards = step_rewards.double()
    is_charge = sign == "nonpositive"
    if cumulate == "prefix":
        after = is_after_error(rewards, threshold=threshold)
        credit = -after.double() if is_charge else (~after & (rewards >= threshold)).double()
    elif cumulate == "progress":
        change = step_credits(rewards, cumulate=cumulate, start=start).nan_to_num(0.0)
        credit = change.clamp(max=0) if is_charge else change.clamp(min=0)
    else:
        lack, excess = rewards / threshold - 1, (rewards - threshold) / (1 - threshold)
        side = lack.clamp(max=0) if is_charge else excess.clamp(min=0)
        counted = side.nan_to_num(0.0).where(is_step, torch.nan)
        credit = step_credits(counted, cumulate=cumulate, gamma=gamma, temperature=temperature)
    return (credit + 0.0).where(is_step, torch.nan)  # + 0.0: a -0.0 is no charge


def is_after_error(step_rewards: Tensor, *, threshold: float) -> Tensor:
    """(B, S) True marks a rollout's first wrong step (scored below the threshold) and every one behind it.

    Example:
        >>> is_after_error(torch.tensor([[1.0, 0.2, torch.nan, 0.9]]), threshold=0.5).tolist()
        [[False, True, True, True]]
    """
    return (step_rewards < threshold).cumsum(1) > 0  # NaN is not below anything


def filled_from_right(values: Tensor) -> Tensor:
    """(B, S) with every NaN replaced by the next number to its right; NaN where there is none.

    Example:
        >>> filled_from_right(torch.tensor([[torch.nan, 1.0, torch.nan, 2.0, torch.nan]])).tolist()
        [[1.0, 1.0, 2.0, 2.0, nan]]
    """
    n_steps = values.shape[1]
    if not values.numel():
        return values
    beyond = torch.nn.functional.pad(values, (0, 1), value=torch.nan)  # (B, S + 1): nothing stands to the right
    columns = torch.arange(n_steps, device=values.device).expand_as(values)
    known = columns.where(~values.isnan(), n_steps)
    return beyond.gather(1, known.flip(1).cummin(1).values.flip(1))


def _future_sum(values: Tensor) -> Tensor:
    return values.flip(1).cumsum(1).flip(1)


def _reward_before(rewards: Tensor, start: Tensor | None) -> Tensor:
    """(B, S) the last reward to the left of every step, `start` where there is none."""
    first = rewards.new_zeros(len(rewards)) if start is None else start.to(rewards)
    from_start = torch.cat([first[:, None], rewards], dim=1)  # (B, S + 1)
    return filled_from_right(from_start.flip(1)).flip(1)[:, :-1]
