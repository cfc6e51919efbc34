from typing import Any

from rewardgate.audit.report.evidence import AnswerTally, Evidence, GroupCard, Support
from rewardgate.audit.report.html_cards import BLANK, evidence_words, html_cards


def evidence(**fields: Any) -> Evidence:
    said = {"source": "a.jsonl:1", "reward": 0.0, "cause": None, "why": "", "extracted": "5", "span": None}
    said |= {"referee": "incorrect", "referee_rule": "math", "referee_detail": "5 is not 4"}
    return Evidence(**(said | fields))


def card(**fields: Any) -> GroupCard:
    said: dict[str, Any] = {"group_id": "a", "prompt": "?", "target": "4", "kind": "all_wrong"}
    said |= {"repaired_kind": "all_wrong", "successes": 0, "scored": 2, "size": 2, "cause": "undetermined"}
    said |= {"is_repairable": False, "rollout_causes": {"undetermined": 2}, "evidence": (evidence(),)}
    return GroupCard(**(said | fields))


def test_cards_stand_in_the_order_of_repair_and_then_of_the_file() -> None:
    cards = [card(group_id="a", cause="hedged"), card(group_id="b", cause="gold"), card(group_id="c", cause="hedged")]
    assert [one["id"] for one in html_cards(cards, ["gold", "hedged"])] == ["b", "a", "c"]


def test_the_last_place_that_reads_as_the_answer_is_marked() -> None:
    words = evidence_words(evidence(excerpt="5 or 5? It is 5.", extracted="5"))
    assert (words["before"], words["mark"], words["after"]) == ("5 or 5? It is ", "5", ".")


def test_an_answer_that_is_not_in_the_excerpt_marks_nothing() -> None:
    words = evidence_words(evidence(excerpt="It is five.", extracted="5"))
    assert (words["before"], words["mark"], words["after"]) == ("It is five.", "", "")


def test_nothing_extracted_is_said() -> None:
    assert {"name": "extracted", "text": "nothing"} in evidence_words(evidence(extracted=None))["facts"]


def test_both_parses_stand_side_by_side() -> None:
    words = evidence_words(evidence(suspect_detail="incorrect (exact) 5 != 4", cause="gold", why="unreadable"))
    assert {fact["name"]: fact["text"] for fact in words["facts"]} == {
        "extracted": "5",
        "referee": "incorrect: 5 is not 4",
        "verifier": "incorrect (exact) 5 != 4",
        "cause": "gold: unreadable",
    }


def test_what_repair_changes_is_said() -> None:
    (words,) = html_cards([card(repaired_kind="near_all_wrong")], [])
    assert words["becomes"] == "all wrong → nearly all wrong"


def test_what_a_group_without_success_leaves_open_is_said() -> None:
    support = Support(successes=0, scored=8, upper_bound=0.312, more_samples={"0.1": 21})
    (words,) = html_cards([card(support=support)], [])
    assert words["support"] == "p ≤ 0.312 at 95 % after 0 of 8. If they all fail too: 21 more would exclude p = 0.1."


def test_causes_are_listed_where_they_are_several() -> None:
    one, several = html_cards([card(), card(rollout_causes={"gold": 1, "hedged": 2})], [])
    assert one["causes"] == ""
    assert several["causes"] == "gold ×1, hedged ×2"


def test_the_blank_card_has_every_word_that_a_card_has() -> None:
    (words,) = html_cards([card(answers=(AnswerTally(answer="5", count=2),))], [])

    def names(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: names(one) for name, one in value.items() if name not in UNSEEN}
        return [names(value[0])] if isinstance(value, list) else ""

    assert names(words) == names(BLANK)


UNSEEN = {"at", "rank", "right", "scored", "kind"}
"""By which cards are sorted and filtered, and which stand on none."""
