from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers.answers.statements import announcements


def announced(text: str) -> list[str]:
    return [text[found.value_start : found.value_end] for found in announcements(text)]


def test_announcements_come_last_first_and_in_the_order_of_the_text() -> None:
    assert announced("A: 1\nAnswer: 2\nA: 3\n#### 4") == ["4", "3", "2", "1"]


def test_a_value_ends_with_its_sentence_its_line_or_a_reason() -> None:
    assert announced("The answer is 3.14. Good.") == ["3.14"]
    assert announced("The answer is $f(x) = 1. x$. Good.") == ["$f(x) = 1. x$"]
    assert announced("The answer is 5 because 2 + 3 = 5.") == ["5"]
    assert announced("答案是42。好") == ["42"]


def test_asking_for_an_answer_announces_none() -> None:
    assert announced("Express the answer as a percentage: 1/2 = 50%") == []
    assert announced("The answer is as follows") == []
    assert announced("We must answer the question") == []


def test_options_are_no_abbreviated_answer() -> None:
    assert announced("A: 18\nB: 19") == []
    assert announced("Q: 9 + 9?\nA: 18") == ["18"]


def test_a_heading_of_a_step_is_no_hash_answer() -> None:
    assert announced("#### Step 1: add 3") == []
    assert announced("#### 5 which is the sum of all of the numbers above") == ["5"]


def test_brackets_with_spaces_are_one_value() -> None:
    assert announced(r"#### \{ 0 , 1 , -1 \}") == [r"\{ 0 , 1 , -1 \}"]
    assert announced("#### ( 0 , 1 , -1 )") == ["( 0 , 1 , -1 )"]


def test_reasoning_that_follows_a_colon_is_no_answer() -> None:
    assert announced("Answer: Tom has 5 apples and buys 3. So he has 8.") == []
    assert announced("Answer: Paris. It has 2 million inhabitants.") == ["Paris"]


@given(anchored_text)
def test_announced_values_lie_behind_their_announcement(text: str) -> None:
    for found in announcements(text):
        assert 0 <= found.start <= found.value_start < found.value_end <= len(text)
