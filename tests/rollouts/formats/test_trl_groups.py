import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.rollouts.formats.trl_groups import Batches


def numbers_of(rows: list[tuple[int, str, float | None]]) -> list[int]:
    batches = Batches()
    for number, (step, prompt, advantage) in enumerate(rows):
        batches.add(step, prompt, str(number), advantage)
    return batches.groups()


def standardised(rewards: list[float]) -> list[float]:
    values = np.asarray(rewards)
    return ((values - values.mean()) / (values.std(ddof=1) + 1e-4)).tolist()


def test_runs_of_one_prompt_are_groups_and_a_new_step_ends_them() -> None:
    rows = [(1, "a", 0.0), (1, "a", 0.0), (1, "b", 0.0), (1, "b", 0.0), (2, "b", 0.0), (2, "b", 0.0)]
    assert numbers_of(rows) == [0, 0, 1, 1, 2, 2]


def test_a_run_without_a_sign_is_cut_as_the_others_are() -> None:
    # Eight rows of "a", all equal, may be one group of 8 or two of 4: "b" says 4.
    rows = [(1, "a", 0.0)] * 8 + [(1, "b", advantage) for advantage in (1.5, -0.5, -0.5, -0.5)]
    assert numbers_of(rows) == [0] * 4 + [1] * 4 + [2] * 4


def test_a_rest_that_is_no_whole_group_stays_one() -> None:
    assert numbers_of([(1, "a", 0.0)] * 2 + [(1, "b", 0.0)] * 4 + [(1, "c", 0.0)] * 4) == [0] * 2 + [1] * 4 + [2] * 4


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_advantage_decides_nothing(missing: float | None) -> None:
    assert numbers_of([(1, "a", missing)] * 8) == [0] * 8


@given(
    size=st.sampled_from([2, 3, 4, 8]),
    seed=st.integers(0, 2**32 - 1),
    n_groups=st.integers(1, 6),
    n_prompts=st.integers(1, 3),
)
def test_groups_of_random_rewards_are_found_again(size: int, seed: int, n_groups: int, n_prompts: int) -> None:
    random = np.random.default_rng(seed)
    rows: list[tuple[int, str, float | None]] = []
    expected: list[int] = []
    for group in range(n_groups):
        advantages = standardised(random.normal(size=size).tolist())
        rows += [(1, f"p{group % n_prompts}", advantage) for advantage in advantages]
        expected += [group] * size
    assert numbers_of(rows) == expected
