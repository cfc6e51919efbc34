"""What a batch that teaches cost: one row a step, and rows add up to a run's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..diagnostics import GroupKind

__all__ = ["LedgerRow", "total"]

_DEGENERATE = tuple(kind for kind in GroupKind if kind.is_degenerate)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """What was generated, and what became of it. Groups, unless another unit is named.

    generated = sum(kept) + sum(discarded), and of every kind likewise: nothing is lost without a name.

    Args:
        wanted: asked for.
        rounds: calls of what draws.
        generated: drawn and judged.
        kept: by kind.
        discarded: by kind; of the kinds that were asked for it is the surplus of the last round, dropped.
        surplus: of the kinds asked for, beyond `wanted`; kept or dropped.
        filled: kept of other kinds, to fill up a batch that came out short.
        rollouts: generated.
        rollouts_unscored: of those, without a known reward: nobody's failure, and no reason to call a group mixed.
        rollouts_kept: in kept groups.
        tokens: generated.
        tokens_kept: in kept groups.
        seconds: wall-clock time of drawing and judging.
        ended: how steps ended: `full`, at the `limit`, or with prompts `exhausted`; one step has one of them.
    """

    wanted: int = 0
    rounds: int = 0
    generated: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)
    discarded: Mapping[str, int] = field(default_factory=dict)
    surplus: int = 0
    filled: int = 0
    rollouts: int = 0
    rollouts_unscored: int = 0
    rollouts_kept: int = 0
    tokens: int = 0
    tokens_kept: int = 0
    seconds: float = 0.0
    ended: Mapping[str, int] = field(default_factory=dict)

    @property
    def mixed(self) -> int:
        """Mixed groups generated."""
        return self.kept.get("mixed", 0) + self.discarded.get("mixed", 0)

    @property
    def degenerate_share(self) -> float | None:
        """Of the groups with at least two known rewards, those whose rewards are all equal; None of no such group.

        It is what `grpo.refill_cost` asks for.
        """
        degenerate = sum(which.get(kind, 0) for kind in _DEGENERATE for which in (self.kept, self.discarded))
        comparable = degenerate + self.mixed
        return degenerate / comparable if comparable else None

    @property
    def overhead(self) -> float | None:
        """Groups generated for each one kept that was asked for; None where none was.

        `grpo.refill_cost(...).overhead` predicts it, where mixed groups alone are asked for.
        """
        kept = sum(self.kept.values()) - self.filled
        return self.generated / kept if kept else None

    def __add__(self, other: "LedgerRow") -> "LedgerRow":
        return LedgerRow(
            **{one.name: _sum(getattr(self, one.name), getattr(other, one.name)) for one in fields(LedgerRow)}
        )

    def flat(self) -> dict[str, Any]:
        """Plain values under one level of names (`discarded_all_wrong`), for a log; every kind is there, 0 included."""
        row: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            names = {"kept": GroupKind, "discarded": GroupKind, "ended": ENDS}.get(one.name)
            row |= {one.name: value} if names is None else {f"{one.name}_{name}": value.get(name, 0) for name in names}
        return row | {"degenerate_share": self.degenerate_share, "overhead": self.overhead}


ENDS = ("full", "limit", "exhausted")
"""How a step's drawing ends."""


def total(rows: Iterable[LedgerRow]) -> LedgerRow:
    """The row of several steps together.

    Example:
        >>> step = LedgerRow(wanted=2, generated=5, kept={"mixed": 2}, discarded={"all_wrong": 3})
        >>> run = total([step, step])
        >>> run.generated, run.discarded, run.overhead, run.degenerate_share
        (10, {'all_wrong': 6}, 2.5, 0.6)
    """
    return sum(rows, LedgerRow())


def _sum(one: Any, other: Any) -> Any:
    if not isinstance(one, Mapping):
        return one + other
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted({*one, *other})}
