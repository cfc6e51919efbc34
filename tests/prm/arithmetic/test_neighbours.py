import pytest

from rewardgate.prm.arithmetic.neighbours import Ending, Tie, ending, tie
from rewardgate.prm.arithmetic.operands import read_left
from rewardgate.prm.arithmetic.reader import Reader
from rewardgate.prm.arithmetic.tokens import tokens_of


def ending_of(text: str) -> Ending:
    reader = Reader(tokens_of(text), 0)
    reader.run()
    return ending(reader.tokens, reader.position, reader.stopped_by)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", Ending.COMPLETE),
        ("12 apples", Ending.COMPLETE),
        ("12 more apples than before", Ending.COMPLETE),
        ("12 and so on", Ending.COMPLETE),
        ("12 holes on the fourth day", Ending.COMPLETE),
        ("12 goats from Farm Y", Ending.COMPLETE),
        ("12 off", Ending.COMPLETE),
        ("12 gallons/week", Ending.COMPLETE),
        ("12. Then 5", Ending.COMPLETE),
        ("12 (since 3 * 4)", Ending.COMPLETE),
        ("12 apples 3 days later", Ending.COMPLETE),
        ("12 (15 minutes)", Ending.DOUBTFUL),
        ("12x", Ending.OPEN),
        ("12 x", Ending.OPEN),
        ("12 R 2", Ending.OPEN),
        ("12 squared", Ending.OPEN),
        ("12 apples + tax", Ending.OPEN),
        ("2 hours 30 minutes", Ending.OPEN),
        ("5 feet and 3 inches", Ending.OPEN),
        ("2 more than 7", Ending.OPEN),
        ("3 (mod 7)", Ending.OPEN),
        ("3 with a remainder of 2", Ending.OPEN),
        (r"3\pi", Ending.OPEN),
        ("2 and a half", Ending.DOUBTFUL),
        ("3 whole pizzas and 1/2", Ending.DOUBTFUL),
        (r"2 and \frac{1}{2}", Ending.DOUBTFUL),
        ("2 hours, 15 minutes", Ending.DOUBTFUL),
        ("2 hours, 15 apples", Ending.COMPLETE),
        ("2 and a dog", Ending.COMPLETE),
        ("2 and half of it", Ending.COMPLETE),
        ("2, 1/2 of it", Ending.COMPLETE),
        ("2 groups of 3", Ending.DOUBTFUL),
        ("two thousand three hundred", Ending.OPEN),
        ("2 tens and 3 ones", Ending.OPEN),
        ("5 rem 2", Ending.OPEN),
    ],
)
def test_what_follows_an_operand_closes_it_or_leaves_it_open(text: str, expected: Ending) -> None:
    assert ending_of(text) is expected


@pytest.mark.parametrize(
    ("before", "is_free"),
    [
        ("", True),
        ("she pays ", True),
        ("a total of ", True),
        ("a profit of ", True),
        ("that comes to ", True),
        ("Step 2: ", True),
        ("(so ", True),
        ("half of ", False),
        ("the average of ", False),
        ("5 boxes of ", False),
        ("3 less than ", False),
        ("twice ", False),
        ("multiply by ", False),
        ("not ", False),
        ("if ", False),
        ("n ", False),
        ("f", False),
        ("tax + ", False),
        ("25 pupils + his ", False),
        ("a_", False),
        ("7 ", False),
        ("2 hours and ", False),
        ("5 feet ", False),
        (r"\sum^{3} ", False),
        ("the sum of 10 and ", False),
        ("the sum of 4, 5 and ", False),
        ("the sum of ", True),
        ("the sum is 10 and ", True),
        ("a total of 10 apples and ", False),
        ("he has 10 apples and ", True),
        ("adding 2 and ", False),
        ("the difference between 10 and ", False),
        ("double the ", False),
        ("twice the sum ", False),
        ("the third person pays ", True),
        ("the units digit of ", False),
        ("one-half of ", False),
        ("10 less ", False),
        ("one hundred and ", False),
    ],
)
def test_what_precedes_an_operand_leaves_it_free_or_ties_it(before: str, is_free: bool) -> None:
    text = f"{before}(2 + 3) * 4"
    assert (read_left(text, 0, len(text)) is not None) is is_free


def test_a_number_alone_is_tied_by_any_word() -> None:
    tokens = tokens_of("week 2")
    assert tie(tokens, 1, is_number=True) is Tie.TIED
    assert tie(tokens, 1, is_number=False) is Tie.FREE


def test_a_number_behind_another_and_a_comma_is_an_item_of_a_list() -> None:
    for text, expected in (("3, 5, 7", Tie.TIED), ("so 3; 7", Tie.TIED), ("Then, 7", Tie.FREE)):
        tokens = tokens_of(text)
        assert tie(tokens, len(tokens) - 1, is_number=True) is expected


def test_a_number_and_an_expression_may_be_one() -> None:
    tokens = tokens_of("10 and 3 * 2")
    assert tie(tokens, 2, is_number=False) is Tie.DOUBTFUL
