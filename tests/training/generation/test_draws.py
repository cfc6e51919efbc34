import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.training.generation.draws import drawn, uniforms


def test_every_completion_has_numbers_of_its_own() -> None:
    streams = [uniforms(seed, prompt, sample, 4).tolist() for seed in (0, 1) for prompt in (0, 1) for sample in (0, 1)]
    assert len({tuple(stream) for stream in streams}) == 8


def test_a_longer_budget_changes_no_number() -> None:
    assert uniforms(7, 3, 1, 1000)[:10].tolist() == uniforms(7, 3, 1, 10).tolist()


def test_the_numbers_are_those_of_every_machine() -> None:
    # Philox4x64-10 under numpy's SeedSequence: both are kept the same across numpy's versions.
    raw = np.random.Philox(np.random.SeedSequence([5, 2, 1])).random_raw(2).tolist()
    assert uniforms(5, 2, 1, 2).tolist() == [(value >> 16) / 2**48 for value in raw]


def test_the_numbers_are_even() -> None:
    numbers = np.concatenate([uniforms(0, prompt, 0, 100) for prompt in range(100)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts = np.histogram(numbers, bins=10, range=(0, 1))[0]
    # 10,000 numbers: 1,000 a tenth, standard deviation 30.
    assert abs(counts - 1000).max() < 150


def test_the_token_is_the_first_whose_sum_is_above_the_number() -> None:
    probabilities = torch.tensor([[0.25, 0.0, 0.5, 0.25, 0.0]]).expand(6, 5)
    # Sums: 0.25, 0.25, 0.75, 1, 1. A number on a boundary belongs to the next token that has a share.
    numbers = torch.tensor([0.0, 0.2499, 0.25, 0.7499, 0.75, 1 - 2.0**-48], dtype=torch.float64)
    assert drawn(probabilities, numbers).tolist() == [0, 0, 2, 2, 3, 3]


@given(
    weights=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=30).filter(lambda weights: sum(weights) > 1e-30),
    number=st.integers(0, 2**48 - 1).map(lambda number: number * 2.0**-48),
)
def test_no_token_without_probability_is_drawn(weights: list[float], number: float) -> None:
    (token,) = drawn(torch.tensor([weights]), torch.tensor([number], dtype=torch.float64)).tolist()
    assert weights[token] > 0


def test_tokens_come_as_often_as_they_should() -> None:
    shares = [0.5, 0.2, 0.05, 0.25]
    numbers = torch.from_numpy(np.concatenate([uniforms(0, prompt, 0, 1000) for prompt in range(20)]))
    tokens = drawn(torch.tensor([shares]).expand(len(numbers), 4), numbers)
    found = torch.bincount(tokens, minlength=4) / len(numbers)
    # The widest standard deviation is sqrt(0.25 / 20,000) = 0.0035.
    assert found.tolist() == pytest.approx(shares, abs=0.014)


def test_a_large_vocabulary_loses_no_tail() -> None:
    # 2**17 equal tokens: in float32 sums near 1 would differ by less than they can hold apart.
    size = 2**17
    probabilities = torch.full((3, size), 1 / size)
    numbers = torch.tensor([0.0, (size - 2.5) / size, (size - 0.5) / size], dtype=torch.float64)
    assert drawn(probabilities, numbers).tolist() == [0, size - 3, size - 1]
