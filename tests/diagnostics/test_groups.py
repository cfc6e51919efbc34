import pickle
from collections.abc import Iterator
from math import nan
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics import GroupKind, group_index, group_kinds, reward_values
from rewardgate.diagnostics.groups import judge
from rewardgate.errors import ArgumentError

REWARDS = st.lists(st.sampled_from([None, nan, -1.0, 0.0, 0.1, 0.5, 1.0, 2.0]), max_size=24)


def kind_by_loop(rewards: list[float | None], correct_at: float = 1.0, wrong_at: float = 0.0) -> GroupKind:
    """The contract, word by word, for one group."""
    known = [reward for reward in rewards if reward is not None and reward == reward]
    if not known:
        return GroupKind.UNSCORABLE
    if len(known) == 1:
        return GroupKind.SINGLETON
    if any(reward != known[0] for reward in known):
        return GroupKind.MIXED
    if known[0] >= correct_at:
        return GroupKind.ALL_CORRECT
    return GroupKind.ALL_WRONG if known[0] <= wrong_at else GroupKind.TIED


@pytest.mark.parametrize(
    ("rewards", "kind"),
    [
        ([1, 0, 1, 0], GroupKind.MIXED),
        ([1.0] * 8, GroupKind.ALL_CORRECT),
        ([0.0] * 8, GroupKind.ALL_WRONG),
        ([0.5] * 8, GroupKind.TIED),
        ([0.0, 0.5], GroupKind.MIXED),
        ([None, nan], GroupKind.UNSCORABLE),
        ([None, 1.0], GroupKind.SINGLETON),
        ([1.0] * 7 + [None], GroupKind.ALL_CORRECT),
        ([0.0] * 7 + [nan], GroupKind.ALL_WRONG),
        ([2.0, 2.0], GroupKind.ALL_CORRECT),
        ([-1.0, -1.0], GroupKind.ALL_WRONG),
        ([-1.0, 1.0], GroupKind.MIXED),
        ([True, True], GroupKind.ALL_CORRECT),
    ],
)
def test_each_kind_is_told_from_its_scored_rewards(rewards: list[float | None], kind: GroupKind) -> None:
    assert group_kinds(rewards, ["g"] * len(rewards)).of("g") is kind


@pytest.mark.parametrize("reward", [0.1, 0.3, 0.7, 1 / 3, 1e4 + 0.1, 1e-12])
@pytest.mark.parametrize("size", [3, 7, 16])
def test_equal_rewards_are_never_mixed_whatever_their_mean_rounds_to(reward: float, size: int) -> None:
    assert group_kinds([reward] * size, [0] * size).kinds[0].is_degenerate
    single = np.full(size, reward, dtype=np.float32)
    assert group_kinds(single, [0] * size).kinds[0].is_degenerate


def test_rewards_that_differ_in_the_last_bit_are_mixed() -> None:
    assert group_kinds([0.1 + 0.2, 0.3], [0, 0]).kinds == (GroupKind.MIXED,)
    assert group_kinds([1.0, np.nextafter(1.0, 0)], [0, 0]).kinds == (GroupKind.MIXED,)
    assert group_kinds([0.0, -0.0], [0, 0]).kinds == (GroupKind.ALL_WRONG,)


def test_groups_need_not_be_adjacent_and_keep_the_order_of_first_appearance() -> None:
    kinds = group_kinds([1, 0, 1, 1, None, 0], ["b", "a", "b", "a", "c", "a"])
    assert kinds.ids == ("b", "a", "c")
    assert kinds.kinds == (GroupKind.ALL_CORRECT, GroupKind.MIXED, GroupKind.UNSCORABLE)
    assert (kinds.sizes, kinds.scored, kinds.successes) == ((2, 3, 1), (2, 3, 0), (2, 1, 0))
    assert len(kinds) == 3
    assert [kinds.count(kind) for kind in GroupKind] == [1, 0, 1, 1, 0, 0]


def test_thresholds_name_equal_groups_and_count_successes_but_never_mix_them() -> None:
    kinds = group_kinds([0.8, 0.8, 0.2, 0.2, 0.8, 0.9], [0, 0, 1, 1, 2, 2], correct_at=0.7, wrong_at=0.3)
    assert kinds.kinds == (GroupKind.ALL_CORRECT, GroupKind.ALL_WRONG, GroupKind.MIXED)
    assert kinds.successes == (2, 0, 2)


@given(REWARDS, st.integers(1, 5))
def test_the_kinds_are_those_of_a_loop_over_each_group(rewards: list[float | None], n_groups: int) -> None:
    ids = [row * 7 % n_groups for row in range(len(rewards))]
    kinds = group_kinds(rewards, ids)
    for group_id in set(ids):
        assert kinds.of(group_id) is kind_by_loop([r for r, i in zip(rewards, ids, strict=True) if i == group_id])


@given(REWARDS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_unscored_rows_change_no_kind(rewards: list[float | None], random: Random) -> None:
    ids = [row % 3 for row in range(len(rewards))]
    rows = [*zip(rewards, ids, strict=True), (None, 0), (nan, 1)]
    random.shuffle(rows)
    shuffled = group_kinds([reward for reward, _ in rows], [group_id for _, group_id in rows])
    plain = group_kinds(rewards, ids)
    assert all(shuffled.of(group_id) is plain.of(group_id) for group_id in plain.ids)


def test_numbered_rows_are_judged_alike_and_a_group_without_rows_is_unscorable() -> None:
    judgement = judge(np.array([1.0, 0.35, 0.35, nan, 1.0]), np.array([0, 2, 2, 3, 0]), np.array([2, 0, 2, 1]))
    kinds = [GroupKind.ALL_CORRECT, GroupKind.UNSCORABLE, GroupKind.TIED, GroupKind.UNSCORABLE]
    assert [list(GroupKind)[code] for code in judgement.code] == kinds
    assert judgement.is_kind(GroupKind.UNSCORABLE).tolist() == [False, True, False, True]
    assert judgement.scored.tolist() == [2, 0, 2, 0]
    assert judgement.lowest.tolist() == [1.0, float("inf"), 0.35, float("inf")]


@pytest.mark.parametrize(
    ("rewards", "ids", "message"),
    [
        (np.ones((4, 2)), [0] * 4, r"rewards: expected shape \(B,\), got \(4, 2\)"),
        ([[1, 0], [1]], [0, 0], r"rewards: expected shape \(B,\), got rows of different lengths"),
        (1.0, [0], r"rewards: expected shape \(B,\), got \(\)"),
        (["1.0", "0.0"], [0, 0], "rewards: expected numbers or None, got dtype <U3"),
        ([1.0, None, "0"], [0] * 3, "rewards: expected numbers or None, got '0' in row 2"),
        ([1.0, 1j], [0, 0], "rewards: expected numbers or None, got dtype complex128"),
        ([1.0, float("inf")], [0, 0], "rewards: expected finite numbers, got inf in row 1"),
        ([1.0, 0.0], [0], r"group_ids: expected one id a reward \(2\), got 1"),
        ([1.0, 0.0], [[0], [0]], r"group_ids: expected hashable ids, got \[0\] in row 0"),
        ([1.0, 0.0], [0.0, nan], "group_ids: expected ids that equal themselves, got nan in row 1"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(rewards: object, ids: list, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        group_kinds(rewards, ids)


def test_thresholds_in_the_wrong_order_and_unknown_ids_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"wrong_at: expected a number below correct_at = 1.0, got 1.0"):
        group_kinds([1.0], [0], wrong_at=1.0)
    with pytest.raises(ArgumentError, match="group_id: expected one of the 1 ids given, got 'q'"):
        group_kinds([1.0], ["p"]).of("q")


class Tensor:
    """As much of a tensor as matters: iterating gives objects that hash by identity, `tolist` gives numbers."""

    def __init__(self, values: list) -> None:
        self._values = values

    def tolist(self) -> list:
        return self._values

    def __iter__(self) -> Iterator[object]:
        return iter([object() for _ in self._values])


def test_arrays_and_tensors_are_read_by_value() -> None:
    ids = np.array([3, 3, 5, 5])
    assert group_kinds(np.array([1.0, 0.0, 1.0, 1.0], dtype=np.float16), ids).ids == (3, 5)
    tensor = group_kinds(Tensor([1.0, 0.0, 1.0, 1.0]), Tensor([3, 3, 5, 5]))
    assert tensor.kinds == (GroupKind.MIXED, GroupKind.ALL_CORRECT)


def test_an_empty_batch_has_no_groups() -> None:
    kinds = group_kinds([], [])
    assert (kinds.ids, kinds.kinds, len(kinds), kinds.count(GroupKind.MIXED)) == ((), (), 0, 0)


def test_the_result_is_plain_python_and_survives_pickling() -> None:
    kinds = group_kinds(np.array([1.0, 0.0]), np.array([4, 4]))
    kinds.of(4)
    assert pickle.loads(pickle.dumps(kinds)) == kinds
    assert {type(value) for value in (*kinds.ids, *kinds.sizes, *kinds.scored, *kinds.successes)} == {int}


def test_reward_values_and_group_index_copy_and_never_write_to_what_they_are_given() -> None:
    rewards, ids = np.array([1.0, nan]), np.array([1, 0])
    reward_values(rewards)[0] = 5
    group_index(ids)[1][0] = 5
    assert rewards[0] == 1.0
    assert ids.tolist() == [1, 0]
