import pytest

from rewardgate.prm.arithmetic.equalities import equalities
from rewardgate.prm.arithmetic.surroundings import has_other_arithmetic, is_taken_back, may_be_rounded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 2 = 5?", True),
        ("2 + 2 = 5 is wrong", True),
        ("2 + 2 = 5, which is not possible", True),
        ("17/5 = 3, remainder 2", True),
        ("11/5 = 2 (rounded down)", True),
        ("11/5 = 2 or 3", True),
        ("in base 8, 6 * 7 = 52", True),
        ("2 + 2 = 5. That is not right", True),
        ("3 * 4 = 13, so he does not have enough", False),
        ("a triangle of base and height: 3 * 4 = 13", False),
        ("20 * 2 = 41 miles round trip", False),
        ("2 + 2 = 5 ✗", True),
        ("2 + 2 = 5\nWait, that is 4", True),
        ("2 + 2 = 5. He waits 3 days", False),
        ("2 + 2 = 5. So he has some. That is wrong.", False),  # two sentences on
        ("2 + 2 = 5, so there is no solution", True),
        ("2 + 2 = 5, so there is no time", False),
        ("It is not true that 2 + 2 = 5", True),
        ("That was not true. But 2 + 2 = 5", False),
        ("Suppose x = 1: 2 + 2 = 5", True),
        ("If she has 2 + 2 = 5 then", True),
        ("If he has 2, then 2 + 2 = 5", False),
        ("If he has 2, he gets 2 + 2 = 5", False),
        ("a common mistake: 2 + 2 = 5", True),
        ("7 + 8 = 5, carry the 1", True),
        ("at 11 o'clock + 4: 11 + 4 = 3", True),
    ],
)
def test_words_around_an_equality_may_take_it_back(text: str, expected: bool) -> None:
    found = next(equalities(text))
    assert is_taken_back(text, found.left.start, found.right.end) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By integer division 10/4 = 2", True),
        ("the floor is this: 10/4 = 2", True),
        ("[10/4] = 2", True),
        ("10/4 = 2 with 2 left", True),
        ("17/5 = 3, and 2 are left over", True),
        ("He rounded it. Then 10/4 = 2", False),
        ("so 10/4 = 2 apples", False),
        ("10/4 = 2. He has 2 left", False),
    ],
)
def test_words_around_an_equality_may_speak_of_whole_numbers(text: str, expected: bool) -> None:
    found = next(equalities(text))
    assert may_be_rounded(text, found.left.start, found.right.end) is expected


@pytest.mark.parametrize(
    "text",
    [
        "We work modulo 7.",
        "in base 8",
        "base-8 digits",
        "base five",
        r"in \mathbb{F}_5",
        r"\mathbb{Z}/7\mathbb{Z}",
        "In F_5 we get",
        "GF(2)",
        "On a 12-hour clock",
        "bitwise XOR",
        "the duodecimal system",
        "which day of the week is it?",
        "find the remainder when it is divided by 5",
        r"a \equiv b",
        "Define a * b = a + b + ab",
        "Let a * b = a + b",
        r"$x \circ y = x^2 + y$",
        "the operation * is odd",
        "a new operation is defined",
    ],
)
def test_another_arithmetic_is_noticed(text: str) -> None:
    assert has_other_arithmetic(text)


@pytest.mark.parametrize(
    "text",
    [
        "a triangle with base 8 and height 3",
        "by the order of operations, 3 * 4",
        "the alarm clock rings",
        "a modern house",
        "Let x + y = 10 and x - y = 2",
        "Let x * y = 24",
        "She swims on 3 days of the week",
        "every day of the week",
        r"\sqrt{a \cdot b} = \sqrt{a}\sqrt{b}",
        "A = l * w = 5 * w",
        "he spends the remainder",
        "",
    ],
)
def test_ordinary_prose_is_not_another_arithmetic(text: str) -> None:
    assert not has_other_arithmetic(text)
