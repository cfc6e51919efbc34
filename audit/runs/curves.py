"""What a success rate alone hides: successes per group, pass@k, and how both move over the training steps."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb, exp, log

from ...diagnostics.beta_binomial import BetaBinomial, fit_beta_binomial
from ...diagnostics.groups import GroupKind, GroupKinds
from ...diagnostics.support import mean_pass_at_k
from ..report.curves import Curves, PassCurve, StepPoint, SuccessCounts

__all__ = ["curves_part", "success_chances"]

MOST_STEPS = 500
"""Steps that a report keeps: the first ones, the last ones and evenly spaced ones between."""


def curves_part(scorings: Mapping[str, GroupKinds], steps: Sequence[int | None], *, scored_by: str) -> Curves:
    """The three distributions, under every way of scoring; the steps under the one that is audited.

    Args:
        scorings: name of a way of scoring -> the kinds of the same groups in the same order.
        steps: (N,) the training step of each group; None where the file has none.
        scored_by: which of `scorings` is audited.

    Example:
        >>> from rewardgate.diagnostics import group_kinds
        >>> kinds = group_kinds([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
        >>> found = curves_part({"as logged": kinds}, [1, 1, 2], scored_by="as logged")
        >>> found.successes[0].counts, found.pass_at_k[0].values, [point.success_rate for point in found.steps]
        ((1, 1, 1), (0.5, 0.6666666666666666), [0.25, 1.0])
    """
    return Curves(
        successes=tuple(
            counts for name, kinds in scorings.items() if (counts := _success_counts(name, kinds)) is not None
        ),
        pass_at_k=tuple(curve for name, kinds in scorings.items() if (curve := _pass_curve(name, kinds)) is not None),
        steps=_over_steps(scorings[scored_by], steps),
    )


def success_chances(fit: BetaBinomial, n: int) -> list[float]:
    """(n + 1,) P(k successes in n rollouts of a new prompt), k = 0..n.

    Example:
        >>> [round(chance, 3) for chance in success_chances(BetaBinomial(mean=0.5, rho=1 / 3), 4)]
        [0.2, 0.2, 0.2, 0.2, 0.2]
    """
    if fit.rho == 1:
        return [1 - fit.mean] + [0.0] * (n - 1) + [fit.mean] if n else [1.0]
    # P(k) = C(n, k) prod_{i<k} (m(1-r) + ir) prod_{j<n-k} ((1-m)(1-r) + jr) / prod_{i<n} ((1-r) + ir)
    right = _log_products(fit.mean * (1 - fit.rho), fit.rho, n)
    wrong = _log_products((1 - fit.mean) * (1 - fit.rho), fit.rho, n)
    both = _log_products(1 - fit.rho, fit.rho, n)
    return [exp(log(comb(n, k)) + right[k] + wrong[n - k] - both[n]) for k in range(n + 1)]


def _log_products(first: float, step: float, n: int) -> list[float]:
    """(n + 1,) log of the products of the first 0, 1, …, n of `first`, `first + step`, …"""
    sums = [0.0]
    for i in range(n):
        factor = first + i * step
        sums.append(sums[-1] + (log(factor) if factor > 0 else float("-inf")))
    return sums


def _success_counts(name: str, kinds: GroupKinds) -> SuccessCounts | None:
    """Successes 0..G among the groups of the most frequent number G of scored rollouts."""
    sizes = Counter(scored for scored in kinds.scored if scored >= 2)
    if not sizes:
        return None
    size = max(sizes, key=lambda scored: (sizes[scored], scored))
    found = Counter(k for k, n in zip(kinds.successes, kinds.scored, strict=True) if n == size)
    fit = fit_beta_binomial(kinds.successes, kinds.scored)
    expected = None if fit is None else tuple(sizes[size] * chance for chance in success_chances(fit, size))
    return SuccessCounts(
        name=name,
        size=size,
        counts=tuple(found[k] for k in range(size + 1)),
        n_groups_left_out=len(kinds) - sizes[size],
        expected=expected,
    )


def _pass_curve(name: str, kinds: GroupKinds) -> PassCurve | None:
    """pass@k at k = 1, 2, 4, … up to the size that most groups have, and at that size."""
    sizes = Counter(scored for scored in kinds.scored if scored >= 2)
    if not sizes:
        return None
    largest = max(sizes, key=lambda scored: (sizes[scored], scored))
    ks = [k for k in (2**i for i in range(largest.bit_length())) if k < largest] + [largest]
    found = [mean_pass_at_k(kinds, k) for k in ks]
    return PassCurve(
        name=name,
        ks=tuple(ks),
        values=tuple(one.value for one in found),
        n_groups=tuple(one.groups for one in found),
    )


def _over_steps(kinds: GroupKinds, steps: Sequence[int | None]) -> tuple[StepPoint, ...]:
    where: dict[int, list[int]] = {}
    for position, step in enumerate(steps):
        if step is not None:
            where.setdefault(step, []).append(position)
    if len(where) < 2:  # one step is no curve
        return ()
    kept = sorted(where)
    if len(kept) > MOST_STEPS:
        kept = [kept[round(i * (len(kept) - 1) / (MOST_STEPS - 1))] for i in range(MOST_STEPS)]
    return tuple(_step_point(step, kinds, where[step]) for step in kept)


def _step_point(step: int, kinds: GroupKinds, positions: Sequence[int]) -> StepPoint:
    rates = [kinds.successes[i] / kinds.scored[i] for i in positions if kinds.scored[i]]
    comparable = [kinds.kinds[i] for i in positions if kinds.scored[i] >= 2]

    def share(kind: GroupKind) -> float | None:
        return comparable.count(kind) / len(comparable) if comparable else None

    return StepPoint(
        step=step,
        n_groups=len(positions),
        success_rate=sum(rates) / len(rates) if rates else None,
        all_wrong=share(GroupKind.ALL_WRONG),
        mixed=share(GroupKind.MIXED),
        all_correct=share(GroupKind.ALL_CORRECT),
    )
