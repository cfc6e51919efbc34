"""Structures compared part by part; the symbolic stage stands still here."""

import pytest

from rewardgate.verifiers.base import Outcome
from rewardgate.verifiers.expression.compare import compare
from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.results import Comparison, SymbolicResult
from rewardgate.verifiers.expression.structures import read


def never_asked(target: str, answer: str) -> SymbolicResult:
    raise AssertionError(f"asked about {target} and {answer}")


def judged(target: str, answer: str) -> Comparison:
    return compare(read(normalise(target)), read(normalise(answer)), never_asked)


@pytest.mark.parametrize(
    ("target", "answer", "rule", "right"),
    [
        ("1,2", "2,1", "list", True),
        ("(1,2)", "(2,1)", "tuple", False),
        ("(1,2)", "1,2", "tuple", True),
        ("(0,100)", "(0, 100)", "tuple", True),
        ("(1,234)", "(1, 234)", "tuple", True),
        ("1234", "(1,234)", "tuple_for_value", False),
        ("0,100", "0, 100", "list", True),
        ("0.125", "0,125", "decimal_comma", True),
        (r"\{1,2\}", "2,1,1", "set", True),
        ("1,2", r"\{2,1\}", "set", True),
        (r"\{1,2\}", "(1,2)", "brackets", False),
        ("1,2,3", "1,2", "list_length", False),
        ("2,2,3", "2,3", "list_length", False),
        ("x=1,y=2", "y=2,x=1", "labels", True),
        ("x=1,y=2", "2,1", "labels", False),
        ("x=1,y=2", "a=1,b=2", "label_conflict", False),
        ("x<3", "(-inf,3)", "tuple", True),
        ("x<=3", "(-inf,3]", "interval", True),
        ("x<3 or x>5", r"(5,\infty)\cup(-\infty,3)", "union", True),
        ("1:2:3", "2:4:6", "ratio", True),
        ("11:21", "21:11", "ratio", False),
        ("3:4", "0.75", "ratio_as_fraction", True),
        ("4:30 p.m.", "16:30", "clock", True),
        ("4:30 p.m.", "4:30 a.m.", "clock", False),
        ("3:00 PM", "3 PM", "clock", True),
        ("3:00 PM", "3 AM", "clock", False),
        ("3 PM", "15:00", "clock", True),
        ("3 PM", "3", "clock", True),
        ("3:30 PM", "3", "clock", False),
        ("3", "3 p.m.", "clock", True),
        (r"\emptyset", "no solution", "identical_text", True),
        (r"\{\}", r"\text{no real solutions}", "identical_text", True),
        ("no solution", r"\varnothing", "identical_text", True),
        ("0", "no solution", "text", False),
        (r"\mathbb{R}", r"\text{all real numbers}", "tuple", True),
        (r"(-\infty,\infty)", "all real numbers", "tuple", True),
        (r"\infty", "Infinity", "identical_text", True),
        (r"\infty", "negative infinity", "infinite", False),
        ("(2,3)", r"\langle 2,3\rangle", "tuple", True),
        ("(2,3)", r"\langle 3,2\rangle", "tuple", False),
        ("200 minutes", "3 hours and 20 minutes", "unit_conversion", True),
        ("2 hours 30 minutes", "2.5 hours", "exact_number", True),
        ("3 hours", "3 hours and 20 minutes", "exact_number", False),
        ("12", r"\text{The area is } 12", "exact_number", True),
        (r"5 \text{ m s}^{-1}", "5 m/s", "exact_number", True),
        (r"18 \text{ km h}^{-1}", "5 m/s", "unit_conversion", True),
        ("10", r"\binom52", "exact_number", True),
        ("20", r"2\dbinom{5}{2}", "exact_number", True),
        ("5", r"\binom52", "exact_number", False),
        ("1/2", "one half", "exact_number", True),
        ("2/3", "two-thirds", "exact_number", True),
        ("5", "3+2=5", "equal_chain", True),
        ("5", "5=5", "equation_for_value", False),
        ("1/3", r"\frac13\approx0.33", "with_approximation", True),
        ("1/3", r"x=\frac13=\frac26\approx0.333", "with_approximation", True),
        ("1/3", r"\frac13\approx0.34", "equation_for_value", False),
        ("1/3", r"0.33\approx\frac13", "equation_for_value", False),
        ("41", r"41\approx42", "equation_for_value", False),
        ("42", r"41\approx42", "equation_for_value", False),
        ("1/3", r"0.33\approx0.3", "equation_for_value", False),
        ("420", "421=420", "equation_for_value", False),
        ("5", r"\ne5", "negated", False),
        ("5", "3<5<7", "inequality_for_value", False),
        ("1,2,...,9", "1,2,...,10", "progression", False),
        ("1,2,...,9", "1,2,3,...,9", "progression", True),
        (r"1,3,5,\ldots", r"1,3,\ldots", "progression", True),
        (r"1,3,5,\ldots", r"1,3,9,\ldots", "progression", False),
        (r"1,3,5,\ldots", r"1,3,5,\ldots,99", "progression", False),
        (r"1,2,\ldots,n", r"1,2,3,\ldots,n", "progression", True),
        (r"\{1,2,\ldots,5\}", r"\{1,2,3,4,5\}", "progression", True),
        (r"\{1,2,3,4,5\}", r"\{1,2,\ldots,6\}", "progression", False),
        (r"\{2,4,\ldots,11\}", r"\{2,4,6,8,10\}", "progression", False),
        ("(-2,2)", "x^2<4", "solution_set", True),
        ("[-2,2]", "x^2<4", "solution_set", False),
        ("{1,3}\\cup{2,4}", r"\{1,2,3,4\}", "set", True),
        (r"\begin{cases}x=2\\y=3\end{cases}", "y=3, x=2", "labels", True),
        (r"\begin{cases}x=2\\y=3\end{cases}", "x=3, y=2", "labels", False),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,2],[3,4]]", "matrix", True),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,3],[2,4]]", "matrix", False),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", "(1,2)", "matrix", True),
        ("(1,2)", r"\begin{pmatrix}2\\1\end{pmatrix}", "matrix", False),
        (r"2\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\4\end{pmatrix}", "matrix", True),
        (r"-\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}", "matrix", False),
        ("12:00", "1:00", "ratio", False),
        (r"\left(\begin{array}{cc}0&-1\\1&0\end{array}\right)", "((0,-1),(1,0))", "matrix", True),
        (r"\left|\begin{array}{cc}1&2\\3&4\end{array}\right|", "-2", "exact_number", True),
        (r"\det\begin{pmatrix}2&0&0\\0&3&0\\0&0&4\end{pmatrix}", "24", "exact_number", True),
        (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "2", "exact_number", False),
        (r"]-1,2[", "(-1,2)", "tuple", True),
        (r"]-1,2]", "(-1,2]", "interval", True),
        (r"[-1,+\infty[", "[-1,2)", "interval", False),
        (r"x\ne\pm3", r"(-\infty,-3)\cup(-3,3)\cup(3,\infty)", "union", True),
        (r"x\neq2,3", r"\mathbb R\setminus\{2,3\}", "union", True),
        (r"x\neq2,3", r"\mathbb R\setminus\{2\}", "solution_set", False),
        ("x=5 for all real numbers", "x=5", "exact_number", True),
        (r"x\equiv5\pmod{12}", r"x\equiv17\pmod{12}", "residues", True),
        (r"x\equiv5\pmod{12}", r"x\equiv5\pmod{6}", "residues", False),
        (r"1,5\pmod6", r"5, 7 \pmod{6}", "residues", True),
        (r"12^\circ30'", r"12.5^\circ", "exact_number", True),
        (r"12^\circ30'36''", r"12.51^\circ", "exact_number", True),
        (r"12^\circ30'", r"12.3^\circ", "exact_number", False),
        (r"100\text{ cm}^3", r"100\text{ mL}", "exact_number", True),
        (r"2\text{ L}", r"2\text{ cm}^3", "exact_number", False),
        ("no solution", "no real solutions", "text", True),
        ("no", "No.", "text", True),
        ("does not exist", r"\text{DNE}", "text", True),
        ("does not exist", "undefined", "text", False),
        (r"\infty", r"\text{infinitely many}", "identical_text", True),
        ("no", "on", "text", False),
        (r"3\text{ kN}", r"3000\text{ N}", "unit_conversion", True),
        (r"2\text{ kJ}", r"2000\text{ W}", "unit_conflict", False),
        (r"5\ \Omega", "5", "exact_number", True),
        ("1000", "1.0 x 10^3", "exact_number", True),
        (r"10\%", "10 per cent", "exact_number", True),
        ("1:3", "1 to 3", "ratio", True),
        ("(1,2,3)", "[1, 2, 3]", "tuple", True),
        ("(1,2)", "[1,2]", "brackets", False),
        ("10:21", "20:42", "ratio", True),
        ("1000000", "1.000.000", "exact_number", True),
        ("1234567.5", "1.234.567,5", "exact_number", True),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\1\end{pmatrix}", "matrix", False),
        (r"\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}", "matrix_shape", False),
        ("27.93", "27,93", "decimal_comma", True),
    ],
)
def test_structures_are_judged_by_their_rules(target: str, answer: str, rule: str, right: bool):
    comparison = judged(target, answer)
    assert (comparison.rule, comparison.is_correct) == (rule, right)


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ("5 or 6", "hedged"),
        ("5,6", "hedged"),
        (r"\pm5", "plus_minus"),
        (r"\{5,6\}", "hedged"),
    ],
)
def test_several_values_for_one_are_a_hedge(answer: str, rule: str):
    comparison = judged("5", answer)
    assert (comparison.outcome, comparison.rule) == (Outcome.HEDGED, rule)


def test_the_detail_shows_both_forms_and_is_short():
    comparison = judged("7" * 500, "8" * 500)
    assert "is not" in comparison.detail
    assert len(comparison.detail) < 400
