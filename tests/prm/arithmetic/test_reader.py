import pytest

from rewardgate.prm.arithmetic.reader import Reader
from rewardgate.prm.arithmetic.tokens import tokens_of


def read(text: str) -> Reader:
    reader = Reader(tokens_of(text), 0)
    reader.run()
    return reader


@pytest.mark.parametrize(
    ("text", "plain", "stopped_by"),
    [
        ("3 x $4", "3*4", ""),
        ("3x4", "3*4", ""),
        ("3 times 4", "3*4", ""),
        ("1/3 of 12", "1/3*12", ""),
        ("20% of 50", "(20%)*50", ""),
        ("3 1/2 * 2", "(3+1/2)*2", ""),
        (r"3\frac12", r"3\frac{1}{2}", ""),
        (r"\frac{3 + 1}{2}", r"\frac{3+1}{2}", ""),
        ("6 / 1/2", "6/(1/2)", ""),
        ("6/1/2", "6/1/2", ""),
        ("[2 + {3}](4)", "(2+(3))(4)", ""),
        ("5²", "5^2", ""),
        ("2 hours + 5 min", "(2@3600)+(5@60)", ""),
        ("1/2 hour", "(1/2@3600)", ""),
        ("3 dozen", "(3@12)", ""),
        ("$11/platter * 9", "11*9", ""),
        ("5 - -2", "5--2", ""),
        ("A * (B - 2)", "A*(B-2)", ""),
        ("3 (4)", "3", "aside"),
        ("3 4", "3", "number"),
        ("3, 4", "3", "stop"),
        ("3)", "3", "close"),
        ("3y", "3", "word"),
        ("P(3)", "P", "aside"),
    ],
)
def test_an_operand_is_read_into_plain_arithmetic(text: str, plain: str, stopped_by: str) -> None:
    reader = read(text)
    assert ("".join(reader.pieces), reader.stopped_by, reader.wants) == (plain, stopped_by, False)


@pytest.mark.parametrize("text", ["", "+", "3 +", "3 + tax", "3 - - - 2", "apples", r"\frac{3} 4", "*3", "($"])
def test_an_operand_without_its_last_number_still_wants_one(text: str) -> None:
    assert read(text).wants


def test_what_costs_too_much_is_not_read() -> None:
    assert read("9" * 51).wants
    assert read("+".join(["1"] * 300)).stopped_by
    assert read("2^3^2").stopped_by == "power"
    assert read("+".join(["2^3"] * 20)).stopped_by == "power"


def test_words_and_letters_are_kept_beside_the_value() -> None:
    reader = read("2L + 8 L")
    assert (reader.letters, reader.n_lettered, reader.n_terms) == ({"L"}, 2, 2)
    reader = read("5 red boxes * 3 boxes/hour")
    assert (reader.labels, reader.has_words) == ({"red", "box", "time"}, True)
    assert read("3Papillon").is_doubtful
    assert not read("3 Papillon").is_doubtful
    assert read("3-4 hours").is_doubtful
