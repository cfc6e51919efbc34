from math import nan

import numpy as np
import pytest
import torch
from hypothesis import given
from reward_batches import CONSTANTS, Batch, batches

from rewardgate.diagnostics import GroupKind, group_kinds
from rewardgate.grpo.scored import scored_rows


@pytest.mark.parametrize("reward", CONSTANTS)
@pytest.mark.parametrize("size", [2, 3, 7, 64])
def test_the_mean_of_equal_rewards_is_that_reward(reward: float, size: int) -> None:
    # 0.1 + 0.1 + 0.1 is not 3 x 0.1: a mean by sum and quotient misses it.
    rewards = torch.full((size,), reward, dtype=torch.float64)
    assert scored_rows(rewards.unsqueeze(0), None).means().tolist() == [reward]
    beside = torch.cat([rewards, torch.tensor([nan, 1.0, 0.0], dtype=torch.float64)])
    ids = torch.tensor([4] * (size + 1) + [2, 2])
    assert scored_rows(beside, ids).means().tolist() == [reward, 0.5]


@given(batches())
def test_the_kinds_are_those_of_the_one_judge(batch: Batch) -> None:
    kinds, rows = group_kinds(batch.rewards, batch.ids), scored_rows(*batch.tensors)
    for kind in GroupKind:
        assert rows.judgement.is_kind(kind).tolist() == [found is kind for found in kinds.kinds]
        expected = [kinds.of(i) is kind and reward == reward for reward, i in zip(*batch, strict=True)]
        assert rows.in_groups(kind).tolist() == expected


@given(batches())
def test_the_batch_as_one_group_holds_all_scored_rows(batch: Batch) -> None:
    rows = scored_rows(*batch.tensors).as_one_group()
    expected = group_kinds(batch.rewards, [0] * len(batch.rewards))
    assert rows.judgement.scored.tolist() == (list(expected.scored) or [0])
    assert list(GroupKind)[rows.judgement.code[0]] is (expected.kinds or (GroupKind.UNSCORABLE,))[0]


@pytest.mark.parametrize("ids", [[5, 5, 2, 2], [5, 2, 5, 2]])
def test_sums_and_spread_are_the_same_for_views_and_for_rows_apart(ids: list[int]) -> None:
    rows = scored_rows(torch.tensor([1.0, 0.0, 0.0, 1.0]), torch.tensor(ids))
    values = np.array([1.0, 2.0, 4.0, 8.0])
    sums = {5: 3.0, 2: 12.0} if ids[1] == 5 else {5: 5.0, 2: 10.0}
    squares = {5: 5.0, 2: 80.0} if ids[1] == 5 else {5: 17.0, 2: 68.0}
    assert rows.sums(values).tolist() == list(sums.values())
    assert rows.sums(values, times=values).tolist() == list(squares.values())
    assert rows.spread(rows.sums(values)).tolist() == [sums[i] for i in ids]
    assert rows.minus(values, rows.sums(values)).tolist() == [v - sums[i] for v, i in zip(values, ids, strict=True)]
