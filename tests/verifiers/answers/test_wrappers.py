import pytest
from completions import anchored_text, answers
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.wrappers import unwrapped, without_math_marks

WRAPPERS = (
    "$%s$",
    r"\(%s\)",
    "**%s**",
    "%s.",
    r"\text{%s}",
    r"\mathbf{%s}",
    r"\color{red}{%s}",
    r"\;%s\;",
    " %s ",
    "{%s}",
    "`%s`",
)


def inside(text: str) -> str:
    return text[slice(*unwrapped(text, 0, len(text)))]


@given(answers, st.lists(st.sampled_from(WRAPPERS), unique=True, max_size=5))
def test_wrappers_come_off_in_any_order(answer: str, wrappers: list[str]) -> None:
    text = answer
    for wrapper in wrappers:
        text = wrapper % text
    assert inside(text) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "5!",
        r"5\%",
        "5%",
        "$5",
        r"\$5",
        "[1, 2)",
        r"\{1, 2\}",
        r"45^\circ",
        "5 cm",
        "x = 5",
        r"\ldots",
        "...",
        r"\mathbb{R}",
    ],
)
def test_what_belongs_to_an_answer_stays(answer: str) -> None:
    assert inside(answer) == answer


@given(anchored_text)
def test_a_narrower_span_is_inside(text: str) -> None:
    start, end = unwrapped(text, 0, len(text))
    assert 0 <= start <= end <= len(text)


def test_inline_mathematics_loses_its_dollars_and_currency_keeps_them() -> None:
    assert without_math_marks("$x = 1$ and $y = 2$") == "x = 1 and y = 2"
    assert without_math_marks("between $5 and $6") == "between $5 and $6"


@pytest.mark.parametrize("power", ["10**6", "x**2 + 1", "(a+1)**2", "2 ** 10", "2**-3", "x**n"])
def test_two_stars_between_operands_are_a_power(power: str) -> None:
    assert without_math_marks(power) == power


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**42** apples", "42 apples"),
        ("is**42**", "is42"),
        ("5 **apples**", "5 apples"),
        ("共**42**个", "共42个"),
        ("**x** and **y**", "x and y"),
    ],
)
def test_two_stars_beside_words_are_bold(text: str, plain: str) -> None:
    assert without_math_marks(text) == plain
