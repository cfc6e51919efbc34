import pytest
from completions import anchored_text
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.denials import (
    _BEFORE_CHARS,
    _NEGATION,
    _NOT_ONLY,
    doubt_before,
    is_denied,
    is_denied_inside,
    is_negated,
    is_negated_inside,
)


@pytest.mark.parametrize(
    ("before", "negated"),
    [
        ("not ", True),
        ("It isn't $", True),
        (r"x \neq ", True),
        ("cannot be ", True),
        ("6 rather than ", True),
        ("不是 ", True),
        ("other than ", True),
        ("It is none other than ", False),
        ("nothing other than ", False),
        ("different from $", True),
        ("anything but ", True),
        ("x != ", True),
        ("x doesn't equal ", True),
        ("Ответ не ", True),
        ("la risposta non è ", True),
        ("không phải là ", True),
        ("Note: ", False),
        ("Do not forget: we get ", False),
        ("The answer is ", False),
        ("whether or not ", False),
        ("another ", False),
    ],
)
def test_a_denial_stands_right_before_what_it_denies(before: str, negated: bool) -> None:
    assert is_negated(before + "5", len(before)) is negated


@pytest.mark.parametrize(
    ("after", "denied"),
    [
        (" is not the answer", True),
        ("$ is wrong.", True),
        (" isn't correct", True),
        (" or not", True),
        (", which is wrong", True),
        (" is a wrong answer.", True),
        (" cannot be right.", True),
        (" can't be the answer", True),
        (" değil.", True),
        (" is a right answer", False),
        (", which is right", False),
        (" is a false start", False),
        (" cannot be larger", False),
        (" is not the only solution", False),
        (" is the answer", False),
        (" is not hard to see", False),
    ],
)
def test_a_denial_may_follow(after: str, denied: bool) -> None:
    assert is_denied("5" + after, 1) is denied


def test_a_denial_inside_is_told_from_a_relation() -> None:
    assert [
        is_negated_inside(text)
        for text in (r"\neq 5", "≠ 5", r"\text{not } 5", "not 5", r"x \neq 5", r"\text{not prime}", r"\nearrow 5")
    ] == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(("answer", "denied"), [("42 is wrong", True), ("42 is right", False), ("42 is", False)])
def test_an_answer_may_deny_its_own_first_word(answer: str, denied: bool) -> None:
    assert is_denied_inside(answer) is denied


@pytest.mark.parametrize(
    ("before", "doubt"),
    [
        ("I don't think the ", "negated"),
        ("The wrong ", "negated"),
        ("A common mistake is to say the ", "negated"),
        ("It is tempting to conclude that the ", "negated"),
        ("Suppose the ", "supposed"),
        ("I can't tell whether the final ", "supposed"),
        ("I'm not sure the ", "supposed"),
        ("If my ", "supposed"),
        ("Some might think that the ", "supposed"),
        ("I think the ", ""),
        ("I am sure the ", ""),
        ("I would say the ", ""),
        ("I know the ", ""),
        ("There is no doubt the ", ""),
        ("If x = 3, the ", ""),
        ("Suppose x = 3. The ", ""),
        ("The wrong ones are 3 and 4. The ", ""),
        ("I don't think so. The ", ""),
        ("", ""),
    ],
)
def test_the_words_before_an_announcement_may_take_it_back(before: str, doubt: str) -> None:
    assert doubt_before(before + "answer is 5", len(before)) == doubt


@given(anchored_text)
def test_nothing_stands_before_the_beginning(text: str) -> None:
    assert not is_negated(text, 0)
    assert not is_denied(text, len(text))
    assert doubt_before(text, 0) == ""


DENYING = [
    *("not", "never", "cannot be", "rather than", "instead of", "neither", "nor", "isn't", "isn’t", "isn't equal to"),
    *("not be", "not equal to", "other than", "different from", "anything but", "anything\nbut", r"\ne", r"\neq", "≠"),
    *("!=", r"\not=", r"\not =", "不是", "不等于", "并非", "ではなく", "nicht", "n'est pas", "n’est pas", "no es"),
    *("no  es", "no\nes", "non è", "não é", "не", "не равно", "không phải là", "nie jest", "nie wynosi"),
    *("nie\u00a0jest", "no\u00a0es"),
]


def test_every_way_to_deny_is_noticed_before_a_box() -> None:
    for words in DENYING:
        text = f"We see: it {words} $\\boxed{{5}}$"
        assert is_negated(text, text.index("\\boxed")), words
        assert is_negated(text.upper(), text.index("\\boxed")), words


@given(
    st.lists(
        st.sampled_from(
            [*DENYING, "one", "know", "normal", "then", "$", "(", r"\text{", r"\mathbf{", r"\[", ":", "\n", "if", "why"]
        )
    ).map(" ".join)
)
def test_what_is_looked_for_first_hides_no_denial(before: str) -> None:
    near = before[-_BEFORE_CHARS:]
    expected = _NEGATION.search(near) is not None and _NOT_ONLY.search(near) is None
    assert is_negated(before, len(before)) is expected


def test_white_space_behind_a_denial_is_not_searched_through() -> None:
    # Cubic once: twenty seconds for a thousand line breaks in a box.
    assert not is_negated_inside("not" + "\n" * 100_000)
    assert is_negated_inside("not" + " " * 100_000 + "5")
    assert is_negated_inside("not equal to" + " " * 100_000 + "5")
