import pytest

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.verifiers import Outcome, Verdict, extractors, get, verifiers


def test_the_set_of_outcomes_is_closed() -> None:
    assert {outcome.value for outcome in Outcome} == {
        "correct", "incorrect", "no_answer", "hedged", "unsupported", "budget", "bad_target", "error",
    }  # fmt: skip


@pytest.mark.parametrize("outcome", [Outcome.BAD_TARGET, Outcome.ERROR])
@pytest.mark.parametrize("reward", [0.0, 0.5, 1.0])
def test_a_fault_of_ours_or_of_the_target_is_never_a_number(outcome: Outcome, reward: float) -> None:
    with pytest.raises(ArgumentError, match="expected None"):
        Verdict(outcome, reward)


@pytest.mark.parametrize("outcome", [Outcome.CORRECT, Outcome.INCORRECT, Outcome.NO_ANSWER, Outcome.HEDGED])
def test_a_model_cannot_make_its_own_reward_unknown(outcome: Outcome) -> None:
    with pytest.raises(ArgumentError, match="got None"):
        Verdict(outcome, None)


@pytest.mark.parametrize("outcome", [Outcome.BUDGET, Outcome.UNSUPPORTED])
def test_an_exhausted_budget_is_zero_or_unknown_by_who_caused_it(outcome: Outcome) -> None:
    assert Verdict(outcome, 0.0).reward == 0.0
    assert Verdict(outcome, None).reward is None


def test_correct_means_reward_one_and_nothing_else_does() -> None:
    assert Verdict(Outcome.CORRECT, 1.0).outcome == "correct"
    assert Verdict(Outcome.INCORRECT, 0.6).reward == 0.6
    for outcome, reward in [(Outcome.CORRECT, 0.5), (Outcome.INCORRECT, 1.0), (Outcome.BUDGET, 1.0)]:
        with pytest.raises(ArgumentError, match="if and only if correct"):
            Verdict(outcome, reward)


def test_two_verdicts_that_differ_in_time_alone_are_equal() -> None:
    assert Verdict(Outcome.INCORRECT, 0.0, seconds=1.0) == Verdict(Outcome.INCORRECT, 0.0, seconds=2.0)


def test_every_registered_name_can_be_built() -> None:
    for name in extractors.names():
        assert hasattr(extractors.create(name), "extract")
    for name in ("auto", "choice", "exact", "math", "numeric"):
        assert get(name).version


def test_an_unknown_verifier_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r'verifier: unknown name "numerc"; known: .*choice.*math.*numeric'):
        get("numerc")
    assert "math" in verifiers
