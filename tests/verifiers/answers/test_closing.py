import pytest

from rewardgate.verifiers.answers.closing import bare_answer, committed_number, last_line, result_start


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "42.",
        "$42$",
        "**B**",
        "Paris",
        "new york city",
        r"\frac{1}{2}",
        "x = 5",
        "5 cm",
        "(1, 2)",
        "42个",
        "巴黎",
        "5万",
    ],
)
def test_a_short_text_is_its_own_answer(text: str) -> None:
    assert bare_answer(text) is not None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thus, 42.", "42"),
        ("Therefore, 42", "42"),
        ("Hence, $42$.", "42"),
        ("So, 41, 42.", "41, 42"),
        ("4, I think.", "4"),
        ("4, 5", "4, 5"),
    ],
)
def test_words_of_conclusion_and_of_doubt_are_no_item_of_a_list(text: str, answer: str) -> None:
    found = bare_answer(text)
    assert found is not None
    assert text[found.start : found.end] == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "So we end up with 42 apples.",
        "What is it?",
        "Maybe 5.",
        "Bob is",
        "two\nlines",
        "<<3+4=7>>",
        "因此，数学作业比阅读作业多三页",
        "共有42种方法。",
        "面积是12平方厘米。",
    ],
)
def test_a_sentence_is_not(text: str) -> None:
    assert bare_answer(text) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So she pays $18.", "$18"),
        ("Total = 5 * 3 = 15", "15"),
        (r"Thus \[ x^2 = 16 \]", "16"),
        (r"So $x = 5$.", "x = 5"),
        (r"The roots are $1$ and $2$.", "$1$ and $2$"),
        ("That leaves 7 apples", "7"),
        ("It takes her 3 hours and 20 minutes.", "3 hours and 20 minutes"),
        ("It takes 1 day, 2 hours and 20 minutes.", "1 day, 2 hours and 20 minutes"),
        ("She waits 3 hours or 20 minutes.", "20"),
        ("He is 5 ft 3 in.", "5 ft 3 in"),
        ("共有42种方法。", "42"),
        ("面积是12平方厘米。", "12"),
        ("共有5万人。", "5万"),
    ],
)
def test_a_finished_text_commits_to_what_it_ends_with(text: str, answer: str) -> None:
    found = committed_number(text)
    assert found is not None
    assert text[found.start : found.end] == answer


@pytest.mark.parametrize(
    "text", ["so 3 * 4", "so 5 + 8.", "3 left for the", "$<<41+8.", "is it 5?", "", "0." + "3" * 60]
)
def test_a_text_that_breaks_off_commits_to_nothing(text: str) -> None:
    assert committed_number(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I cannot help with 4.",
        "See page 4.",
        "This follows from Theorem 4.",
        "Q4: I am not sure.",
        "Well, I don't know whether it is 4.",
        "No answer. 42.",
        "Sorry, we can't solve $x = 4$.",
    ],
)
def test_a_refusal_and_a_reference_commit_to_nothing(text: str) -> None:
    assert committed_number(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I am not sure, but it is 4.",
        "I cannot solve it exactly. It is about 4.",
        "She is on page 4.",
        "We see that she has 4.",
        "He does not know that it is 4.",
        "By adding them up we get 4.",
    ],
)
def test_words_like_those_of_a_refusal_leave_the_number(text: str) -> None:
    found = committed_number(text)
    assert found is not None
    assert text[found.start : found.end].endswith("4")


def test_an_item_of_a_list_is_no_number() -> None:
    assert last_line("Here is the solution:\n1. Add.\n2. Multiply.") is None
    assert committed_number("Here is the solution:\n1. Add.\n2. Multiply.") is None
    assert last_line("So:\n2. x = 5") is not None


def test_only_a_value_counts_as_a_last_line() -> None:
    assert last_line("Work.\n\n42") is not None
    assert last_line("Work.\n(B)") is not None
    assert last_line("Work.\nThanks") is None
    assert last_line("42") is None


def test_a_computation_leads_to_its_result_and_an_echo_does_not() -> None:
    assert result_start("2 + 3 = 5", 0, 9) == 8
    assert result_start("421=420", 0, 7) == 0
    assert result_start("x + 1 = 6", 0, 9) == 0
