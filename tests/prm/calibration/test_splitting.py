from random import Random

from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.calibration import is_chosen_on

ids = st.lists(st.text(st.characters(), max_size=3), max_size=30)


@given(ids, st.integers(0, 5))
def test_half_of_the_problems_are_chosen_on_and_every_problem_is_on_one_side(problems: list[str], seed: int) -> None:
    side = dict(zip(problems, is_chosen_on(problems, seed=seed).tolist(), strict=True))
    assert sum(side.values()) == len(side) // 2
    assert is_chosen_on(problems, seed=seed).tolist() == [side[problem] for problem in problems]


@given(ids, st.randoms(use_true_random=False))
def test_the_side_does_not_depend_on_the_order(problems: list[str], shuffle: Random) -> None:
    shuffled = list(problems)
    shuffle.shuffle(shuffled)
    one = dict(zip(problems, is_chosen_on(problems, seed=0).tolist(), strict=True))
    assert one == dict(zip(shuffled, is_chosen_on(shuffled, seed=0).tolist(), strict=True))


def test_another_seed_is_another_half() -> None:
    problems = [str(number) for number in range(50)]
    assert is_chosen_on(problems, seed=0).tolist() != is_chosen_on(problems, seed=1).tolist()
