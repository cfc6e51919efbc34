"""What the gate did with a batch: which groups opened, how much was said there, and on which side it errs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import torch
from torch import Tensor

from ..diagnostics import GroupKind
from .scored import ScoredRows
from .shapes import Groups

__all__ = ["GateReport", "gate_report"]


@dataclass(frozen=True, slots=True)
class GateReport:
    """Figures of one batch. NaN where there is nothing to count.

    *Tokens* are those under a True of the mask. *Opened* rows are the rows with an outcome of opened groups.
    Shares of steps count steps with at least one token.

    Args:
        opened, closed: groups by kind, those with none left out.
        silent: opened groups where every advantage is 0: no step scored, or all credits equal.
        tokens: of the batch.
        opened_share: share of them in opened rows.
        gated_share: share of them that the gate gave an advantage other than 0.
        coverage: share of the steps of opened rows that have a score.
        sign_balance: (positive - negative) / (positive + negative) gated tokens: 1 = only paid, -1 = only charged.
        length_bias: correlation, in [-1, 1], of a rollout's mean token advantage with its number of tokens, both
            as differences from the mean of their group, over opened groups that are not silent. Positive: longer
            rollouts are paid. 0 where all opened groups are silent; NaN where no group has rollouts of two lengths.
        valid_negative_share: where all step scores are 0 or 1: share of the steps scored 1 whose advantage is
            below 0.
        invalid_positive_share: likewise, of the steps scored 0 whose advantage is above 0.
        scale_factor: what credits were multiplied by.
        scale_source: `"batch"`: to match the mixed groups of this batch; `"running"`: of those before it;
            `"unknown"`: there were none yet, the factor is 1; `"none"`: no matching was asked for.
    """

    opened: Mapping[str, int]
    closed: Mapping[str, int]
    silent: int
    tokens: int
    opened_share: float
    gated_share: float
    coverage: float
    sign_balance: float
    length_bias: float
    valid_negative_share: float
    invalid_positive_share: float
    scale_factor: float
    scale_source: str


def gate_report(
    outcomes: ScoredRows,
    is_open: Tensor,
    step_rewards: Tensor,
    step_advantages: Tensor,
    step_tokens: Tensor,
    row_tokens: Tensor,
    *,
    scale_factor: float,
    scale_source: str,
) -> GateReport:
    """The report, from what the gate knows of steps; all tensors on the CPU.

    Args:
        outcomes: judged outcome rewards, N groups.
        is_open: (N,) True marks the opened groups.
        step_rewards: (B, S), NaN = no score.
        step_advantages: (B, S) as given to tokens, 0 where nothing was.
        step_tokens: (B, S) tokens of every step; row_tokens: (B,) tokens of every row, those of no step included.
        scale_factor, scale_source: as in the report.
    """
    groups = outcomes.groups
    is_open_row = groups.spread(is_open) & torch.as_tensor(outcomes.is_scored)  # (B,)
    is_step = (step_tokens > 0) & is_open_row[:, None]
    is_scored = is_step & ~step_rewards.isnan()
    paid, charged = ((step_tokens * marks).sum().item() for marks in (step_advantages > 0, step_advantages < 0))
    tokens = int(row_tokens.sum())
    speaks = groups.sums(((step_advantages != 0) & is_step).any(1).double()) > 0  # (N,)
    valid, invalid = _binary_shares(step_rewards[is_scored], step_advantages[is_scored])
    return GateReport(
        opened=_by_kind(outcomes, is_open),
        closed=_by_kind(outcomes, ~is_open),
        silent=int((is_open & ~speaks).sum()),
        tokens=tokens,
        opened_share=_share(row_tokens[is_open_row].sum().item(), tokens),
        gated_share=_share(paid + charged, tokens),
        coverage=_share(is_scored.sum().item(), is_step.sum().item()),
        sign_balance=_share(paid - charged, paid + charged),
        length_bias=_length_bias(groups, is_open_row, speaks, step_advantages, step_tokens, row_tokens),
        valid_negative_share=valid,
        invalid_positive_share=invalid,
        scale_factor=scale_factor,
        scale_source=scale_source,
    )


def _by_kind(outcomes: ScoredRows, marks: Tensor) -> dict[str, int]:
    is_kind = {kind: torch.as_tensor(outcomes.judgement.is_kind(kind)) for kind in GroupKind}
    return {
        str(kind): int((of_kind & marks).sum()) for kind, of_kind in is_kind.items() if bool((of_kind & marks).any())
    }


def _binary_shares(rewards: Tensor, advantages: Tensor) -> tuple[float, float]:
    """Shares of steps scored 1 that are charged, and of steps scored 0 that are paid; NaN where scores are graded."""
    is_valid, is_invalid = rewards == 1, rewards == 0
    if not bool((is_valid | is_invalid).all()):
        return nan, nan
    wrongly_charged = (is_valid & (advantages < 0)).sum().item()
    wrongly_paid = (is_invalid & (advantages > 0)).sum().item()
    return _share(wrongly_charged, is_valid.sum().item()), _share(wrongly_paid, is_invalid.sum().item())


def _length_bias(
    groups: Groups, opened: Tensor, speaks: Tensor, step_advantages: Tensor, step_tokens: Tensor, row_tokens: Tensor
) -> float:
    counted = opened & (row_tokens > 0)
    length = row_tokens.double()
    mean_advantage = (step_advantages * step_tokens).sum(1) / length.clamp(min=1)
    size = groups.sums(counted.double()).clamp(min=1)

    def within_group(values: Tensor) -> Tensor:
        values = values.where(counted, 0.0)
        return (values - groups.spread(groups.sums(values) / size)).where(counted, 0.0)

    by_length, by_advantage = within_group(length), within_group(mean_advantage)
    if not bool((by_length != 0).any()):
        return nan
    heard = groups.spread(speaks)
    by_length, by_advantage = by_length[heard], by_advantage[heard]
    spread = (by_length.square().sum() * by_advantage.square().sum()).sqrt().item()
    return (by_length * by_advantage).sum().item() / spread if spread > 0 else 0.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else nan
