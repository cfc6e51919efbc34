"""Rules 1 to 4 of the committed answer, each with what makes an exception of it, on texts of a line or two."""

from typing import Any

import pytest

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.answers.committed import (
    announced,
    boxed_only,
    choice_answer,
    committed_answer,
    number_anywhere,
    tagged_only,
)

HASHES = frozenset({"hash"})


def committed(text: str, *, use_last_number: bool = True) -> tuple[str, str, Outcome | None, str] | None:
    """(answer, method, outcome, rule)."""
    found = committed_answer(use_last_number, text)
    if found is None:
        return None
    if found.span is not None and found.outcome is None:
        assert text[slice(*found.span)] == found.text
    return found.text, found.method, found.outcome, found.rule


@pytest.mark.parametrize(
    ("text", "answer", "method"),
    [
        (r"\boxed{1}. Then \boxed{2}", "2", "boxed"),
        (r"\boxed{1}, \boxed{2}", "1, 2", "boxed"),
        (r"First \boxed{1}. <answer>2</answer>", "2", "answer_tag"),
        (r"<answer>2</answer>, or rather \boxed{3}", "3", "boxed"),
        (r"<answer>so \boxed{4}</answer>", "4", "answer_tag"),
        (r"<answer>The answer is 5</answer>", "5", "answer_tag"),
        ("<answer>2 + 3\n= 5</answer>", "5", "answer_tag"),
        ("<answer>six\nseven</answer>", "six\nseven", "answer_tag"),
        ("<answer>x = 5</answer>", "x = 5", "answer_tag"),
        ("<ANSWER>5</ANSWER>", "5", "answer_tag"),
    ],
)
def test_rule_1_the_later_of_the_last_box_and_the_last_tag(text: str, answer: str, method: str) -> None:
    assert committed(text) == (answer, method, None, "")


@pytest.mark.parametrize(
    ("text", "answer", "method"),
    [
        (r"\boxed{1}. The final answer is 2.", "2", "phrase"),
        ("\\boxed{1}\n#### 2", "2", "hash"),
        ("<answer>1</answer> The answer is 2.", "2", "phrase"),
        (r"\boxed{1}. The answer is B.", "B", "phrase"),
        (r"\boxed{1}. The answer is $\frac{1}{2}$.", r"\frac{1}{2}", "phrase"),
    ],
)
def test_rule_2_a_firm_announcement_after_a_box_or_a_tag_overrules_it(text: str, answer: str, method: str) -> None:
    found = committed_answer(True, text)
    assert found is not None
    assert (found.text, found.method, found.outcome) == (answer, method, None)


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{1}. Final Answer: as above",  # neither number nor formula nor letter
        r"\boxed{1}. The answer is correct.",
        r"\boxed{1}. Checking the answer: 2 - 1 = 1",  # begins no sentence of its own
        r"\boxed{1}. I said the answer is 2",
        r"The answer is 2. So \boxed{1}",  # said before the box
    ],
)
def test_rule_2_no_other_announcement_overrules_a_box(text: str) -> None:
    assert committed(text) == ("1", "boxed", None, "")


@pytest.mark.parametrize(
    "text",
    [
        r"The answer is 6, not \boxed{5}.",
        r"The answer is 6. \boxed{}",
        r"The answer is 6. The reference says \boxed{5}.",
    ],
)
def test_rule_2_a_denied_an_empty_and_a_quoted_box_give_way_to_what_was_announced_before(text: str) -> None:
    assert committed(text) == ("6", "phrase", None, "")


def test_rule_2_a_placeholder_in_a_box_gives_way_to_nothing() -> None:
    assert committed(r"The answer is 6. \boxed{N/A}") == ("N/A", "boxed", Outcome.NO_ANSWER, "placeholder")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 5.", ("5", "phrase", None, "")),
        ("6 * 7\n#### 42", ("42", "hash", None, "")),
        ("#### 4\nThe answer is 5.", ("5", "phrase", None, "")),
        ("The answer is 5.\n#### 4", ("4", "hash", None, "")),
        ("The answer is 5, so 6 is not.", ("5", "phrase", None, "")),
        ("#### 4\n#### 5", ("4, 5", "hash", Outcome.HEDGED, "stacked_answers")),
        ("Answer: 4\nAnswer: 5", ("4, 5", "phrase", Outcome.HEDGED, "stacked_answers")),
    ],
)
def test_rule_3_without_box_and_tag_the_last_announcement(text: str, expected: tuple[Any, ...]) -> None:
    assert committed(text) == expected


@pytest.mark.parametrize(
    ("text", "answer", "method"),
    [
        ("42", "42", "bare"),
        ("x = 42", "x = 42", "bare"),
        ("There are three of them.\n42", "42", "last_line"),
        ("There are three of them.\n$x=42$", "x=42", "last_line"),
        ("It is 6 * 7 = 42.", "42", "last_number"),
        ("He has 3 apples.\nShe has 42.", "42", "last_number"),
    ],
)
def test_rule_4_without_any_anchor_a_text_commits_to_its_end(text: str, answer: str, method: str) -> None:
    assert committed(text) == (answer, method, None, "")


@pytest.mark.parametrize("text", ["", "Nothing here.", "So we have 42 and", "Is it 42?"])
def test_rule_4_a_text_that_breaks_off_or_ends_with_no_answer_commits_to_nothing(text: str) -> None:
    assert committed(text) is None


@pytest.mark.parametrize(
    ("text", "outcome", "rule"),
    [
        ("Three were there, so it is not 42.", Outcome.INCORRECT, "negated"),
        ("The reference says 42.", Outcome.NO_ANSWER, "quoted"),
    ],
)
def test_rule_4_a_denied_or_quoted_end_is_none(text: str, outcome: Outcome, rule: str) -> None:
    assert committed(text) == ("42", "last_number", outcome, rule)


def test_rule_4_keeps_only_the_bare_line_where_no_ending_is_asked_for() -> None:
    assert committed("x = 42", use_last_number=False) == ("x = 42", "bare", None, "")
    assert committed("It is 6 * 7 = 42.", use_last_number=False) is None
    assert committed("There are three of them.\n42", use_last_number=False) is None


@pytest.mark.parametrize(
    ("text", "outcome", "rule"),
    [
        (r"There are 7. It is not \boxed{5}.", Outcome.INCORRECT, "negated"),
        ("There are 7. The answer is not 5.", Outcome.INCORRECT, "negated"),
        (r"There are 7. The reference says \boxed{5}.", Outcome.NO_ANSWER, "quoted"),
        (r"There are 7. \boxed{}", Outcome.NO_ANSWER, "empty_box"),
        (r"There are 7. \boxed{?}", Outcome.NO_ANSWER, "placeholder"),
        (r"There are 7. \boxed{5", Outcome.NO_ANSWER, "unclosed_box"),
        ("There are 7. <answer></answer>", Outcome.NO_ANSWER, "empty_answer"),
        ("There are 7. <answer>5", Outcome.NO_ANSWER, "unclosed_answer_tag"),
        (r"There are 7. \boxed{5}. Wait, that is wrong.", Outcome.NO_ANSWER, "retracted"),
        ("There are 7. The answer is 5. Wait, that is wrong.", Outcome.NO_ANSWER, "retracted"),
    ],
)
def test_a_refused_anchor_never_falls_through_to_the_number_near_it(text: str, outcome: Outcome, rule: str) -> None:
    found = committed(text)
    assert found is not None
    assert found[2:] == (outcome, rule)


def test_what_follows_a_retraction_is_read_afresh() -> None:
    assert committed(r"\boxed{5}. Wait, that is wrong. It is 6.") == ("6", "last_number", None, "")


@pytest.mark.parametrize(
    ("find", "text", "answer"),
    [
        (boxed_only, r"\boxed{1}. The answer is 2.", "1"),
        (boxed_only, "The answer is 2.", None),
        (tagged_only, r"<answer>\boxed{1}</answer> \boxed{2}", "1"),
        (tagged_only, r"\boxed{2}", None),
        (lambda text: announced(HASHES, text), "#### 1\nThe answer is 2.", "1"),
        (lambda text: announced(HASHES, text), "The answer is 2.", None),
        (number_anywhere, "It is not 42, and", "42"),
        (number_anywhere, "none", None),
        (choice_answer, r"\boxed{B}", "B"),
        (choice_answer, "(C)", "C"),
        (choice_answer, "Answer: A and C", "A, C"),
        (choice_answer, "nothing at all", None),
    ],
)
def test_each_narrower_way_reads_its_own_anchor_alone(find: Any, text: str, answer: str | None) -> None:
    found = find(text)
    assert (None if found is None else found.text) == answer


def test_what_is_denied_after_a_retraction_is_not_the_answer() -> None:
    text = "First I get \\boxed{0}. Wait, that is wrong. Corrected: \\boxed{\\neq 0}"
    found = committed_answer(True, text)
    assert found is not None
    assert (found.outcome, found.rule) == (Outcome.NO_ANSWER, "retracted")
