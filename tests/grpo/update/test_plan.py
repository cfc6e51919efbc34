"""How rows become optimizer steps and micro-batches."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.grpo.update import RowTokens, UpdateBatch, UpdateConfig
from rewardgate.grpo.update.plan import cut_to, mini_batches


def batch_of(groups: list[int] | None, rows: int = 6) -> UpdateBatch:
    ids = None if groups is None else torch.tensor(groups)
    return UpdateBatch([[1]] * rows, [[2]] * rows, torch.ones(rows), group_ids=ids)


def test_parts_are_cut_in_order_and_between_groups() -> None:
    assert mini_batches(batch_of(None), UpdateConfig(mini_batches=4), seed=0) == [[0], [1, 2], [3], [4, 5]]
    groups = [7, 7, 3, 7, 3, 5]  # 7 has rows 0, 1, 3
    assert mini_batches(batch_of(groups), UpdateConfig(mini_batches=3), seed=0) == [[0, 1, 3], [2, 4], [5]]


def test_more_parts_than_rows_leave_some_empty() -> None:
    parts = mini_batches(batch_of(None, rows=2), UpdateConfig(mini_batches=3), seed=0)
    assert sorted(len(part) for part in parts) == [0, 1, 1]


@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 5), st.booleans())
def test_every_epoch_has_every_row_once(epochs: int, parts: int, seed: int, shuffle: bool) -> None:
    config = UpdateConfig(epochs=epochs, mini_batches=parts, shuffle=shuffle)
    found = mini_batches(batch_of([0, 0, 1, 1, 2, 2]), config, seed=seed)
    assert len(found) == epochs * parts
    for epoch in range(epochs):
        rows = [row for part in found[epoch * parts : (epoch + 1) * parts] for row in part]
        assert sorted(rows) == list(range(6))
    assert found == mini_batches(batch_of([0, 0, 1, 1, 2, 2]), config, seed=seed)


def test_shuffling_deals_groups_anew_every_epoch() -> None:
    config = UpdateConfig(epochs=2, mini_batches=2, shuffle=True)
    found = [mini_batches(batch_of(None, rows=20), config, seed=seed) for seed in (1, 2)]
    assert found[0] != found[1]
    assert found[0][0] != found[0][2]


def test_completions_end_with_the_last_token_that_is_needed() -> None:
    rows = RowTokens([torch.tensor([1])] * 3, [torch.arange(4)] * 3, [0] * 3)
    needed = torch.tensor([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]).bool()
    assert cut_to(rows, needed).completion_lengths == [2, 4, 1]
