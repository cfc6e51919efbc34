"""Groups by kind under one way of scoring, and what the spread of success rates alone predicts."""

from collections import Counter
from collections.abc import Sequence

from ..diagnostics.collapse import collapse_rates, predicted_degeneracy
from ..diagnostics.groups import GroupKind, GroupKinds
from ..diagnostics.intervals import bootstrap_by_prompt
from .causes.repair import near_kind
from .report.model import GroupTable, Prediction

__all__ = ["group_table", "near_kinds", "prediction_part"]

_RESAMPLES = 2_000


def group_table(
    name: str,
    rewards: Sequence[float | None],
    group_index: Sequence[int],
    prompt_ids: Sequence[str],
    *,
    near: int,
    correct_at: float,
    wrong_at: float,
    seed: int = 0,
) -> tuple[GroupTable, GroupKinds]:
    """The row of the report for one way of scoring, and the kinds behind it.

    Args:
        name: of the way of scoring, for a person.
        rewards: (B,) None where unknown.
        group_index: (B,) position of each rollout's group.
        prompt_ids: (N,) the prompt of each group, the unit of the interval.
        near: successes from either end up to which a mixed group counts as nearly degenerate.
        correct_at, wrong_at: as in `diagnostics.group_kinds`.
        seed: of the bootstrap.
    """
    rates = collapse_rates(rewards, group_index, correct_at=correct_at, wrong_at=wrong_at)
    kinds = rates.kinds
    counts = Counter(near_kinds(kinds, near))
    successes = [None if reward is None else float(reward >= correct_at) for reward in rewards]
    rate = None
    if any(success is not None for success in successes):
        prompts = [prompt_ids[position] for position in group_index]
        rate = bootstrap_by_prompt(successes, prompts, resamples=_RESAMPLES, seed=seed)
    table = GroupTable(
        name=name,
        n_groups=len(kinds),
        all_wrong=kinds.count(GroupKind.ALL_WRONG),
        mixed=kinds.count(GroupKind.MIXED),
        all_correct=kinds.count(GroupKind.ALL_CORRECT),
        tied=kinds.count(GroupKind.TIED),
        singleton=kinds.count(GroupKind.SINGLETON),
        unscorable=kinds.count(GroupKind.UNSCORABLE),
        near_all_wrong=counts["near_all_wrong"],
        near_all_correct=counts["near_all_correct"],
        success_rate=None if rate is None else rate.value,
        success_low=None if rate is None else rate.interval.low,
        success_high=None if rate is None else rate.interval.high,
        acr=rates.acr,
        nonzero_advantage_rate=rates.nonzero_advantage_rate,
        mean_std=rates.mean_std,
    )
    return table, kinds


def near_kinds(kinds: GroupKinds, near: int) -> list[str]:
    """The kind of every group, the nearly degenerate ones told apart."""
    rows = zip(kinds.kinds, kinds.successes, kinds.scored, strict=True)
    return [near_kind(kind, successes, scored, near) for kind, successes, scored in rows]


def prediction_part(kinds: GroupKinds) -> Prediction:
    """Observed shares of groups without success and without failure, beside those of two models."""
    found = predicted_degeneracy(kinds)
    return Prediction(
        observed_no_success=found.observed_no_success,
        observed_all_success=found.observed_all_success,
        rate=found.rate,
        iid_no_success=found.iid_no_success,
        iid_all_success=found.iid_all_success,
        fitted_no_success=found.fitted_no_success,
        fitted_all_success=found.fitted_all_success,
        rho=None if found.fit is None else found.fit.rho,
    )
