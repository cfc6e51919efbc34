import pytest
from audited import audited, causes_of, group
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.golds.damaged import damage

SEEN = group("seen", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("", "it is empty"),
        ("N/A", "it is a placeholder"),
        ("see solution", "it is a placeholder"),
        ("<b>18</b>", "it holds markup"),
        ("x &lt; 18", "it holds markup"),
        ("63Â°", "its encoding is broken"),
        ('["18"]', "it is data written as text"),
        ("{'answer': '18'}", "it is data written as text"),
        ("18 (see figure)", "it holds a remark"),
        ("frac{1}{2}", "it lost a backslash"),
        ("\x0crac{1}{2}", "it holds control characters"),
        ("6 * 3 = 18\n#### 18", "it is a worked solution"),
        ("The answer is 18.", "it is a sentence"),
        ("A: 18", "it is a sentence"),
        (r"\frac{3}{8", "its brackets do not match"),
        ("(3, ", "its brackets do not match"),
        ("18,", "it is cut off"),
        ("x =", "it is cut off"),
        ("18\u200b", "it holds characters that nobody sees"),
        (r"\\frac{1}{2}", "it is escaped twice"),
        (r"\boxed{18}", "it stands in a box"),
    ],
)
def test_what_is_no_bare_answer_is_told(target: str, what: str) -> None:
    seen = damage(target)
    assert seen is not None
    assert seen.what == what


@pytest.mark.parametrize(
    "target",
    [
        *(
            "18",
            "-1.5",
            "[0, 1)",
            "]0, 1[",
            "(0, 1]",
            r"\{1, 2\}",
            "A",
            "A) 4",
            "1) 5",
            "x < 3",
            "C++",
            "5!",
            "no solution",
        ),
        *(r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\left(0, 1\right]", "4:30 p.m.", r"\$5", "50%", "café", "45°"),
        *("undefined", "Yes", r"\text{(A)}", "[18]", '"cat"', "x, y", "a<b<c", "3 - 2i"),
        *("sqrt(2)", r"\{x: x > 1\}", "(figure of speech)", "text"),
    ],
)
def test_a_bare_answer_is_not_accused(target: str) -> None:
    assert damage(target) is None


@given(st.integers(-(10**6), 10**6), st.sampled_from(["{}", r"\frac{{{}}}{{7}}", "({}, 4]", r"{}\pi", "x={}", r"{}\%"]))
def test_no_answer_in_mathematical_notation_is_damaged(number: int, notation: str) -> None:
    assert damage(notation.format(number)) is None


def test_a_broken_target_is_at_fault_whatever_the_referee_makes_of_it() -> None:
    broken = group("broken", "(3, ", [(r"\boxed{(3, 4)}", 0.0)] * 2)
    assert causes_of(audited(broken, SEEN)) == {"gold": 2, "undetermined": 1}


def test_a_sentence_as_target_is_at_fault_where_right_answers_were_refused() -> None:
    sentence = group("sentence", "The answer is 18.", [(r"\boxed{18}", 0.0), (r"\boxed{19}", 0.0)])
    assert causes_of(audited(sentence, SEEN)) == {"gold": 2, "undetermined": 1}


def test_a_grader_that_reads_targets_of_a_kind_is_not_accused_of_them() -> None:
    one = group("one", "A: 18", [(r"\boxed{18}", 0.0), (r"\boxed{19}", 0.0)])
    other = group("other", "A: 20", [(r"\boxed{20}", 1.0), (r"\boxed{21}", 0.0)])
    assert "gold" not in causes_of(audited(one, other))


def test_where_nothing_is_paid_the_dress_of_the_targets_is_not_what_is_wrong() -> None:
    groups = [group(name, f"2 * 9 = 18\n#### {name}", [(rf"\boxed{{{name}}}", 0.0)] * 2) for name in ("18", "19")]
    assert "gold" not in causes_of(audited(*groups))


def test_wrong_answers_to_a_readable_target_stay_wrong() -> None:
    sentence = group("sentence", "The answer is 18.", [(r"\boxed{19}", 0.0), (r"\boxed{20}", 0.0)])
    assert causes_of(audited(sentence, SEEN)) == {"undetermined": 3}


def test_prose_about_the_answer_is_no_target_where_the_rollouts_agree_on_that_answer() -> None:
    prose = "We first multiply and then add to get 94 as the total"
    told = group("told", prose, [(r"\boxed{94}", 0.0)] * 4)
    other = group("other", prose.replace("94", "95"), [(r"\boxed{94}", 0.0)] * 4)
    assert causes_of(audited(told, other, SEEN)) == {"gold": 4, "undetermined": 5}
