import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.training import Sampling
from rewardgate.training.generation.distribution import token_probabilities

LOGITS = torch.tensor([[0.5, 0.25, 0.15, 0.1]]).log()


def probabilities(forbidden: list[int] | None = None, **options: float) -> list[float]:
    sampling = Sampling(max_tokens=1, **options)  # pyright: ignore[reportArgumentType]
    ids = None if forbidden is None else torch.tensor(forbidden)
    return token_probabilities(LOGITS, sampling, ids)[0].tolist()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.5, 0.25, 0.15, 0.1]),
        # Squares: 0.25, 0.0625, 0.0225, 0.01; their sum is 0.345.
        ({"temperature": 0.5}, [0.25 / 0.345, 0.0625 / 0.345, 0.0225 / 0.345, 0.01 / 0.345]),
        ({"top_k": 2}, [2 / 3, 1 / 3, 0, 0]),
        ({"top_k": 9}, [0.5, 0.25, 0.15, 0.1]),
        ({"top_p": 0.74}, [2 / 3, 1 / 3, 0, 0]),
        ({"top_p": 0.76}, [0.5 / 0.9, 0.25 / 0.9, 0.15 / 0.9, 0]),
        ({"top_p": 1e-9}, [1, 0, 0, 0]),
        # The two that top_k leaves have 2/3 and 1/3: the first alone reaches 0.6.
        ({"top_k": 2, "top_p": 0.6}, [1, 0, 0, 0]),
    ],
)
def test_the_distribution_is_the_one_asked_for(options: dict[str, float], expected: list[float]) -> None:
    assert probabilities(**options) == pytest.approx(expected, abs=1e-6)


def test_forbidden_tokens_go_before_anything_is_cut() -> None:
    assert probabilities([0], top_k=2) == pytest.approx([0, 0.625, 0.375, 0])


def test_the_logits_are_left_alone() -> None:
    before = LOGITS.clone()
    probabilities([0], top_k=2, top_p=0.5)
    assert torch.equal(LOGITS, before)


@given(
    logits=st.lists(st.floats(-50, 50), min_size=2, max_size=12),
    top_p=st.floats(0.05, 1),
    top_k=st.integers(1, 12),
    temperature=st.floats(0.1, 3),
)
def test_what_is_kept_is_as_slow_loops_have_it(
    logits: list[float], top_p: float, top_k: int, temperature: float
) -> None:
    scaled = torch.tensor([logits], dtype=torch.float32)[0].double() / temperature
    weights = [math.exp(value - max(scaled.tolist())) for value in scaled.tolist()]
    least = sorted(weights, reverse=True)[min(top_k, len(weights)) - 1]
    kept = {token for token, weight in enumerate(weights) if weight >= least}
    total = sum(weights[token] for token in kept)
    sampling = Sampling(max_tokens=1, top_p=top_p, top_k=top_k, temperature=temperature)
    found = token_probabilities(torch.tensor([logits]), sampling)[0].tolist()
    reached, nucleus = 0.0, []
    for token in sorted(kept, key=lambda token: -weights[token]):
        if reached < top_p - 1e-5:  # what lies this close to the edge may fall on either side in float32
            nucleus.append(token)
        elif reached < top_p + 1e-5:
            return
        reached += weights[token] / total
    share = sum(weights[token] for token in nucleus)
    expected = [weights[token] / share if token in nucleus else 0.0 for token in range(len(weights))]
    assert found == pytest.approx(expected, abs=1e-5)
