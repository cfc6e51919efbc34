"""Compositions: weights, all of them, the first that decides, and what an unknown part does to each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.rollouts.messages import Completion, Prompt
from rewardgate.verifiers.base import Outcome, Target, Verdict, get
from rewardgate.verifiers.compose import AllOf, FirstThatDecides, Weighted


class Fixed:
    """A verifier that always says the same, and counts how often it is asked."""

    version = "7"

    def __init__(self, outcome: Outcome, reward: float | None) -> None:
        self.verdict = Verdict(outcome, reward, rule="fixed")
        self.asked = 0

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        self.asked += 1
        return self.verdict


def right() -> Fixed:
    return Fixed(Outcome.CORRECT, 1.0)


def wrong() -> Fixed:
    return Fixed(Outcome.INCORRECT, 0.0)


def partial(reward: float) -> Fixed:
    return Fixed(Outcome.INCORRECT, reward)


def unknown() -> Fixed:
    return Fixed(Outcome.ERROR, None)


def silent() -> Fixed:
    return Fixed(Outcome.NO_ANSWER, 0.0)


def test_a_weighted_reward_is_the_weighted_mean():
    verdict = Weighted([(right(), 3), (wrong(), 1)]).verify("", "")
    assert (verdict.outcome, verdict.reward) == (Outcome.INCORRECT, 0.75)  # (3 * 1 + 1 * 0) / 4


@given(st.lists(st.tuples(st.floats(0, 0.999), st.floats(1e-3, 1e3)), min_size=1, max_size=5))
def test_a_weighted_reward_is_full_only_where_every_part_is(parts: list[tuple[float, float]]):
    assert Weighted([(right(), weight) for _, weight in parts]).verify("", "").reward == 1
    verdict = Weighted([(partial(reward), weight) for reward, weight in parts]).verify("", "")
    assert verdict.outcome is Outcome.INCORRECT
    assert verdict.reward is not None
    assert verdict.reward < 1


def test_a_tiny_missing_part_is_not_rounded_to_a_full_reward():
    verdict = Weighted([(right(), 1e18), (wrong(), 1e-18)]).verify("", "")
    assert verdict.reward is not None
    assert verdict.reward < 1


def test_an_unknown_part_leaves_a_weighted_whole_unknown():
    verdict = Weighted([(right(), 1), (unknown(), 1)]).verify("", "")
    assert (verdict.outcome, verdict.reward) == (Outcome.ERROR, None)


def test_all_of_takes_the_least_and_stops_at_a_zero():
    late = right()
    assert AllOf([right(), right()]).verify("", "").reward == 1
    assert AllOf([right(), partial(0.5)]).verify("", "").reward == 0.5
    assert AllOf([wrong(), late]).verify("", "").reward == 0
    assert late.asked == 0


def test_a_zero_decides_all_of_them_although_another_is_unknown():
    assert AllOf([unknown(), wrong()]).verify("", "").reward == 0
    assert AllOf([unknown(), right()]).verify("", "").reward is None


def test_the_first_that_decides_is_asked_last():
    late = right()
    assert FirstThatDecides([wrong(), late]).verify("", "").reward == 0
    assert late.asked == 0
    assert FirstThatDecides([silent(), unknown(), right()]).verify("", "").reward == 1


def test_where_none_decides_the_unknown_one_counts():
    assert FirstThatDecides([silent(), unknown(), silent()]).verify("", "").reward is None
    assert FirstThatDecides([silent(), silent()]).verify("", "").outcome is Outcome.NO_ANSWER


def test_compositions_are_registered_and_tell_their_parts():
    verifier = get("all_of", parts=["math", "numeric"])
    verdict = verifier.verify("The answer is 5.", "5")
    assert verdict.reward == 1
    assert "math: correct" in verdict.detail
    assert "numeric: correct" in verdict.detail
    assert "math 1" in verifier.version
    assert get("weighted", parts={"math": 1.0}).verify("The answer is 5.", "5").reward == 1
    assert get("first_that_decides", parts=["math"]).verify("The answer is 4.", "5").reward == 0


@pytest.mark.parametrize("parts", [[], "math", [(right(), 0)], [(right(), float("nan"))], {"math": -1}])
def test_unusable_parts_are_refused(parts: object):
    with pytest.raises(ArgumentError, match=r"^parts: expected"):
        Weighted(parts) if parts != "math" else AllOf("math")


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"known: .*math"):
        AllOf(["maths"])
