"""The verifier that looks at the target first."""

import pytest

from rewardgate.errors import UnknownNameError
from rewardgate.verifiers.auto import AutoVerifier
from rewardgate.verifiers.base import Outcome

VERIFIER = AutoVerifier()


@pytest.mark.parametrize(
    ("completion", "target", "name"),
    [
        ("The answer is 5.", "5", "math"),
        (r"\boxed{\frac12}", "0.5", "math"),
        ("Answer: (B)", "B", "choice"),
        (r"\boxed{\text{(E)}}", r"\text{(E)}", "choice"),
        (r"\boxed{Evelyn}", r"\text{Evelyn}", "exact"),
        ("The answer is 5.", ["4", "5"], "math"),
        ("The answer is 5.", {"answer": "5"}, "math"),
        ("The answer is 5.", {"ground_truth": {"answer": "5"}}, "math"),
        ("The answer is 18.", "9*2=18\n#### 18", "math"),
        ("<think>a</think><answer>5</answer>", {"required_tags": ["think", "answer"]}, "format"),
    ],
)
def test_each_kind_of_target_finds_its_verifier(completion: str, target: object, name: str):
    verdict = VERIFIER.verify(completion, target)
    assert verdict.detail.startswith(f"{name}, because the target")
    assert verdict.reward == 1


@pytest.mark.parametrize("target", [{}, {"foo": 1}, [], True, None, [None, 5], {"answer": None}])
def test_a_target_of_no_known_kind_is_bad(target: object):
    verdict = VERIFIER.verify("The answer is 5.", target)
    assert (verdict.outcome, verdict.reward) == (Outcome.BAD_TARGET, None)


def test_an_extractor_is_handed_on_and_checked_when_built():
    assert AutoVerifier(extractor="hash").verify("It is 4, no: \n#### 5", "5").reward == 1
    with pytest.raises(UnknownNameError):
        AutoVerifier(extractor="nothing_of_the_kind")
