"""Dynamic sampling: draw groups until enough of them teach something, or until it has cost enough.

What is drawn and how it is judged is the caller's; whether a group is worth keeping is `diagnostics.group_kinds`' to
say, on raw outcome rewards. Skipping degenerate groups in the update gives the same direction from a smaller batch and
costs nothing to generate; this gives batches of one size, and the ledger says at what price.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from time import perf_counter
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from ..diagnostics import GroupKind, group_kinds
from ..errors import ArgumentError
from .ledger import LedgerRow

__all__ = ["DynamicSampling", "JudgedGroup", "SampledBatch", "sample_groups"]


class JudgedGroup(Protocol):
    """What is read of a group: the completions of one prompt, drawn and judged."""

    @property
    def rewards(self) -> Sequence[float | None]:
        """(G,) raw outcome rewards; None where unknown."""
        ...

    @property
    def n_tokens(self) -> int:
        """Tokens generated for it, of all G completions."""
        ...


G = TypeVar("G", bound=JudgedGroup)


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicSampling:
    """How long groups are drawn, and which are kept.

    Args:
        keep: kinds that fill the batch. Mixed groups alone, as DAPO has it; for a gate, which makes a signal of
            all-wrong and tied ones, these too: then only all-correct groups are drawn again.
        max_batches: the limit: this many batches of the wanted size are generated, and no group more. 1 draws once
            and refills nothing.
        refill: `"batch"`: every round draws the wanted number again, as DAPO does. `"missing"`: a round draws what is
            missing over the share of kept groups seen so far, at most the wanted number: less surplus, more rounds.
        surplus: kept groups beyond the wanted number, out of the last round: `"drop"` gives every step one size,
            `"keep"` throws no signal away that was paid for. They are never put by for the next step, whose policy
            is another one.
        shortage: at the limit, with too few groups: `"smaller"` goes on with those there are, `"fill"` adds other
            degenerate ones, in the order drawn, until the batch has the wanted size.
        correct_at, wrong_at: as for `diagnostics.group_kinds`.

    Raises:
        ArgumentError: an option outside its range.
    """

    keep: frozenset[GroupKind] = frozenset({GroupKind.MIXED})
    max_batches: int = 10
    refill: Literal["batch", "missing"] = "batch"
    surplus: Literal["drop", "keep"] = "drop"
    shortage: Literal["smaller", "fill"] = "smaller"
    correct_at: float = 1.0
    wrong_at: float = 0.0

    def __post_init__(self) -> None:
        if self.max_batches < 1:
            raise ArgumentError(f"max_batches: expected at least 1, got {self.max_batches}")
        for name, known in (("refill", _REFILLS), ("surplus", _SURPLUSES), ("shortage", _SHORTAGES)):
            if getattr(self, name) not in known:
                raise ArgumentError(f"{name}: expected {' or '.join(known)}, got {getattr(self, name)!r}")
        if not self.keep or not set(self.keep) <= _KEEPABLE:
            names = ", ".join(sorted(map(str, self.keep))) or "none"
            raise ArgumentError(f"keep: expected some of {', '.join(sorted(_KEEPABLE))}, got {names}")
        if not self.wrong_at < self.correct_at:
            raise ArgumentError(
                f"wrong_at: expected a number below correct_at = {self.correct_at}, got {self.wrong_at}"
            )


_KEEPABLE = {kind for kind in GroupKind if kind.is_degenerate or kind is GroupKind.MIXED}
_REFILLS, _SURPLUSES, _SHORTAGES = ("batch", "missing"), ("drop", "keep"), ("smaller", "fill")


class SampledBatch(NamedTuple, Generic[G]):
    """What a step learns from, and what it cost.

    Args:
        groups: kept, in the order drawn.
        kinds: theirs.
        ledger: of everything that was drawn.
    """

    groups: list[G]
    kinds: list[GroupKind]
    ledger: LedgerRow


def sample_groups(
    draw: Callable[[int], Sequence[G]], wanted: int, rules: DynamicSampling | None = None
) -> SampledBatch[G]:
    """Draw until `wanted` groups of the kept kinds are there, or until the limit; then go on with what there is.

    A group whose rewards are not all known is judged by those that are: a verifier that fails never makes one mixed.

    Args:
        draw: n -> at most n groups, drawn and judged. Fewer than n say that there are no more. Called at least once.
        wanted: groups, at least 1.
        rules: the defaults where None.

    Raises:
        ArgumentError: `wanted` below 1, or more groups than were asked for.

    Source:
        Dynamic sampling of DAPO (arXiv 2503.14476, section 3.2), which refills in whole batches without a limit and
        does not state what becomes of the surplus. The other options, and the ledger, are ours.

    Example:
        >>> from types import SimpleNamespace
        >>> rewards = iter([[0, 0], [1, 0], [1, 1], [None, 0], [0, 1], [1, 0]])
        >>> def draw(n):
        ...     return [SimpleNamespace(rewards=next(rewards), n_tokens=10) for _ in range(n)]
        >>> batch = sample_groups(draw, 2)
        >>> [group.rewards for group in batch.groups], batch.ledger.rounds
        ([[1, 0], [0, 1]], 3)
        >>> dict(batch.ledger.discarded), batch.ledger.tokens
        ({'all_wrong': 1, 'all_correct': 1, 'singleton': 1, 'mixed': 1}, 60)
    """
    rules = DynamicSampling() if rules is None else rules
    if wanted < 1:
        raise ArgumentError(f"wanted: expected at least 1 group, got {wanted}")
    groups: list[G] = []
    kinds: list[GroupKind] = []
    limit, rounds, ended, started = rules.max_batches * wanted, 0, "limit", perf_counter()
    while len(groups) < limit:
        n_kept = sum(kind in rules.keep for kind in kinds)
        asked = min(limit - len(groups), _round_size(wanted, n_kept, len(groups), rules))
        drawn = draw(asked)
        rounds += 1
        if len(drawn) > asked:
            raise ArgumentError(f"draw: expected at most {asked} groups, got {len(drawn)}")
        groups += drawn
        kinds += _kinds(drawn, rules)
        if sum(kind in rules.keep for kind in kinds) >= wanted:
            ended = "full"
            break
        if len(drawn) < asked:
            ended = "exhausted"
            break
    kept, filled = _kept(kinds, wanted, rules)
    useful = sum(kind in rules.keep for kind in kinds)
    return SampledBatch(
        [groups[place] for place in kept],
        [kinds[place] for place in kept],
        _row(
            groups,
            kinds,
            kept,
            wanted=wanted,
            rounds=rounds,
            surplus=max(0, useful - wanted),
            filled=filled,
            seconds=perf_counter() - started,
            ended={ended: 1},
        ),
    )


def _round_size(wanted: int, n_kept: int, drawn: int, rules: DynamicSampling) -> int:
    if rules.refill == "batch" or not drawn:
        return wanted
    # Laplace's rule: a share that is 0 so far asks for a whole batch and not for infinitely many groups.
    share = (n_kept + 1) / (drawn + 2)
    return min(wanted, ceil((wanted - n_kept) / share))


def _kinds(drawn: Sequence[G], rules: DynamicSampling) -> list[GroupKind]:
    rewards = [reward for group in drawn for reward in group.rewards]
    ids = [number for number, group in enumerate(drawn) for _ in group.rewards]
    judged = group_kinds(rewards, ids, correct_at=rules.correct_at, wrong_at=rules.wrong_at)
    of = dict(zip(judged.ids, judged.kinds, strict=True))
    # A group without a rollout has no id.
    return [of.get(number, GroupKind.UNSCORABLE) for number in range(len(drawn))]


def _kept(kinds: Sequence[GroupKind], wanted: int, rules: DynamicSampling) -> tuple[list[int], int]:
    """Places of the groups that are kept, in the order drawn, and how many of them only fill the batch up."""
    useful = [place for place, kind in enumerate(kinds) if kind in rules.keep]
    if rules.surplus == "drop":
        useful = useful[:wanted]
    others = (place for place, kind in enumerate(kinds) if kind.is_degenerate and kind not in rules.keep)
    missing = max(0, wanted - len(useful)) if rules.shortage == "fill" else 0
    filling = list(islice(others, missing))
    return sorted(useful + filling), len(filling)


def _row(groups: Sequence[JudgedGroup], kinds: Sequence[GroupKind], kept: Sequence[int], **known: Any) -> LedgerRow:
    by_kind = {True: Counter[str](), False: Counter[str]()}
    is_kept = set(kept)
    for place, kind in enumerate(kinds):
        by_kind[place in is_kept][str(kind)] += 1
    return LedgerRow(
        **known,
        generated=len(groups),
        kept=dict(by_kind[True]),
        discarded=dict(by_kind[False]),
        rollouts=sum(len(group.rewards) for group in groups),
        rollouts_unscored=sum(_is_unknown(reward) for group in groups for reward in group.rewards),
        rollouts_kept=sum(len(groups[place].rewards) for place in kept),
        tokens=sum(group.n_tokens for group in groups),
        tokens_kept=sum(groups[place].n_tokens for place in kept),
    )


def _is_unknown(reward: float | None) -> bool:
    return reward is None or reward != reward
