import pytest

from rewardgate.errors import ArgumentError
from rewardgate.training import Sampling


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 0}, "max_tokens: expected at least 1, got 0"),
        ({"max_tokens": 1, "temperature": 0}, "temperature: expected a positive number, got 0"),
        ({"max_tokens": 1, "temperature": float("nan")}, "temperature: expected a positive number, got nan"),
        ({"max_tokens": 1, "top_p": 0}, r"top_p: expected a share in \(0, 1\], got 0"),
        ({"max_tokens": 1, "top_k": 0}, "top_k: expected at least 1 or None, got 0"),
    ],
)
def test_sampling_that_cannot_be_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Sampling(**options)  # pyright: ignore[reportArgumentType]


def test_a_distribution_is_truncated_by_either_option() -> None:
    truncated = [Sampling(max_tokens=1, **options).is_truncated for options in ({}, {"top_p": 0.9}, {"top_k": 5})]
    assert truncated == [False, True, True]
