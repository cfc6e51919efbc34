import pytest
from audited import audited, group

from rewardgate.audit.report.model import GroupCard

RIGHT = group("right", "7", [(r"\boxed{7}", 1.0), (r"\boxed{7}", 1.0)])
WRONG = (r"\boxed{5}", 0.0)


def card_of(*members: tuple[str, float | None], target: str = "3400", near: int = 1) -> GroupCard:
    (card,) = audited(group("a", target, list(members)), RIGHT, near=near).cards
    return card


def test_a_group_takes_the_first_cause_that_repaired_changes_its_kind_not_the_most_frequent() -> None:
    card = card_of((r"\boxed{3,400}", 0.0), (r"\boxed{3400 \text{ m}}", 0.0), WRONG, WRONG, WRONG)
    assert card.rollout_causes == {"false_negative:format": 1, "false_negative:units": 1, "undetermined": 3}
    assert (card.cause, card.is_repairable) == ("false_negative:format", True)
    assert (card.kind, card.repaired_kind) == ("all_wrong", "mixed")  # 2 of 5


def test_where_no_repair_changes_the_kind_the_cause_of_most_rollouts_is_taken() -> None:
    card = card_of(WRONG, WRONG, ("I cannot say what that would be.", 0.0))
    assert (card.cause, card.is_repairable, card.kind) == ("undetermined", False, "all_wrong")


def test_nearly_all_wrong_is_a_kind_of_its_own() -> None:
    members = [(r"\boxed{3400}", 1.0), (r"\boxed{3,400}", 0.0), (r"\boxed{3,400}", 0.0), *[WRONG] * 5]
    card = card_of(*members)
    assert (card.kind, card.repaired_kind, card.cause) == ("near_all_wrong", "mixed", "false_negative:format")
    assert audited(group("a", "3400", members), RIGHT, near=0).cards == ()


def test_a_nearly_all_correct_group_is_explained_too() -> None:
    card = card_of(*[(r"\boxed{3400}", 1.0)] * 7, (r"\boxed{3,400}", 0.0))
    assert (card.kind, card.repaired_kind, card.cause) == ("near_all_correct", "all_correct", "false_negative:format")


def test_an_undetermined_group_says_what_is_left_open() -> None:
    card = card_of(*[WRONG] * 8)
    assert card.support is not None
    assert card.support.upper_bound == pytest.approx(1 - 0.05 ** (1 / 8))  # .312
    assert card.support.more_samples == {"0.1": 21, "0.05": 51, "0.01": 291}  # 29, 59, 299 less the 8 drawn
    seen = card_of((r"\boxed{3400}", 1.0), *[WRONG] * 7)
    assert seen.support is not None
    assert (seen.support.successes, seen.support.more_samples) == (1, {})


def test_answers_are_tallied_and_evidence_prefers_what_was_right() -> None:
    card = card_of(WRONG, (r"\boxed{3,400}", 0.0), WRONG, (r"\boxed{6}", 0.0))
    assert [(answer.answer, answer.count) for answer in card.answers] == [("5", 2), ("3,400", 1), ("6", 1)]
    assert card.evidence[0].source == "a.jsonl:2"
    assert card.evidence[0].extracted == "3,400"
    assert {evidence.cause for evidence in card.evidence} == {"false_negative:format", "undetermined"}


def test_mixed_and_all_correct_groups_need_no_card() -> None:
    assert audited(RIGHT, group("m", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])).cards == ()
