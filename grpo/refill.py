"""What it costs to fill a batch with mixed groups only: dynamic sampling, before it is switched on."""

from dataclasses import dataclass
from math import inf

from ..errors import ArgumentError

__all__ = ["RefillCost", "refill_cost"]


@dataclass(frozen=True, slots=True)
class RefillCost:
    """Expected cost of a full batch.

    Args:
        groups, rollouts: to be generated for it; infinite where every group is degenerate.
        overhead: generated per kept; 1 where none is thrown away.
    """

    groups: float
    rollouts: float
    overhead: float


def refill_cost(degenerate_share: float, *, wanted_groups: int, group_size: int) -> RefillCost:
    """Generate until `wanted_groups` are mixed, throw the others away: want / (1 - h) groups.

    Skipping the same groups in the update costs nothing to generate, and makes a smaller step: the two are choices,
    and this is the price of the first. Rounds of whole batches cost more, by what is left over in the last.

    Args:
        degenerate_share: h, of groups whose outcomes are all equal, in [0, 1]; observed
            (`diagnostics.collapse_rates(...).degenerate_rate`, `predicted_degeneracy`), which is more than
            `diagnostics.iid_degenerate_share` of the mean success rate.
        wanted_groups, group_size: at least 1.

    Raises:
        ArgumentError: numbers outside those ranges.

    Source:
        DAPO (arXiv 2503.14476), which does not state the cost; the formula is the mean of a negative binomial.

    Example:
        >>> refill_cost(0.5, wanted_groups=64, group_size=8)
        RefillCost(groups=128.0, rollouts=1024.0, overhead=2.0)
    """
    if not 0 <= degenerate_share <= 1:
        raise ArgumentError(f"degenerate_share: expected a share in [0, 1], got {degenerate_share}")
    for name, value in (("wanted_groups", wanted_groups), ("group_size", group_size)):
        if value < 1:
            raise ArgumentError(f"{name}: expected at least 1, got {value}")
    overhead = 1 / (1 - degenerate_share) if degenerate_share < 1 else inf
    return RefillCost(wanted_groups * overhead, wanted_groups * group_size * overhead, overhead)
