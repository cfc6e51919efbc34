"""Rare success or none at all: pass@k, and what 0 successes of G do and do not say about a prompt.

Zero successes never tell the two apart. They bound the rate from above, and they say how many more samples
would settle the matter; nothing here turns them into one probability that a prompt is impossible.
"""

from math import ceil, expm1, log1p, nan
from typing import NamedTuple

from ..errors import ArgumentError
from .beta_binomial import BetaBinomial
from .groups import GroupKinds

__all__ = [
    "PassAtK",
    "chance_of_success",
    "chance_of_success_after_none",
    "mean_pass_at_k",
    "pass_at_k",
    "rate_upper_bound",
    "samples_needed",
]


class PassAtK(NamedTuple):
    """Mean pass@k over prompts, and how many prompts it speaks for.

    Args:
        value: mean over the counted groups; NaN where there is none.
        groups: groups with at least k scored rollouts.
        left_out: groups with fewer, which say nothing of pass@k without a model.
    """

    value: float
    groups: int
    left_out: int


def pass_at_k(n: int, successes: int, k: int) -> float:
    """Unbiased estimate of P(at least one success in k samples), from n samples of one prompt.

    1 - (1 - c/n)^k, the plug-in, is too low; this is exact in expectation for k <= n and does not exist
    beyond. A verifier that refuses right answers biases it all the same.

    Args:
        n: scored samples.
        successes: successes among them, c.
        k: samples that the question allows, 1..n.

    Returns:
        1 - C(n - c, k) / C(n, k).

    Raises:
        ArgumentError: k outside 1..n, or c outside 0..n.

    Source:
        Chen et al. 2021 (arXiv 2107.03374), section 2.1.

    Example:
        >>> pass_at_k(8, 1, 1), pass_at_k(8, 1, 4), pass_at_k(8, 1, 8)
        (0.125, 0.5, 1.0)
    """
    if not 0 <= successes <= n:
        raise ArgumentError(f"successes: expected 0..{n}, got {successes}")
    if not 1 <= k <= n:
        raise ArgumentError(f"k: expected 1..n with n = {n} scored samples, got {k}")
    # C(n-c, k) / C(n, k) = prod_{i = n-c+1}^{n} (1 - k/i), which overflows nowhere
    all_fail = 1.0
    for i in range(n - successes + 1, n + 1):
        all_fail *= max(0.0, 1 - k / i)
    return 1 - all_fail


def mean_pass_at_k(kinds: GroupKinds, k: int) -> PassAtK:
    """Mean over prompts of `pass_at_k`, on scored rollouts only.

    Groups with fewer than k scored rollouts are left out and counted, so that values at different k may
    speak for different prompts: compare them only where `left_out` agrees.

    Raises:
        ArgumentError: k below 1.

    Example:
        >>> from rewardgate.diagnostics import group_kinds
        >>> mean_pass_at_k(group_kinds([1, 0, 0, 0, 1, None], ["a", "a", "b", "b", "c", "c"]), 2)
        PassAtK(value=0.5, groups=2, left_out=1)
    """
    if k < 1:
        raise ArgumentError(f"k: expected at least 1, got {k}")
    values = [pass_at_k(n, c, k) for n, c in zip(kinds.scored, kinds.successes, strict=True) if n >= k]
    return PassAtK(sum(values) / len(values) if values else nan, len(values), len(kinds) - len(values))


def rate_upper_bound(failures: int, *, confidence: float = 0.95) -> float:
    """Upper bound on a prompt's success rate after `failures` samples without a success.

    One-sided and exact: rates above it would have shown a success with at least that confidence. The rule
    of three, 3/G, is poor below 30 samples (.375 instead of .312 at 8).

    Args:
        failures: scored samples, at least 0, all without success; with none of them the bound is 1.
        confidence: in (0, 1).

    Returns:
        1 - (1 - confidence)^(1 / failures).

    Raises:
        ArgumentError: a number outside those ranges.

    Source:
        the one-sided Clopper-Pearson bound at 0 successes.

    Example:
        >>> [round(rate_upper_bound(failures), 2) for failures in (4, 8, 16)]
        [0.53, 0.31, 0.17]
    """
    _check_chance("confidence", confidence)
    if failures < 0:
        raise ArgumentError(f"failures: expected a number of samples >= 0, got {failures}")
    return 1.0 if failures == 0 else -expm1(log1p(-confidence) / failures)


def samples_needed(rate: float, *, chance: float = 0.95) -> int:
    """Samples that show at least one success with probability `chance`, at success rate `rate`.

    Read the other way round: that many samples without one exclude the rate, and that many labels without
    an error support "error rate below `rate`" (59 for 5 % at 95 %).

    Args:
        rate: success rate of one sample, in (0, 1].
        chance: in (0, 1).

    Returns:
        The least m with 1 - (1 - rate)^m >= chance.

    Raises:
        ArgumentError: a number outside those ranges.

    Example:
        >>> [samples_needed(rate) for rate in (0.1, 0.05, 0.01)]
        [29, 59, 299]
    """
    _check_chance("chance", chance)
    if not 0 < rate <= 1:
        raise ArgumentError(f"rate: expected a number in (0, 1], got {rate}")
    if rate == 1:
        return 1
    # Less a hair, so that a quotient which is whole but for rounding (rate 1/2, chance 3/4: 2) is not raised.
    return max(1, ceil(log1p(-chance) / log1p(-rate) - 1e-9))


def chance_of_success(rate: float, samples: int) -> float:
    """P(at least one success in `samples`) at success rate `rate`: 1 - (1 - rate)^samples.

    Raises:
        ArgumentError: rate outside [0, 1], or a negative number of samples.

    Example:
        >>> round(chance_of_success(0.1, 24), 2)
        0.92
    """
    if not 0 <= rate <= 1:
        raise ArgumentError(f"rate: expected a number in [0, 1], got {rate}")
    if samples < 0:
        raise ArgumentError(f"samples: expected a number >= 0, got {samples}")
    if samples == 0 or rate == 1:
        return float(samples > 0)
    return -expm1(samples * log1p(-rate))


def chance_of_success_after_none(fit: BetaBinomial, *, failures: int, more: int) -> float:
    """P(at least one success in `more` samples | `failures` samples, none a success), under a fitted model.

    It borrows from the other prompts: right for a prompt like them, and silent about a share of impossible
    ones, which a beta distribution does not have. Print it beside `rate_upper_bound`, never alone.

    Args:
        fit: the beta-binomial of the batch.
        failures: scored samples of the prompt, all without success.
        more: samples to come.

    Returns:
        1 - B(a, b + failures + more) / B(a, b + failures).

    Raises:
        ArgumentError: a negative number of samples.

    Source:
        ours; posterior predictive of the beta-binomial.

    Example:
        >>> uniform = BetaBinomial(mean=0.5, rho=1 / 3)  # after 8 failures of 8, Laplace's rule says 1/10
        >>> round(chance_of_success_after_none(uniform, failures=8, more=1), 3)
        0.1
    """
    return 1 - fit.no_further_success(failures, more)


def _check_chance(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ArgumentError(f"{name}: expected a number in (0, 1), got {value}")
