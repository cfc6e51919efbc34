from typing import Any

import pytest
from completions import anchored_text, completions
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.verifiers import Outcome, Verdict, Verifier, extractors, get, verifiers


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


_JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | anchored_text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["answer", "ground_truth", "tags", "schema", "tests", "content", "type", "text", "$ref"])
            | st.integers(),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
_MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.just("assistant") | _JSON_LIKE}, optional={"content": _JSON_LIKE}), max_size=2
)
_ITSELF: dict[str, Any] = {}
_ITSELF["answer"] = _ITSELF
_DEEP: list[Any] = []
for _ in range(100_000):
    _DEEP = [_DEEP]


def built(name: str) -> Verifier:
    """The verifier of that name, with the parts that a composition cannot be built without."""
    parts: dict[str, Any] = {
        "all_of": ["math", "exact"],
        "first_that_decides": ["numeric", "choice"],
        "weighted": {"auto": 1, "format": 2},
    }
    return get(name, parts=parts[name]) if name in parts else get(name)


@pytest.mark.parametrize("name", verifiers.names())
@given(target=_JSON_LIKE | st.dictionaries(st.text(max_size=4), _JSON_LIKE), completion=completions | _MESSAGES)
def test_no_target_and_no_completion_makes_a_verifier_raise(name: str, target: Any, completion: Any) -> None:
    assert isinstance(built(name).verify(completion, target), Verdict)


UNUSABLE = {
    "mixed keys": {1: 2, "a": 3},
    "a number of tags": {"tags": 5},
    "long tag": {"tags": [10**5_000]},
    "no schema": {"schema": 5},
    "itself": _ITSELF,
    "long integer": [10**5_000],
    "long value": {"a": 10**5_000},
    "deep": _DEEP,
}


@pytest.mark.parametrize("name", verifiers.names())
def test_a_target_that_no_verifier_can_use_is_bad(name: str) -> None:
    for fault, target in UNUSABLE.items():
        verdict = built(name).verify("5", target)
        assert (verdict.outcome, verdict.reward) == (Outcome.BAD_TARGET, None), fault


@pytest.mark.parametrize("name", ["auto", "choice", "exact", "math", "numeric"])
def test_an_extractor_is_a_registered_name_or_an_extractor(name: str) -> None:
    named, given_ = (get(name, extractor=one).verify("#### 5\nB", "5") for one in ("hash", extractors.create("hash")))
    assert named == given_
    with pytest.raises(UnknownNameError, match=r'^extractor: unknown name "hsh"'):
        get(name, extractor="hsh")
    with pytest.raises(ArgumentError, match=r"^extractor: expected a registered name or an extractor, got int"):
        get(name, extractor=5)
