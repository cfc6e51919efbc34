"""The only judge of degeneracy: what kind of group each prompt's rewards make.

A group-relative advantage exists only where the rewards of a group differ. That is decided here, once, on
the raw outcome rewards and by exact equality: never by `std < tau` and never on normalised or shaped sums,
where the rounding of a mean makes equal rewards look different (and different ones equal).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .rows import FloatArray, IntArray, group_index, reward_values

__all__ = [
    "FloatArray",
    "GroupKind",
    "GroupKinds",
    "IntArray",
    "Judgement",
    "group_index",
    "group_kinds",
    "judge",
    "reward_values",
]


class GroupKind(StrEnum):
    """What the scored rewards of a group say; a closed set.

    UNSCORABLE   no reward is known
    SINGLETON    one is: nothing to compare it with
    MIXED        they differ: the only kind that group-relative advantages learn from
    ALL_CORRECT  all equal, and a success
    ALL_WRONG    all equal, and worth nothing
    TIED         all equal, and in between (partial credit)
    """

    UNSCORABLE = "unscorable"
    SINGLETON = "singleton"
    MIXED = "mixed"
    ALL_CORRECT = "all_correct"
    ALL_WRONG = "all_wrong"
    TIED = "tied"

    @property
    def is_degenerate(self) -> bool:
        """Whether several rewards are known and all are equal."""
        return self in (GroupKind.ALL_CORRECT, GroupKind.ALL_WRONG, GroupKind.TIED)


_KINDS = tuple(GroupKind)


@dataclass(frozen=True)
class GroupKinds:
    """The groups of a batch, in order of first appearance; every tuple has one entry a group.

    Args:
        ids: group ids as given.
        kinds: the kind of each group.
        sizes: rows of each group, unscored ones included.
        scored: rows of each group whose reward is known.
        successes: scored rows whose reward is at least `correct_at`.
    """

    ids: tuple[Hashable, ...]
    kinds: tuple[GroupKind, ...]
    sizes: tuple[int, ...]
    scored: tuple[int, ...]
    successes: tuple[int, ...]

    def count(self, kind: GroupKind) -> int:
        """How many groups are of `kind`."""
        return self.kinds.count(kind)

    def of(self, group_id: Hashable) -> GroupKind:
        """The kind of one group.

        Raises:
            ArgumentError: no row had that id.
        """
        position = self._positions.get(group_id)
        if position is None:
            raise ArgumentError(f"group_id: expected one of the {len(self.ids)} ids given, got {group_id!r}")
        return self.kinds[position]

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {group_id: position for position, group_id in enumerate(self.ids)}


def group_kinds(
    rewards: Sequence[float | None] | npt.ArrayLike,
    group_ids: Sequence[Hashable] | npt.NDArray[Any],
    *,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
) -> GroupKinds:
    """The kind of every group of outcome rewards.

    Unscored rows are left out before anything is compared: seven successes and one unknown are
    all_correct, not mixed. Equality is exact, so that 0.1 + 0.2 and 0.3 are a mixed group; round rewards
    before they come here if that is not meant. `correct_at` and `wrong_at` name equal groups and count
    successes; they never make a group mixed or not.

    Args:
        rewards: (B,) raw outcome rewards, one a rollout; None or NaN where unknown.
        group_ids: (B,) what a rollout is compared within, any hashable; rows of a group need not be adjacent.
        correct_at: a reward of this or more is a success, so that an equal group above it (2.0 of a
            weighted sum) is all_correct too.
        wrong_at: an equal group of this or less is all_wrong, so that rewards in {-1, 1} need no option.

    Returns:
        One entry a group, in order of first appearance.

    Raises:
        ArgumentError: shapes that differ or are not (B,), a reward that is no number or infinite,
            an id that is unhashable or NaN, or wrong_at not below correct_at.

    Source:
        ours; exact equality is what NeMo-RL and tinker-cookbook filter by. The papers on advantage
        collapse threshold a standard deviation instead: see `collapse_rates`.

    Example:
        >>> kinds = group_kinds([1, 0, 1, None, 0, 0], ["a", "a", "b", "b", "c", "c"])
        >>> [str(kind) for kind in kinds.kinds], kinds.scored, kinds.successes
        (['mixed', 'singleton', 'all_wrong'], (2, 1, 2), (1, 1, 0))
    """
    values = reward_values(rewards)  # (B,)
    ids, index = group_index(group_ids)  # N ids, (B,)
    if len(index) != len(values):
        raise ArgumentError(f"group_ids: expected one id a reward ({len(values)}), got {len(index)}")
    count = np.bincount(index, minlength=len(ids))
    judgement = judge(values, index, count, correct_at=correct_at, wrong_at=wrong_at)
    successes = np.bincount(index[values >= correct_at], minlength=len(ids))  # NaN is not >= anything
    # Lists of Python numbers: the tuples that leave here are not numpy's.
    return GroupKinds(
        ids=ids,
        kinds=tuple(map(_KINDS.__getitem__, judgement.code.tolist())),
        sizes=tuple(count.tolist()),
        scored=tuple(judgement.scored.tolist()),
        successes=tuple(successes.tolist()),
    )


class Judgement(NamedTuple):
    """What `group_kinds` found, as arrays over groups 0..N-1: for callers who number their groups themselves.

    Args:
        code: (N,) the kind of each group, as its position in `tuple(GroupKind)`.
        scored: (N,) rows whose reward is known.
        lowest: (N,) the least known reward: in a degenerate group, every one. Infinite where none is known.
    """

    code: IntArray
    scored: IntArray
    lowest: FloatArray

    def is_kind(self, kind: GroupKind) -> npt.NDArray[np.bool_]:
        """(N,) True marks the groups of that kind."""
        return self.code == _KINDS.index(kind)


def judge(
    values: FloatArray, index: IntArray, count: IntArray, *, correct_at: float = 1.0, wrong_at: float = 0.0
) -> Judgement:
    """The judgement of `group_kinds` on rows that are checked and numbered already.

    Args:
        values: (B,) as `reward_values` returns them, NaN where unknown.
        index: (B,) the group of each row, 0..N - 1.
        count: (N,) rows of each group; one without rows is unscorable.
        correct_at, wrong_at: as in `group_kinds`.

    Raises:
        ArgumentError: wrong_at not below correct_at.
    """
    if not wrong_at < correct_at:
        raise ArgumentError(f"wrong_at: expected a number below correct_at = {correct_at}, got {wrong_at}")
    is_scored, scored = ~np.isnan(values), count
    if not is_scored.all():
        values, index = values[is_scored], index[is_scored]
        scored = np.bincount(index, minlength=len(count))
    lowest, highest = np.full(len(count), np.inf), np.full(len(count), -np.inf)  # (N,)
    np.minimum.at(lowest, index, values)
    np.maximum.at(highest, index, values)
    # GroupKind names the kinds in the order in which they are judged: the first rule that holds decides.
    rules = [scored == 0, scored == 1, lowest != highest, lowest >= correct_at, lowest <= wrong_at]  # (N,) each
    return Judgement(np.select(rules, range(len(rules)), default=len(rules)), scored, lowest)
