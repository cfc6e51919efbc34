"""From the scores of the steps to one number a solution: what a search ranks by, and what a gate would pay.

Unknown steps are left out, as if the solution did not have them; a solution without any score has no aggregate.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, prod

from ...errors import ArgumentError

__all__ = ["AGGREGATES", "CONTROL", "GATE_CREDITS", "aggregates", "gate_credits"]

AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "product": prod,
    "min": min,
    "mean": lambda known: fsum(known) / len(known),
    "last": lambda known: known[-1],
}
"""Name -> of the known scores, in order, at least one."""

CONTROL = "fewer steps"
"""What ranks without any score: minus the number of steps. Right solutions are often the shorter ones, and a product or
a minimum over fewer steps is higher, of random scores too: what does not beat this may know nothing."""

GATE_CREDITS = ("rules", "verigate")
"""The gate modes whose credit of a whole solution can be told without its group; see `gate_credits`."""


def aggregates(values: Sequence[float | None]) -> dict[str, float | None]:
    """Every aggregate of the scores of one solution; None for all where no step is scored.

    Args:
        values: a score a step, None = unknown.

    Source:
        product and min: Lightman et al. 2023 (arXiv 2305.20050), who rank by the product; last: Snell et al. 2024
        (arXiv 2408.03314). That unknown steps are left out is ours.

    Example:
        >>> aggregates([0.8, None, 0.5])
        {'product': 0.4, 'min': 0.5, 'mean': 0.65, 'last': 0.5}
        >>> aggregates([None])["min"] is None
        True
    """
    known = [value for value in values if value is not None]
    return {name: of(known) if known else None for name, of in AGGREGATES.items()}


def gate_credits(values: Sequence[float | None], *, threshold: float = 0.5) -> dict[str, float]:
    """What the gate would give a solution's steps on average, before it compares them within a group.

    `rules` charges -1 for every step from the first one scored below `threshold` on, and leaves all others alone,
    unknown ones too: a solution of which nothing is known is worth 0, which is what the gate does with it. `verigate`
    gives every known step the sum of the scores from it on, and unknown ones that of the next known step to their
    right, 0 where there is none. It pays for every further step.

    Args:
        values: a score a step, None = unknown.
        threshold: in (0, 1): a step below it is wrong.

    Raises:
        ArgumentError: no step.

    Source:
        ours; `grpo.gate` with `gate_mode("rules")` and `gate_mode("verigate")`, where each step is a token.

    Example:
        Two of three steps are charged; the sums are 1.7, 0.8 and 0.6.

        >>> gate_credits([0.9, 0.2, 0.6])["rules"], round(gate_credits([0.9, 0.2, 0.6])["verigate"], 6)
        (-0.6666666666666666, 1.033333)
    """
    n = len(values)
    if not n:
        raise ArgumentError("values: expected at least one step, got 0")
    wrong = next((step for step, value in enumerate(values) if value is not None and value < threshold), n)
    credit, total = 0.0, 0.0
    for value in reversed(values):
        credit += value or 0.0
        total += credit
    return {"rules": -(n - wrong) / n, "verigate": total / n}
