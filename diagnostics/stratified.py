"""A rate from a stratified sample: what labels drawn stratum by stratum say about a whole file.

A stratum is a part of the population whose size is known and from which units (prompts) were drawn at random;
labels are spent where they tell most, so that shares of labels are not shares of the file. Every figure here
weighs a stratum by its size.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from .groups import FloatArray
from .intervals import Interval

__all__ = [
    "StratifiedRate",
    "StratumCounts",
    "effective_counts",
    "stratified_rate",
    "stratified_ratio",
    "zero_event_bound",
]

_DRAWS = 10_000


class StratumCounts(NamedTuple):
    """One stratum and its labels.

    Args:
        size: units of the population in it, at least 1.
        n: labelled units, above 0; not whole where they weigh differently (`effective_counts`).
        x: those of them in which the event was seen, 0..n.
    """

    size: int
    n: float
    x: float


@dataclass(frozen=True, slots=True)
class StratifiedRate:
    """An estimate for the whole population, and its two-sided interval."""

    value: float
    interval: Interval


def effective_counts(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """(n, x) of the unweighted sample that knows as much as this weighted one of one stratum.

    Args:
        values: (n,) what was seen of each unit, in [0, 1].
        weights: (n,) 1 / probability of selection, up to a common factor; above 0.

    Returns:
        n = (sum w)^2 / sum w^2, and x = n times the weighted mean; with equal weights the plain counts.

    Raises:
        ArgumentError: no value, another number of weights, or a number outside those ranges.

    Source:
        Hajek's ratio estimator; Kish 1965, section 8.2, for n.

    Example:
        >>> effective_counts([1, 0, 1], [2, 2, 2]), effective_counts([1, 0, 0], [2, 1, 1])
        ((3.0, 2.0), (2.6666666666666665, 1.3333333333333333))
    """
    seen, weight = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if seen.ndim != 1 or not len(seen) or seen.shape != weight.shape:
        raise ArgumentError(f"weights: expected one a value ({seen.size}), at least one, got {weight.size}")
    if not np.all((seen >= 0) & (seen <= 1)):
        raise ArgumentError("values: expected numbers in [0, 1], got others")
    if not np.all((weight > 0) & np.isfinite(weight)):
        raise ArgumentError("weights: expected finite numbers above 0, got others")
    weight = weight / weight.max()
    n = float(weight.sum() ** 2 / (weight**2).sum())
    return n, min(n, n * float(weight @ seen / weight.sum()))


def stratified_rate(
    strata: Iterable[StratumCounts], *, confidence: float = 0.95, draws: int = _DRAWS, seed: int = 0
) -> StratifiedRate:
    """The share of the population that has the event, over all strata.

    The estimate is sum N_h x_h / n_h / N. The interval combines draws of every stratum's rate from its posterior,
    which has a width at x = 0 too, where a normal approximation has none; what was not drawn is drawn with that
    rate, so that a stratum labelled to the last unit adds no doubt.

    Half an event too many in every one of H strata would move the interval by H/2 events (with six strata of ten
    labels 95 % intervals hold a rate of 2 % two times in three). So each end has the prior that is careful for it:
    the lower end Beta(x + s/2, n - x + 1/2), the upper one Beta(x + 1/2, n - x + s/2), where s is the stratum's share
    of the population. In one stratum both are Jeffreys' Beta(x + 1/2, n - x + 1/2).

    Args:
        strata: all of the population, each with a label.
        confidence: in (0, 1), two-sided.
        draws: from each posterior, at least 1000.
        seed: of numpy's default generator.

    Raises:
        ArgumentError: no stratum, one without a label (its rate, and so the whole, is not estimable), or a
            number outside those ranges.

    Source:
        draws combined over strata as usual; the two priors are ours, their coverage is in
        `benchmarks/label_coverage.py`. The ends are 0 and 1 where nothing, or all, was seen (Brown et al. 2001).

    Example:
        >>> rate = stratified_rate([StratumCounts(900, 40, 0), StratumCounts(100, 20, 10)])
        >>> rate.value, [round(end, 2) for end in rate.interval]
        (0.05, [0.03, 0.11])
    """
    return stratified_ratio(strata, (), confidence=confidence, draws=draws, seed=seed)


def stratified_ratio(
    part: Iterable[StratumCounts],
    rest: Iterable[StratumCounts] | None,
    *,
    confidence: float = 0.95,
    draws: int = _DRAWS,
    seed: int = 0,
) -> StratifiedRate:
    """Of the units with the event, the share that lies in the strata `part`; the others are in `rest`.

    The rate of false negatives is this: of the right responses (the event), the share in the strata of those
    scored wrong. With `rest` empty it is the plain rate in `part`, whose units then are what is counted.

    Args:
        part, rest: strata with the same event, each with a label; as for `stratified_rate`.
        confidence, draws, seed: as for `stratified_rate`.

    Raises:
        ArgumentError: as for `stratified_rate`, or the event was seen nowhere (of nothing there is no share).

    Example:
        >>> scored_wrong, scored_right = StratumCounts(400, 40, 4), StratumCounts(600, 30, 30)
        >>> stratified_ratio([scored_wrong], [scored_right]).value  # 40 right ones of 640 were refused
        0.0625
    """
    part, rest = list(part), list(rest or ())
    _check(part, rest, confidence, draws)
    tail = (1 - confidence) / 2
    size = sum(one.size for one in (*part, *rest))
    events, others = _events(part), _events(rest)
    generator = np.random.default_rng(seed)

    def end(is_upper: bool) -> FloatArray:
        # The ratio grows with the events in `part` and falls with those in `rest`.
        own = _drawn(part, size, draws, generator, is_upper=is_upper)
        if not rest:
            return own / size
        all_events = own + _drawn(rest, size, draws, generator, is_upper=not is_upper)
        return np.divide(own, all_events, out=np.full(draws, float(is_upper)), where=all_events > 0)

    if not rest:
        value, is_none, is_all = events / size, events == 0, all(one.x == one.n for one in part)
    elif events + others == 0:
        raise ArgumentError("strata: expected the event in at least one label, got none")
    else:
        value, is_none, is_all = events / (events + others), events == 0, others == 0
    low = 0.0 if is_none else min(value, float(np.quantile(end(False), tail)))
    high = 1.0 if is_all else max(value, float(np.quantile(end(True), 1 - tail)))
    if is_none and not rest:
        high = min(high, zero_event_bound(part, confidence=1 - tail))
    if is_all and not rest:
        missed = [one._replace(x=0) for one in part]
        low = max(low, 1 - zero_event_bound(missed, confidence=1 - tail))
    return StratifiedRate(value, Interval(low, high))


def zero_event_bound(strata: Iterable[StratumCounts], *, confidence: float = 0.95) -> float:
    """The greatest rate that labels without a single event leave open: one-sided, and exact.

    Of all rates p_h under which no event is seen with probability at least 1 - confidence, the greatest
    sum W_h p_h. With labels in proportion to size it is that of one sample: 1 - (1 - confidence)^(1/n).

    Args:
        strata: all of the population, each with a label; their `x` is taken to be 0.
        confidence: in (0, 1).

    Raises:
        ArgumentError: as for `stratified_rate`.

    Source:
        ours: the test of "no event" inverted, as Clopper & Pearson do for one sample.

    Example:
        >>> round(zero_event_bound([StratumCounts(1000, 59, 0)]), 3)
        0.05
        >>> round(zero_event_bound([StratumCounts(500, 30, 0), StratumCounts(500, 29, 0)]), 3)
        0.05
        >>> round(zero_event_bound([StratumCounts(900, 2, 0), StratumCounts(100, 57, 0)]), 3)
        0.699
    """
    strata = list(strata)
    _check(strata, [], confidence, _DRAWS)
    size, level = sum(one.size for one in strata), log1p(-confidence)
    # minimise sum W_h q_h with q_h = 1 - p_h and sum n_h log q_h = level: q_h = min(1, c n_h / W_h)
    ratios = [one.n * size / one.size for one in strata]
    low, high = log(1e-300), log(1 / min(ratios))
    for _ in range(200):
        middle = (low + high) / 2
        logs = [min(0.0, middle + log(ratio)) for ratio in ratios]
        if sum(one.n * value for one, value in zip(strata, logs, strict=True)) < level:
            low = middle
        else:
            high = middle
    kept = (one.size / size * exp(min(0.0, high + log(r))) for one, r in zip(strata, ratios, strict=True))
    return max(0.0, 1 - sum(kept))


def _events(strata: Sequence[StratumCounts]) -> float:
    """Estimated units with the event: sum N_h x_h / n_h."""
    return sum(one.size * one.x / one.n for one in strata)


def _drawn(
    strata: Sequence[StratumCounts], size: int, draws: int, generator: np.random.Generator, *, is_upper: bool
) -> FloatArray:
    """Units with the event, over all strata: (draws,)."""
    total = np.zeros(draws)
    for one in strata:
        share = one.size / size
        seen, missed = (0.5, share / 2) if is_upper else (share / 2, 0.5)
        rates = generator.beta(one.x + seen, max(0.0, one.n - one.x) + missed, size=draws)
        unseen = round(max(0.0, one.size - one.n))
        # In proportion, as n need not be whole: x + unseen events of n + unseen units.
        total += one.size * (one.x + generator.binomial(unseen, rates)) / (one.n + unseen)
    return total


def _check(part: Sequence[StratumCounts], rest: Sequence[StratumCounts], confidence: float, draws: int) -> None:
    _check_chance("confidence", confidence)
    if draws < 1000:
        raise ArgumentError(f"draws: expected at least 1000, got {draws}")
    if not part:
        raise ArgumentError("strata: expected at least one, got none")
    for one in (*part, *rest):
        if one.size < 1:
            raise ArgumentError(f"strata: expected a size of at least 1, got {one.size}")
        if not one.n > 0:
            raise ArgumentError(f"strata: expected a label in each, got {one.n:g} of {one.size}")
        if not 0 <= one.x <= one.n:
            raise ArgumentError(f"strata: expected events in 0..{one.n:g}, got {one.x:g}")


def _check_chance(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ArgumentError(f"{name}: expected a number in (0, 1), got {value}")
