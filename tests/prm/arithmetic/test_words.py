import pytest

from rewardgate.prm.arithmetic.operands import read_left
from rewardgate.prm.arithmetic.reader import Reader
from rewardgate.prm.arithmetic.tokens import tokens_of
from rewardgate.prm.arithmetic.words import Ending, ending, is_tied, is_unit_word, label_of


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
    ],
)
def test_what_precedes_an_operand_leaves_it_free_or_ties_it(before: str, is_free: bool) -> None:
    text = f"{before}(2 + 3) * 4"
    assert (read_left(text, 0, len(text)) is not None) is is_free


def test_a_number_alone_is_tied_by_any_word() -> None:
    tokens = tokens_of("week 2")
    assert is_tied(tokens, 1, is_number=True)
    assert not is_tied(tokens, 1, is_number=False)


def test_letters_are_units_only_where_they_are_known_to_be() -> None:
    assert is_unit_word("L", is_first=True, is_glued=True)
    assert not is_unit_word("L", is_first=False, is_glued=False)
    assert not is_unit_word("x", is_first=True, is_glued=False)
    assert not is_unit_word("π", is_first=True, is_glued=True)
    assert is_unit_word("个", is_first=True, is_glued=True)


def test_labels_meet_across_singular_and_plural() -> None:
    for one, other in (("box", "boxes"), ("berry", "berries"), ("cookie", "cookies"), ("km", "meters")):
        assert label_of(one) == label_of(other)
    assert label_of("pens") != label_of("pencils")
    assert label_of("more") is None
