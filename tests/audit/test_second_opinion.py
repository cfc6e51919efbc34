from audited import Suspect, audited, causes_of, group

from rewardgate.audit.second_opinion import SecondOpinion, accepts, is_same_verifier
from rewardgate.rollouts.records import Rollout
from rewardgate.verifiers import Outcome, Verdict, get


def test_maths_and_auto_are_the_same_on_mathematics_and_a_users_function_never_is() -> None:
    assert is_same_verifier(get("math"), get("math"))
    assert is_same_verifier(get("math"), get("auto"))
    assert not is_same_verifier(get("numeric"), get("math"))
    suspect = Suspect(lambda completion, target: 1.0)
    assert is_same_verifier(suspect, suspect)
    assert not is_same_verifier(suspect, get("math"))
    assert is_same_verifier(get("numeric", rel_tol=0.1), get("numeric", rel_tol=0.1))


def test_two_verifiers_with_other_options_are_not_the_same() -> None:
    assert not is_same_verifier(get("numeric", rel_tol=0.1), get("numeric", rel_tol=0.2))


def test_math_verify_is_asked_about_the_response_and_the_target_in_dollars() -> None:
    assert accepts([("1/2", r"\boxed{0.5}"), ("1/2", r"\boxed{0.6}"), ("1/2", "no")]) == [True, False, None]


def test_a_row_that_hangs_costs_only_itself() -> None:
    rows = [Rollout(prompt_id="a", response=response, target="4") for response in (r"\boxed{4}", r"\boxed{5}")]
    with SecondOpinion() as second:
        assert second.accepts([*rows, Rollout(prompt_id="a", target="4")]) == [True, False, None]


class Strict:
    """Refuses everything but the target itself, and is its own referee."""

    version = "test"

    def verify(self, completion: str, target: str, *, prompt: object = None) -> Verdict:
        right = completion == rf"\boxed{{{target}}}"
        return Verdict(Outcome.CORRECT if right else Outcome.INCORRECT, float(right), extracted=completion)


def test_a_disagreement_of_the_second_opinion_goes_to_the_queue_and_never_into_a_cause() -> None:
    strict = Strict()
    report = audited(group("a", "0.5", [(r"\boxed{1/2}", 0.0), (r"\boxed{3}", 0.0)]), suspect=strict, referee=strict)
    assert report.review.counts == {"second_opinion_accepts": 1}
    assert causes_of(report) == {"undetermined": 2}
    assert report.repair is not None
    assert report.repair.n_rollouts_flipped == 0
