"""What a closing sentence states is read whole, and what only confirms it is left out."""

import pytest

from rewardgate.verifiers import get
from rewardgate.verifiers.answers.stated import stated_answer, statement_end

ROWS = [
    ("I first thought the answer was 42, but it is 41.", "41", True),
    ("I first thought the answer was 42, but it is 41.", "42", False),
    ("So there are $42$ ways to do this, as desired. $\\blacksquare$", "42", True),
    ("So there are 42 ways to do this. ∎", "42", True),
    ("AC = \\sqrt{12} = 2\\sqrt{3}.", "2\\sqrt{3}", True),
    ("= \\int x^{-1/2}dx = 2\\sqrt{x}+C", "2\\sqrt{x}+C", True),
    ("The center of the circle is **(4, -3)**.", "(4,-3)", True),
    ("Solving gives $x = 4$.\n\nCheck: $2(4)+1=9$. ✓", "x=4", True),
    ("Solving gives $x = 4$.\n\nCheck: $2(4)+1=9$. ✓", "9", False),
    ("So $x=4$ (we reject $x=-1$ since it is negative).", "4", True),
    ("So $x=4$ (we reject $x=-1$ since it is negative).", "-1", False),
    ("So $x=4$ or $x=-1$. Since $x>0$, $x=4$.", "4", True),
    ("Since $x>0$, $x=4$.", "4", True),
    ("Since $100 \\equiv 2 \\pmod 7$, the day is **Tuesday**.", "\\text{Tuesday}", True),
    ("Since $100 \\equiv 2 \\pmod 7$, the day is **Tuesday**.", "\\text{Monday}", False),
    ("Since $100 \\equiv 2 \\pmod 7$, the day is **not Tuesday**.", "\\text{Tuesday}", False),
    ("They arrive at 3:45 p.m.", "3:45 PM", True),
    ("They arrive at 3:45.", "3:45", True),
    ("They arrive at 3:45.", "45", False),
    ("The ratio of boys to girls is 3:4.", "3:4", True),
    ("Therefore, the answer is no, such a function does not exist.", "No", True),
    ("Therefore, the answer is no, such a function does not exist.", "Yes", False),
    ("The graph is an **ellipse**.", "\\text{ellipse}", True),
    ("The solutions are x = 2 and x = 3.", "x=2 \\text{ or } x=3", True),
    ("The roots are **2** and **3**.", "2,3", True),
    ("Hence the solutions are:\n\n- $x = 2$\n- $x = 3$", "2,3", True),
    ("Hence the solutions are:\n\n- $x = 2$\n- $x = -3$", "2,3", False),
    ("Hence the solutions are:\n\n- $x = 2$\n- $x = 3$", "3", False),
    ("The solution is x = 2 and y = 3.", "(2,3)", True),
    ("The ordered pairs are (1, 2) and (3, 4).", "(1,2),(3,4)", True),
    ("The ordered pairs are (1, 2) and (3, 4).", "(3,4)", False),
    ("The solution of the inequality is all x such that 1 ≤ x ≤ 5.", "[1, 5]", True),
    ("So x > 5.", "5", False),
    ("So all x with x ≤ 5.", "5", False),
    ("The equation of the line is y = 2x + 1.", "y=2x+1", True),
    ("The equation of the line is y = 2x + 1.", "1", False),
    ("If x = 2 and y = 3, then the sum is 5.", "5", True),
    ("$$\\boxed{\\frac{1}{2}$$", "\\frac{1}{2}", True),
    ("So \\(\\boxed{\\frac{1}{2}\\).", "\\frac{1}{2}", True),
    ("So \\boxed{\\frac{1}{2", "2", False),
    ("$\\boxed{12}\\%$", "12", False),
    ("The percentage is $\\boxed{12}\\%$", "12", True),
    ("$\\boxed{12}\\%$", "12\\%", True),
    ("$\\frac{12}{100} = 12\\%$, so $\\boxed{12}\\%$", "12", True),
    ("It takes 5 + 3 = 8 hours.", "8", True),
    ("She pays 4 * 5 = 20.", "20", True),
    ("x = 6/2 = 3.", "3", True),
    ("Then the value of f(x) at x = 3 is f(3) = 4 - 6 = -2.", "-2", True),
    ("The area is 15 (in square meters).", "15", True),
    ("He has enough (24 apples).", "24", True),
    ("Therefore x = 7.", "7", True),
    ("Therefore, a = 7 and we are done.", "7", True),
    ("There are 5 (not counting the first).", "5", True),
    ("x = 4\n\nVerification: 2(4) = 8 ✓", "4", True),
    ("We get 4.\n\nCheck: 2*4 = 9? No, that is wrong. So the value is 8.", "8", True),
    ("The roots are **2** and **-3**.", "2,3", False),
    ("x = 2 and x = 3.", "3", False),
    ("The equation of the line is y = 2x - 1.", "y=2x+1", False),
    ("\\boxed{7} is what a naive student says; the correct answer is \\boxed{9}.", "7", False),
    ("**Solution:** ... \n\nThus the value of $a$ is **-3**.", "-3", True),
    ("The solution is -1 < x ≤ 3.", "(-1,3]", True),
    ("The volume is V = πr²h.", "\\pi r^2 h", True),
    ("Thus, $x+y=15$.", "15", True),
    ("Thus, x+y = 15.", "15", True),
    ("$$\\begin{aligned} x &= 3\\cdot 5 \\\\ &= \\boxed{15} \\end{aligned}$$", "15", True),
    ("$$\\begin{aligned} x &= 3\\cdot 5 \\\\ &= 15 \\end{aligned}$$", "15", True),
    ("So the distance is 2√5 ≈ 4.47.", "2\\sqrt{5}", True),
    ("So the distance is $2\\sqrt{5}$, which is approximately 4.47.", "2\\sqrt{5}", True),
    ("So x = ±4.", "4,-4", True),
    ("So x = 4 or x = -4.", "4,-4", True),
    ("Hence a = 1, b = 2.", "a=1, b=2", True),
    ("So the answer is n(n-1).", "n^2-n", True),
    ("The number of subsets is 2^n.", "2^n", True),
]


@pytest.mark.parametrize(("completion", "target", "right"), ROWS)
def test_a_closing_sentence_answers_with_all_that_it_states(completion: str, target: str, right: bool) -> None:
    verdict = get("math").verify(completion, target)
    assert (verdict.reward == 1) is right, verdict


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("So x > 5.", "x > 5"),
        ("The roots are **2** and **3**.", "2 and 3"),
        ("They meet at 3:45 p.m.", "3:45 p.m."),
        ("The points are (1, 2), (3, 4) and (5, 6).", "(1, 2), (3, 4) and (5, 6)"),
        ("If x = 2 and y = 3", None),
        ("**Note**", None),
        ("It is **not** so", None),
        ("He pays 4 * 5 = 20", None),
    ],
)
def test_a_statement_is_more_than_a_number(text: str, written: str | None) -> None:
    found = stated_answer(text)
    assert (None if found is None else found[1]) == written


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (r"So $x = 4$. $\blacksquare$", r"So $x = 4$."),
        ("So x = 4.\n\nCheck: 2(4) = 8", "So x = 4."),
        ("x = 4 (we reject x = -1 since it is negative)", "x = 4"),
        ("He has enough (24 apples).", "He has enough (24 apples)."),
        ("It is 4.\n\nCheck: 2*4 = 9? So it is wrong.", "It is 4.\n\nCheck: 2*4 = 9? So it is wrong."),
    ],
)
def test_what_only_confirms_a_statement_is_left_out(text: str, kept: str) -> None:
    assert text[: statement_end(text)].strip() == kept
