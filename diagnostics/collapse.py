"""How much of a batch teaches nothing: rates of degenerate groups, ACR, and what difficulty alone predicts.

Rates over groups count the groups with at least two scored rollouts; singletons and unscorable groups are
told apart, because no verifier or policy made them so. Rates over rollouts count every scored one.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .beta_binomial import BetaBinomial, fit_beta_binomial
from .groups import FloatArray, GroupKind, GroupKinds, IntArray, group_index, group_kinds, reward_values

__all__ = ["Collapse", "Prediction", "collapse_rates", "predicted_degeneracy"]

_SAME_AS_MEAN = 1e-9
"""A reward this close to its group's mean, in units of the group's spread, has advantage 0: rounding of the
mean is no signal. Only asked within mixed groups, so that it never decides degeneracy."""


@dataclass(frozen=True, slots=True)
class Collapse:
    """Rates of one batch; NaN where a rate has nothing to count.

    Args:
        kinds: the judgement of every group, which all rates below come from.
        comparable: groups with at least two scored rollouts, the denominator of the rates over groups.
        all_correct_rate, all_wrong_rate, tied_rate, mixed_rate: shares of them; they sum to 1.
        degenerate_rate: all_correct_rate + all_wrong_rate + tied_rate.
        acr: share of them with std(R) < tau, the papers' advantage collapse rate.
        mean_std: mean over them of std(R).
        nonzero_advantage_rate: share of all scored rollouts whose R - mean(R of the group) is not 0.
    """

    kinds: GroupKinds
    comparable: int
    all_correct_rate: float
    all_wrong_rate: float
    tied_rate: float
    mixed_rate: float
    degenerate_rate: float
    acr: float
    mean_std: float
    nonzero_advantage_rate: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """Shares of groups without a success and without a failure: as observed, and as two models have it.

    Args:
        observed_no_success, observed_all_success: shares of the groups with at least two scored rollouts.
        rate: mean over them of the group's success rate.
        iid_no_success, iid_all_success: (1-p)^G and p^G with that one rate for all prompts.
        fit: the beta-binomial; None where the data cannot tell.
        fitted_no_success, fitted_all_success: its shares, at the groups' own sizes; NaN without a fit.
    """

    observed_no_success: float
    observed_all_success: float
    rate: float
    iid_no_success: float
    iid_all_success: float
    fit: BetaBinomial | None
    fitted_no_success: float
    fitted_all_success: float

    def at(self, size: int) -> float:
        """Predicted share of degenerate groups if every prompt were sampled `size` times; NaN without a fit.

        Raises:
            ArgumentError: size below 1.

        Example:
            >>> uniform = predicted_degeneracy(group_kinds([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]))
            >>> round(uniform.at(2), 3), round(uniform.at(4), 3)
            (0.667, 0.4)
        """
        if size < 1:
            raise ArgumentError(f"size: expected at least 1 rollout a group, got {size}")
        return nan if self.fit is None else self.fit.degenerate(size)


def collapse_rates(
    rewards: Sequence[float | None] | npt.ArrayLike,
    group_ids: Sequence[Hashable] | npt.NDArray[Any],
    *,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
    tau: float = 1e-6,
    ddof: int = 0,
) -> Collapse:
    """How many groups, and how many rollouts, have no group-relative advantage.

    `degenerate_rate` is exact and is the one to act on; `acr` is the papers' figure, kept to compare with
    theirs. They differ where rewards differ by less than tau (acr counts the group, we do not).

    Args:
        rewards: (B,) raw outcome rewards; None or NaN where unknown.
        group_ids: (B,) any hashables.
        correct_at, wrong_at: as in `group_kinds`.
        tau: threshold of the standard deviation, in units of reward.
        ddof: of std(R): 0 divides by n, as the theory does; 1 by n - 1, as TRL, verl and slime log it.

    Returns:
        The rates; NaN where nothing can be counted.

    Raises:
        ArgumentError: as `group_kinds`; tau not positive; ddof neither 0 nor 1.

    Source:
        ACR: Advantage Collapse (arXiv 2605.21125), tau = 1e-6. The paper does not state ddof, nor what
        becomes of unscored rollouts and of groups of one.

    Example:
        >>> rates = collapse_rates([1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 2, 2])
        >>> round(rates.acr, 3), round(rates.nonzero_advantage_rate, 3), round(rates.mean_std, 3)
        (0.667, 0.333, 0.167)
    """
    if not tau > 0:
        raise ArgumentError(f"tau: expected a positive number, got {tau}")
    if ddof not in (0, 1):
        raise ArgumentError(f"ddof: expected 0 or 1, got {ddof}")
    kinds = group_kinds(rewards, group_ids, correct_at=correct_at, wrong_at=wrong_at)
    values = reward_values(rewards)
    is_scored = ~np.isnan(values)
    where = group_index(group_ids)[1][is_scored]
    scored = np.asarray(kinds.scored)
    is_comparable = scored >= 2  # (N,)
    deviation = _deviations(values[is_scored], where, len(kinds))
    # std = sqrt(sum (R - mean)^2 / (n - ddof)), over the groups with n >= 2
    squares = np.bincount(where, weights=deviation**2, minlength=len(kinds))
    std = np.sqrt(squares[is_comparable] / (scored[is_comparable] - ddof))
    shares = {kind: _share(kinds.count(kind), int(is_comparable.sum())) for kind in GroupKind}
    correct, wrong, tied = shares[GroupKind.ALL_CORRECT], shares[GroupKind.ALL_WRONG], shares[GroupKind.TIED]
    return Collapse(
        kinds=kinds,
        comparable=int(is_comparable.sum()),
        all_correct_rate=correct,
        all_wrong_rate=wrong,
        tied_rate=tied,
        mixed_rate=shares[GroupKind.MIXED],
        degenerate_rate=correct + wrong + tied,
        acr=_share(int((std < tau).sum()), len(std)),
        mean_std=float(std.mean()) if len(std) else nan,
        nonzero_advantage_rate=_share(int((deviation != 0).sum()), len(deviation)),
    )


def predicted_degeneracy(kinds: GroupKinds) -> Prediction:
    """What the spread of success rates alone predicts, beside what was observed.

    A group counts as all one outcome when it has no success or no failure; with partial credit that is
    not the same as degenerate. The one-rate prediction is printed by other tools; it can be wrong by
    orders of magnitude, and the fit is the one to plan group sizes with. It describes these prompts under
    this policy: both move during training.

    Args:
        kinds: what `group_kinds` returned.

    Returns:
        Observed and predicted shares; NaN where no group has two scored rollouts.

    Source:
        p^G + (1-p)^G: arXiv 2605.07689; the beta-binomial is ours.

    Example:
        >>> prediction = predicted_degeneracy(group_kinds([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]))
        >>> round(prediction.observed_no_success, 3), round(prediction.iid_no_success, 3)
        (0.333, 0.25)
    """
    groups = [(k, n) for k, n in zip(kinds.successes, kinds.scored, strict=True) if n >= 2]
    if not groups:
        return Prediction(nan, nan, nan, nan, nan, None, nan, nan)
    rate = sum(k / n for k, n in groups) / len(groups)
    one_rate = BetaBinomial(rate, 0.0)
    fit = fit_beta_binomial([k for k, _ in groups], [n for _, n in groups])
    return Prediction(
        observed_no_success=_share(sum(k == 0 for k, _ in groups), len(groups)),
        observed_all_success=_share(sum(k == n for k, n in groups), len(groups)),
        rate=rate,
        iid_no_success=_mean_over(groups, one_rate.no_success),
        iid_all_success=_mean_over(groups, one_rate.all_success),
        fit=fit,
        fitted_no_success=nan if fit is None else _mean_over(groups, fit.no_success),
        fitted_all_success=nan if fit is None else _mean_over(groups, fit.all_success),
    )


def _deviations(values: FloatArray, where: IntArray, n_groups: int) -> FloatArray:
    """R - mean(R of its group) for every scored row, an exact 0 where that is what it means."""
    lowest, highest = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(lowest, where, values)
    np.maximum.at(highest, where, values)
    # Measured from the group's lowest reward, so that equal rewards give 0 and a large offset costs no digits.
    above = values - lowest[where]
    count = np.bincount(where, minlength=n_groups)
    mean = np.bincount(where, weights=above, minlength=n_groups) / np.maximum(count, 1)
    deviation = above - mean[where]
    deviation[np.abs(deviation) <= _SAME_AS_MEAN * (highest - lowest)[where]] = 0.0
    return deviation


def _share(part: int, whole: int) -> float:
    return part / whole if whole else nan


def _mean_over(groups: list[tuple[int, int]], share_at: Callable[[int], float]) -> float:
    at = {size: share_at(size) for size in {n for _, n in groups}}
    return sum(at[n] for _, n in groups) / len(groups)
