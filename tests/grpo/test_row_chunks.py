"""Rows in chunks: all of them, once, in order, within the budget."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo.row_chunks import budget_bytes, row_chunks


@given(st.integers(0, 5000), st.integers(1, 10**6), st.integers(1, 10**8))
def test_chunks_tile_the_rows_within_the_budget(n_rows: int, row_bytes: int, budget: int) -> None:
    chunks = row_chunks(n_rows, row_bytes, budget)
    lengths = [chunk.stop - chunk.start for chunk in chunks]
    assert [row for chunk in chunks for row in range(chunk.start, chunk.stop)] == list(range(n_rows))
    assert all(length * row_bytes <= budget or length == 1 for length in lengths)


def test_chunks_are_of_nearly_equal_length() -> None:
    # 450 // 100 = 4 rows fit; 10 rows are 3 chunks of ceil(10 / 3) = 4 at most.
    assert [chunk.stop - chunk.start for chunk in row_chunks(10, 100, 450)] == [4, 4, 2]
    # 1000 rows where 900 fit: 2 chunks of 500, rounded up to a multiple of 16.
    assert [chunk.stop - chunk.start for chunk in row_chunks(1000, 1, 900)] == [512, 488]


def test_the_usual_budget_is_smaller_on_a_cpu() -> None:
    assert budget_bytes(None, torch.device("cpu")) == 128 * 2**20
    assert budget_bytes(None, torch.device("cuda")) == 2048 * 2**20
    assert budget_bytes(1.5, torch.device("cuda")) == 1.5 * 2**20


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf")])
def test_a_budget_must_be_positive(budget: float) -> None:
    with pytest.raises(ArgumentError, match="chunk_mib: expected a positive number or None, got"):
        budget_bytes(budget, torch.device("cpu"))
