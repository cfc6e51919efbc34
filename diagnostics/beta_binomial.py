"""Prompts differ in difficulty: the beta-binomial of successes per group, fitted by maximum likelihood.

With one success rate p for all prompts, p^G + (1-p)^G of the groups would be degenerate. Real prompts have
rates of their own, mostly near 0 and 1, and far more groups degenerate than that. Two numbers describe it:
the mean rate, and rho, the correlation of two rollouts of one prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ..errors import ArgumentError
from .groups import FloatArray, IntArray

__all__ = ["BetaBinomial", "fit_beta_binomial", "iid_degenerate_share"]

_SMALLEST = 1e-12
_GRID = 33
_WIDTH = 1e-10
_STEPS = 100
_PRECISION = 1e-14


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """Successes of a group of n when each prompt's rate is drawn from Beta(a, b).

    Kept as (mean, rho) and not as (a, b), because both ends are ordinary data: rho = 0 is one rate for
    all prompts (a and b infinite), rho = 1 is prompts that always or never succeed (a = b = 0).

    Args:
        mean: mean success rate, a / (a + b), in [0, 1].
        rho: correlation of two rollouts of a prompt, 1 / (a + b + 1), in [0, 1].

    Raises:
        ArgumentError: a number outside [0, 1].

    Example:
        >>> mix = BetaBinomial(mean=0.5, rho=1 / 3)  # a = b = 1: every rate as likely as any other
        >>> round(mix.no_success(4), 3), round(mix.degenerate(4), 3)
        (0.2, 0.4)
    """

    mean: float
    rho: float

    def __post_init__(self) -> None:
        for name, value in (("mean", self.mean), ("rho", self.rho)):
            if not 0 <= value <= 1:
                raise ArgumentError(f"{name}: expected a number in [0, 1], got {value}")

    @property
    def a(self) -> float:
        """First parameter of the beta distribution; infinite at rho = 0."""
        return inf if self.rho == 0 else self.mean * (1 - self.rho) / self.rho

    @property
    def b(self) -> float:
        """Second parameter of the beta distribution; infinite at rho = 0."""
        return inf if self.rho == 0 else (1 - self.mean) * (1 - self.rho) / self.rho

    def no_success(self, n: int) -> float:
        """P(0 successes in n rollouts of a new prompt) = B(a, b + n) / B(a, b)."""
        return self.no_further_success(0, n)

    def all_success(self, n: int) -> float:
        """P(n successes in n rollouts of a new prompt) = B(a + n, b) / B(a, b)."""
        return BetaBinomial(1 - self.mean, self.rho).no_success(n)

    def degenerate(self, n: int) -> float:
        """P(n binary rewards of a new prompt are all equal): the predicted degenerate share at group size n."""
        return self.no_success(n) + self.all_success(n) if n > 0 else 1.0

    def no_further_success(self, failures: int, more: int) -> float:
        """P(0 successes in `more` rollouts | `failures` rollouts before them, none a success).

        Raises:
            ArgumentError: a negative number of rollouts.
        """
        for name, value in (("failures", failures), ("more", more)):
            if value < 0:
                raise ArgumentError(f"{name}: expected a number of rollouts >= 0, got {value}")
        tries = np.arange(failures, failures + more, dtype=np.float64)
        # prod_i (b + i) / (a + b + i), numerator and denominator times rho, so that rho = 0 is no exception
        failure = (1 - self.mean) * (1 - self.rho) + tries * self.rho
        total = (1 - self.rho) + tries * self.rho
        if self.rho == 1 and failures == 0 and more > 0:
            failure[0], total[0] = 1 - self.mean, 1.0  # the limit of the first factor, 0 / 0 as written
        return float(np.prod(failure / total))


def fit_beta_binomial(successes: Sequence[int], sizes: Sequence[int]) -> BetaBinomial | None:
    """The maximum-likelihood beta-binomial of successes per group.

    Not a fit to the rates k / n, which would mistake the luck of small groups for differences between
    prompts. Less spread than one common rate would give is reported as rho = 0.

    Args:
        successes: (N,) successes of each group.
        sizes: (N,) scored rollouts of each group; sizes may differ, groups of 0 are left out.

    Returns:
        The fit; None where the data cannot tell: all rollouts fail, all succeed, or no group has two.

    Raises:
        ArgumentError: lengths that differ, or successes outside 0..size.

    Source:
        ML of the beta-binomial in the form of Griffiths (Biometrics 29, 1973); ours: rho kept in [0, 1].

    Example:
        >>> fit = fit_beta_binomial([0, 0, 1, 4, 8, 8, 8, 8], [8] * 8)
        >>> round(fit.mean, 2), round(fit.rho, 2)
        (0.61, 0.8)
    """
    k, n = np.asarray(successes, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if k.shape != n.shape or k.ndim != 1:
        raise ArgumentError(f"successes: expected one number a group {n.shape}, got shape {k.shape}")
    if np.any((k < 0) | (k > n)):
        bad = int(np.flatnonzero((k < 0) | (k > n))[0])
        raise ArgumentError(f"successes: expected 0..{n[bad]} in group {bad}, got {k[bad]}")
    if k.sum() in (0, n.sum()) or n.max() < 2:
        return None
    return _maximum(_more_than(k), _more_than(n - k), _more_than(n))


def iid_degenerate_share(rate: float, size: int) -> float:
    """p^G + (1-p)^G: the share of degenerate groups if every prompt had the same success rate p.

    A lower bound in practice: averaged over prompts with rates of their own it only grows (Jensen), from
    .47 to .90 on one real file.

    Args:
        rate: p, in [0, 1].
        size: G, rollouts a group.

    Raises:
        ArgumentError: rate outside [0, 1].

    Example:
        >>> round(iid_degenerate_share(0.91, 8), 2)
        0.47
    """
    return BetaBinomial(rate, 0.0).degenerate(size)


def _more_than(counts: IntArray) -> FloatArray:
    """How many groups have more than i, for i = 0, 1, ...: all that the likelihood needs of the groups."""
    return np.cumsum(np.bincount(counts)[::-1])[::-1][1:].astype(np.float64)


def _maximum(hits: FloatArray, misses: FloatArray, tries: FloatArray) -> BetaBinomial:
    mixed = hits[0] + misses[0] - tries[0]  # groups with a success and a failure
    if mixed == 0:
        return BetaBinomial(float(hits[0] / tries[0]), 1.0)  # the likelihood grows all the way to rho = 1
    # A grid that is dense near both ends, then ever finer ones between the neighbours of the best point.
    grid = np.minimum(np.sin(np.linspace(0, np.pi / 2, _GRID)) ** 2, 1 - _SMALLEST)  # (R,)
    while True:
        means = _best_means(hits, misses, grid)
        best = int(np.argmax(_log_likelihoods(hits, misses, tries, means, grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        if high - low < _WIDTH:
            return BetaBinomial(float(means[best]), float(grid[best]))
        grid = np.linspace(low, high, _GRID)


def _best_means(hits: FloatArray, misses: FloatArray, rhos: FloatArray) -> FloatArray:
    """The mean of greatest likelihood at each rho: (R,) to (R,).

    In the mean the likelihood is a sum of logarithms of linear functions. So its slope falls, from +inf at 0
    to -inf at 1, and has one root: Newton's steps, and halves of what brackets it where a step would leave.
    """
    low, high = np.full_like(rhos, _SMALLEST), np.full_like(rhos, 1 - _SMALLEST)
    mean = np.full_like(rhos, hits.sum() / (hits.sum() + misses.sum()))
    for _ in range(_STEPS):
        pull, push = _pulls(mean, rhos, len(hits)), _pulls(1 - mean, rhos, len(misses))  # (R, i)
        slope, bend = pull @ hits - push @ misses, -(pull**2) @ hits - push**2 @ misses  # (R,)
        low, high = np.where(slope > 0, mean, low), np.where(slope < 0, mean, high)
        newton = mean - slope / bend
        previous, mean = mean, np.where((low <= newton) & (newton <= high), newton, (low + high) / 2)
        if np.all(abs(mean - previous) <= _PRECISION * mean):
            break
    return mean


def _pulls(rates: FloatArray, rhos: FloatArray, length: int) -> FloatArray:
    """d/dm log(m (1-r) + i r), for i = 0, 1, ...: (R, length)."""
    rest = (1 - rhos)[:, None]
    return rest / (rates[:, None] * rest + np.arange(length) * rhos[:, None])


def _log_likelihoods(
    hits: FloatArray, misses: FloatArray, tries: FloatArray, means: FloatArray, rhos: FloatArray
) -> FloatArray:
    """At each pair of mean m and rho r, without the binomial coefficients: (R,)."""
    # sum_i hits_i log(m (1-r) + i r) + misses_i log((1-m)(1-r) + i r) - tries_i log((1-r) + i r);
    # the factors (1-r) of i = 0 cancel but in mixed groups, and are written apart: finite at the ends.
    mixed = hits[0] + misses[0] - tries[0]
    value = hits[0] * np.log(means) + misses[0] * np.log1p(-means) + mixed * np.log1p(-rhos)
    for counts, rates in ((hits, means), (misses, 1 - means), (-tries, np.ones_like(rhos))):
        i = np.arange(1, len(counts))
        value += np.log((rates * (1 - rhos))[:, None] + i * rhos[:, None]) @ counts[1:]
    return value
