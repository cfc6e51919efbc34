import pytest

from rewardgate.prm.arithmetic.operands import Operand, read_left, read_right


def left(text: str, *, is_cut: bool = False) -> Operand | None:
    return read_left(text, 0, len(text), is_cut=is_cut)


def right(text: str) -> Operand | None:
    return read_right(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("so he pays 3 * $4", "3*4"),
        ("it is (3 + 4", "3+4"),
        ("((3 + 4) * 2", "(3+4)*2"),
        ("5 apples, then 3 - 1", "3-1"),
        ("5 and 3 - 1", "3-1"),
        ("3 * (4 + 5", None),
        ("4 + 5)", None),
        ("5 books", None),
        ("week 2", None),
        ("12", "12"),
        ("x + 3", None),
        ("2L + 8", None),
        ("2L + 8L", "2+8"),
        ("4m * 5m", None),
        ("3 +", None),
    ],
)
def test_the_left_operand_is_what_the_text_ends_with(text: str, plain: str | None) -> None:
    operand = left(text)
    assert (operand.plain if operand else None) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("12 apples. Then 5", "12"),
        ("12, 13", "12"),
        ("(12", "12"),
        ("(12, 13)", None),
        ("12)", "12"),
        ("12y", None),
        ("12 + y", None),
        ("about 12", None),
        ("12 hours and 5 minutes", None),
    ],
)
def test_the_right_operand_is_what_the_text_begins_with(text: str, plain: str | None) -> None:
    operand = right(text)
    assert (operand.plain if operand else None) == plain


def test_a_cut_text_may_have_cut_the_operand_too() -> None:
    assert left("3 + 4", is_cut=True) is None
    assert left("and 3 + 4", is_cut=True) is not None


def test_spans_leave_the_unit_out_and_stand_in_the_whole_text() -> None:
    text = "has 3 + 4 = 7 red apples"
    one, other = read_left(text, 0, 10), read_right(text, 11, len(text))
    assert one is not None
    assert other is not None
    assert (text[one.start : one.end], text[other.start : other.end]) == ("3 + 4", "7")
    assert (one.is_number, other.is_number, other.labels) == (False, True, {"red", "appl"})
    assert other.reaches_end


def test_a_word_that_multiplies_leaves_the_right_side_in_doubt() -> None:
    times, percent = right("6 times $5"), right("0.333...")
    assert times is not None
    assert times.is_doubtful
    assert percent is not None
    assert percent.is_truncated
