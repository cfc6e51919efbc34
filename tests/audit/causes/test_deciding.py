import pytest
from audited import Suspect, audited, causes_of, group

from rewardgate.audit.causes.deciding import Cause, most_common_cause

SEEN = group("seen", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])
"""A grader that reads boxes."""


@pytest.mark.parametrize(
    ("target", "response", "fields", "cause"),
    [
        ("4", r"\boxed{4}", {"rewards": {"reward": None}}, "scoring_fault"),
        ("4", "The answer is 4.", {}, "false_negative:extraction"),
        ("4", r"\boxed{4}", {}, "false_negative:extraction"),
        ("3400", r"\boxed{3,400}", {}, "false_negative:format"),
        ("0.33", r"\boxed{\frac{1}{3}}", {}, "false_negative:tolerance"),
        ("25", r"\boxed{25 \text{ cm}}", {}, "false_negative:units"),
        ("1, 2", r"\boxed{2, 1}", {}, "false_negative:structure"),
        (r"\frac{1}{2}", r"\boxed{\frac{1}{2}}", {}, "gold"),
        ("4", '<tool_call>{"name": "add", "arguments": {}</tool_call>', {}, "tool_format"),
        ("4", "<tool_call>add(2, 2)</tool_call> It is 5.", {}, "tool_format"),
        ("4", r"so \boxed{5}, that is", {"truncated": True}, "truncated"),
        ("4", "It goes on and on and", {"finish_reason": "length"}, "truncated"),
        ("4", "<think>First I add two and two.", {}, "truncated"),
        ("4", "I cannot say what that would be.", {}, "no_answer"),
        ("4", "I cannot say what that would be, and", {"finish_reason": "stop"}, "no_answer"),
        ("4", None, {}, "no_answer"),
        ("4", r"\boxed{3 \text{ or } 4}", {}, "hedged"),
        ("4", r"\boxed{5}", {}, "undetermined"),
    ],
)
def test_a_rollout_that_was_scored_wrong_takes_the_first_cause_that_holds(
    target: str, response: str | None, fields: dict, cause: str
) -> None:
    report = audited(group("a", target, [(response, 0.0, fields)] * 2), SEEN)
    assert causes_of(report) == {cause: 2} | ({"undetermined": 1} if cause != "undetermined" else {"undetermined": 3})


def test_a_right_answer_that_the_verifier_accepts_alone_was_not_found() -> None:
    suspect = Suspect(lambda completion, target: float(completion in (rf"\boxed{{{target}}}", target)))
    report = audited(group("a", "4", [(r"so \boxed{4}.", 0.0), (r"so \boxed{4 \text{ cm}}.", 0.0)]), suspect=suspect)
    assert causes_of(report) == {"false_negative:extraction": 1, "false_negative:units": 1}
    assert report.cards[0].cause == "false_negative:extraction"


def test_a_referee_without_a_verifier_for_the_target_blames_nobody() -> None:
    report = audited(group("a", {"tests": ["assert f() == 1"]}, [("```python\ndef f(): return 2\n```", 0.0)] * 2))
    assert causes_of(report) == {"undetermined": 2}


def test_of_equally_frequent_causes_the_one_asked_first_is_taken() -> None:
    assert most_common_cause([Cause.HEDGED, Cause.TRUNCATED]) is Cause.TRUNCATED
    assert most_common_cause([Cause.HEDGED, Cause.HEDGED, Cause.TRUNCATED]) is Cause.HEDGED


def test_only_what_lies_in_the_pipeline_can_be_repaired() -> None:
    assert [cause.value for cause in Cause if not cause.is_repairable] == [
        "tool_format", "truncated", "no_answer", "hedged", "undetermined",
    ]  # fmt: skip


def test_a_missing_target_is_at_fault_only_where_it_pays_all_or_none() -> None:
    none = group("none", None, [(r"\boxed{4}", 0.0), (r"\boxed{5}", 0.0)])
    some = group("some", None, [(r"\boxed{4}", 1.0), (r"\boxed{5}", 0.0)])
    assert causes_of(audited(none, some, SEEN)) == {"gold": 2, "undetermined": 2}


def test_without_any_reward_or_target_nothing_is_explained() -> None:
    report = audited(group("a", None, [(r"\boxed{4}", "absent"), (r"\boxed{5}", "absent")]))
    assert report.causes == ()
    assert report.cards == ()
    assert report.severity == "warn"


def test_rewards_that_are_null_throughout_were_logged_by_a_scoring_that_failed() -> None:
    report = audited(group("a", "4", [(r"\boxed{4}", None), (r"\boxed{5}", None)]))
    assert causes_of(report) == {"scoring_fault": 2}
    assert report.severity == "fail"
