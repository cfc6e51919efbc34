"""The arithmetic scorer: statement by statement, against an independent evaluator, on hostile and on real text."""

import json
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from step_statements import RIGHT, UNCHECKED, WRONG

from rewardgate.prm.base import StepRow, StepScore
from rewardgate.prm.rules.arithmetic import MAX_ROW_SIGNS, ArithmeticScorer
from rewardgate.verifiers.expression.numbers import terminates

SCORER = ArithmeticScorer()


def scored(*steps: str) -> list[StepScore]:
    return SCORER.score([StepRow("", steps)])[0]


def values(*steps: str) -> list[float | None]:
    return [score.value for score in scored(*steps)]


def test_a_right_equality_is_confirmed() -> None:
    found = [(step, scored(step)[0]) for step in RIGHT]
    assert [(step, score) for step, score in found if (score.value, score.rule) != (1, "equalities_hold")] == []


def test_a_wrong_equality_is_proved_wrong() -> None:
    found = [(step, scored(step)[0]) for step in WRONG]
    assert [(step, score) for step, score in found if (score.value, score.rule) != (0, "wrong_equality")] == []


def test_nothing_is_said_of_what_may_mean_something_else() -> None:
    found = [(step, scored(step)[0]) for step in UNCHECKED]
    assert [(step, score) for step, score in found if (score.value, score.rule) != (None, "nothing_to_check")] == []


def rows_of(name: str) -> list[StepRow]:
    """The rows of a table: steps with || between them, behind PROMPT and a prompt where that matters."""
    lines = (Path(__file__).parents[1] / "arithmetic" / name).read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            prompt, _, steps = line.removeprefix("PROMPT ").partition(" || ") if "PROMPT" in line else ("", "", line)
            found.append(StepRow(prompt, tuple(steps.split(" || "))))
    return found


def test_nothing_is_refuted_that_a_careful_reader_could_hold_for_right() -> None:
    rows = rows_of("unrefuted.txt")
    refuted = [row for row in rows if any(score.value == 0 for score in SCORER.score([row])[0])]
    assert (len(rows) > 100, refuted) == (True, [])


def test_what_is_written_alike_and_wrong_is_refuted() -> None:
    rows = rows_of("refuted.txt")
    missed = [row for row in rows if all(score.value != 0 for score in SCORER.score([row])[0])]
    assert (len(rows) > 100, missed) == (True, [])


@pytest.mark.parametrize(
    ("step", "value"),
    [
        ("Costs:\n- 3 * 4 = 12\n- 2 * 5 = 10", 1),
        ("Costs:\n- 3 * 4 = 12\n- 2 * 5 = 11", 0),
        ("  * 3 * 4 = 12\n  * 2 * 5 = 11", 0),
        ("1. 3 * 4 = 12\n2. 2 * 5 = 10", 1),
        ("\\begin{align*}\n3 + 4 \\cdot 2 &= 3 + 8 \\\\\n&= 11\n\\end{align*}", 1),
        ("\\begin{align*}\n3 + 4 \\cdot 2 &= 3 + 8 \\\\\n&= 12\n\\end{align*}", 0),
        ("20\n= 4 * 5\n= 2 * 10", 1),
        ("the sum is\n\n$$3 + 4 = 8$$", 0),
        ("x = 180 - 40\nx = 140", None),
    ],
)
def test_lists_and_aligned_lines_are_read_line_by_line(step: str, value: float | None) -> None:
    assert values(step) == [value]


def test_the_detail_quotes_the_equality_and_gives_both_values() -> None:
    score = scored("So he has 5 * 3 = 15, pays $7/2 = $<<7/2=3>>3 and keeps 12.")[0]
    assert score == StepScore(0.0, "wrong_equality", '"$7/2 = $ 3": 3.5 on the left, 3 on the right')
    assert scored("10/3 = 3.4")[0].detail == '"10/3 = 3.4": 10/3 on the left, 3.4 on the right'


def test_the_first_wrong_equality_of_a_step_is_named_and_the_right_ones_are_counted() -> None:
    assert scored("1+1=2, 2+2=5, 3+3=7")[0].detail.startswith('"2+2=5"')
    assert scored("1+1=2, x=3, 2+2=4")[0] == StepScore(1.0, "equalities_hold", "2 equalities hold")


@pytest.mark.parametrize(
    "steps",
    [
        ("Let's calculate A = -3 + 5 = 2.", "B = 2 * -4 = (-8).", "So A - B = 2 - 8."),
        ("Case 1: A = 2 * 2 = 4.", "Case 2: here A - 1 = 9 - 1 = 8."),
        ("X = 1 + 1 = 2", "suppose X = 5: X + 1 = 5 + 1 = 6"),
        ("A = 1 + 1 = 2", "P(A) = 3/6 = 1/2", "A(2) = 6/2 = 3"),
        ("A = 1 + 1 = 2", "A + B = 10"),
    ],
)
def test_what_is_put_in_for_a_letter_proves_nothing(steps: tuple[str, ...]) -> None:
    assert 0 not in values(*steps)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> tuple[str, Fraction]:
    """A fully bracketed expression in one of several spellings, and its value by a computation of its own."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        whole = draw(st.integers(-99, 99))
        return str(whole), Fraction(whole)
    left, left_value = draw(expressions(depth - 1))
    right, right_value = draw(expressions(depth - 1))
    name = draw(st.sampled_from("+-*/"))
    assume(name != "/" or right_value != 0)
    value = {
        "+": lambda: left_value + right_value,
        "-": lambda: left_value - right_value,
        "*": lambda: left_value * right_value,
        "/": lambda: left_value / right_value,
    }[name]()
    if name == "/" and draw(st.booleans()):
        return rf"\frac{{{left}}}{{{right}}}", value
    sign = draw(st.sampled_from({"*": ("*", "x", "×", r"\times", r"\cdot"), "/": ("/", "÷")}.get(name, (name,))))
    # `3 x -4` may as well be three unknowns less four.
    right = f"({right})" if sign == "x" and right.startswith("-") else right
    return f"({left} {sign} {right})", value


@given(expressions(), expressions())
def test_two_expressions_agree_exactly_when_their_values_do(
    one: tuple[str, Fraction], other: tuple[str, Fraction]
) -> None:
    whole = [side for side in (one, other) if side[0].lstrip("-").isdigit()]
    assume(len(whole) < 2)
    # 1/3 = 0: a whole number may be what a fraction without end is rounded to.
    is_rounded = bool(whole) and not terminates(one[1] - other[1]) and abs(one[1] - other[1]) <= Fraction(1, 2)
    assert values(f"{one[0]} = {other[0]}") == [float(one[1] == other[1] or is_rounded)]
    assert values(f"{one[0]} = ({other[0]} + {one[1] - other[1]})") == [1.0]


@given(expressions(), st.integers(1, 9), st.sampled_from(["we get ", "so the total is ", "Step 3: ", "", "$", r"\[ "]))
def test_a_result_off_by_any_amount_is_refuted_in_any_sentence(
    expression: tuple[str, Fraction], off: int, words: str
) -> None:
    text, value = expression
    assume(text[0] in "(\\" and value.denominator == 1)
    assert values(f"{words}{text} = {value}") == [1.0]
    assert values(f"{words}{text} = {value + off}") == [0.0]


@given(st.integers(1, 10**6), st.integers(1, 10**4), st.integers(1, 6))
def test_a_quotient_rounded_half_up_holds_and_one_a_unit_off_does_not(top: int, bottom: int, places: int) -> None:
    assume(top % bottom)
    scale = 10**places
    rounded = (2 * top * scale + bottom) // (2 * bottom)  # floor(top/bottom * 10^places + 1/2)
    assert values(f"{top} / {bottom} = {rounded / scale:.{places}f}") == [1.0]
    # Two units off is wrong however the digits were cut.
    assert values(f"{top} / {bottom} = {(rounded + 2) / scale:.{places}f}") == [0.0]


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_money_with_commas_adds_up(one: int, other: int) -> None:
    assert values(f"${one:,} + ${other:,} = ${one + other:,}", f"${one:,} + ${other:,} = ${one + other + 1:,}") == [
        1,
        0,
    ]


NOISE = st.text(alphabet="0123456789+-*/=()[]{}.,:;<>$%^ \nxAab½²π≈\\", max_size=60)


@given(st.lists(NOISE | st.text(max_size=40) | st.sampled_from(RIGHT + WRONG + UNCHECKED), max_size=6))
def test_any_text_gets_one_score_a_step_and_never_an_exception(steps: list[str]) -> None:
    scores = scored(*steps)
    assert len(scores) == len(steps)
    assert all(score.value in (None, 0.0, 1.0) and score.rule and score.detail for score in scores)


@given(st.permutations(["1+1=2", "A = 1 + 2 = 3", "modulo 7", "2+2=5", "no"]), st.integers(1, 4))
def test_scores_do_not_depend_on_how_rows_are_batched(steps: list[str], size: int) -> None:
    rows = [StepRow("", tuple(steps[index : index + size])) for index in range(0, len(steps), size)]
    assert SCORER.score(rows) == [SCORER.score([row])[0] for row in rows]


HOSTILE = {
    "a megabyte of letters": "a" * 10**6,
    "a megabyte of signs": "=" * 10**6,
    "1e5 signs": " = " * 10**5,
    "1e5 equalities": "1+1=2, " * 10**5,
    "one long chain": "1+1=" * 10**5,
    "a tower": "10^10^10 = 5 + 3",
    "many towers": "10^10^10 = 5 + " * 1000 + "3",
    "brackets": "(" * 10**6 + "=",
    "nested fractions": (r"\frac{1}{" * 30 + "2" + "}" * 30 + "=1+1 ") * 100,
    "a megabyte of digits": "1" * 10**6 + " = 1+1",
    "rounded decimals": ("1.23456/" * 35 + "7=0.00012+1+") * 60,
    "marks": ("3 hours * 20% * 3.1415 + " * 12 + "1 = 7 hours + 2.71828 hours ") * 60,
    "powers": ("99^999*9^999+" * 4 + "1/7 = 2 + 3 ") * 200,
    "spaces": ("1+1" + " " * 400 + "=" + " " * 400 + "3") * 1000,
    "blank lines": ("\n" * 399 + "a=") * 1000,
    "spaces after a caret": ("1^" + " " * 290 + "=") * 1000,
    "1e5 annotations": "<<1+1=2>>" * 10**5,
    "unclosed annotations": "<<" * 5 * 10**5,
    "backslashes": "\\" * 10**6 + "=1",
    "prime denominators": (("1/7919+1/7907+1/7901+1/7883+" * 10) + "1=2+2 ") * 70,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_expensive(name: str) -> None:
    started = process_time()
    score = scored(HOSTILE[name])[0]
    # Under 0.2 s on an idle core; the bound leaves room for a busy one and catches what grows with the square.
    assert process_time() - started < 2, name
    assert score.rule in {"nothing_to_check", "too_costly", "wrong_equality", "equalities_hold"}


def test_a_text_with_too_many_signs_is_not_called_right_but_may_be_proved_wrong() -> None:
    assert scored("1+1=2, " * 1000)[0][:2] == (None, "too_costly")
    assert scored("1+1=3, " + "1+1=2, " * 1000)[0].value == 0


HOSTILE_ROWS = {
    "4000 wrong steps": ["1+1=3"] * 4000,
    "4000 long steps": ["He then pays 3 * 4 = 13 dollars and 5 * 6 = 30 more. " * 5] * 4000,
    "decimals": ["3.1416 * 2.7183 = 8.5398 " * 400] * 45,
    "prime denominators": [HOSTILE["prime denominators"]] * 50,
    "many definitions": ["define a * b " * 1000 + "1+1=3"] * 100,
    "lists": ["1, " * 5000 + "1*1=3"] * 50,
}


@pytest.mark.parametrize("name", HOSTILE_ROWS)
def test_no_row_is_expensive(name: str) -> None:
    started = process_time()
    scores = scored(*HOSTILE_ROWS[name])
    assert process_time() - started < 6, name
    assert len(scores) == len(HOSTILE_ROWS[name])


def test_beyond_its_budget_a_row_is_not_judged() -> None:
    scores = scored(*["1+1=3"] * MAX_ROW_SIGNS, "1+1=3", "no sign here", "1+1=2")
    assert {score.value for score in scores[:MAX_ROW_SIGNS]} == {0}
    assert [score[:2] for score in scores[MAX_ROW_SIGNS:]] == [
        (None, "too_costly"),
        (None, "nothing_to_check"),
        (None, "too_costly"),
    ]


def test_what_the_prompt_says_holds_for_the_row_alone() -> None:
    rows = [StepRow("Define a * b = a + b + ab.", ("3 * 4 = 19",)), StepRow("", ("3 * 4 = 19",))]
    assert [row[0].value for row in SCORER.score(rows)] == [None, 0]
    assert (
        SCORER.score([StepRow([{"role": "user", "content": "We work modulo 7."}], ("5 * 4 = 6",))])[0][0].value is None
    )


def test_a_step_may_take_back_the_one_before_it_but_not_the_one_before_that() -> None:
    assert values("2 * 3 = 7", "Wait, that is wrong.") == [None, None]
    assert values("2 * 3 = 7", "So he has 7.", "Wait, that is wrong.") == [0, None, None]


def test_almost_no_human_solution_is_flagged_and_the_flags_are_errors_of_the_data(shared: Path) -> None:
    lines = (shared / "data" / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [StepRow("", tuple(json.loads(line)["answer"].splitlines())) for line in lines]
    details = [score.detail for row in SCORER.score(rows) for score in row if score.value == 0]
    # 364/4 is 91, and 32 - 20 is 12.
    assert details == [
        '"364 / 4 = 273": 91 on the left, 273 on the right',
        '"$32 - $20 = $300": 12 on the left, 300 on the right',
    ]
