from pathlib import Path

import pytest
from tool_dumps import write_state

from rewardgate.rollouts.formats.trl_state import TrainerState, find_state


def state(*steps: tuple[float, float, float]) -> TrainerState:
    names = ("reward", "rewards/a/mean", "rewards/b/mean")
    return TrainerState({number: dict(zip(names, step, strict=True)) for number, step in enumerate(steps)})


@pytest.mark.parametrize(
    ("steps", "weights"),
    [
        ([(1.0, 0.5, 0.5)], [1.0, 1.0]),  # plain sums need no solving
        ([(1.0, 0.5, 1.0), (0.5, 0.5, 0.0), (0.75, 0.25, 1.0)], [1.0, 0.5]),
        ([(1.0, 0.5, 1.0), (0.5, 0.5, 0.0)], None),  # two weights always fit two steps
        ([(1.0, 1.0, 2.0), (2.0, 2.0, 4.0), (3.0, 3.0, 6.0)], None),  # the two always move together
        ([(1.0, 0.3, 0.1), (0.2, 0.9, 0.1), (0.7, 0.2, 0.9)], None),  # no sum
        ([], None),
    ],
)
def test_weights_are_settled_by_more_steps_than_there_are_rewards(
    steps: list[tuple[float, float, float]], weights: list[float] | None
) -> None:
    assert state(*steps).weights(["a", "b"]) == (None if weights is None else pytest.approx(weights))


def test_names_are_those_of_the_means_slashes_included(tmp_path: Path) -> None:
    write_state(tmp_path, {"step": 1, "rewards/mine/deep/mean": 1.0, "rewards/mine/deep/std": 0.0, "kl": 0.1})
    found = find_state([tmp_path / "completions/completions_00001.parquet"])
    assert found.reward_names == ["mine/deep"]
    assert found.metrics[1] == {"rewards/mine/deep/mean": 1.0, "rewards/mine/deep/std": 0.0, "kl": 0.1}


def test_no_state_is_an_empty_one(tmp_path: Path) -> None:
    found = find_state([tmp_path / "completions_00001.parquet"])
    assert (found.metrics, found.notes, found.reward_names) == ({}, [], [])
