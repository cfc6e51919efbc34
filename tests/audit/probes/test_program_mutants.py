import ast
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardgate.audit.probes.program_mutants import OPERATORS, ProgramMutant, program_mutants
from rewardgate.errors import ArgumentError, InputError

# Reference programs with calls that tell every mutant: the values are what each program is for.
PROGRAMS = {
    "leap years": (
        """
        def answer(year):
            return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        """,
        [(year,) for year in (*range(1892, 1910), *range(1996, 2005), 2100, 2200, 2300, 2400, 800, 801, 1200, 401, 0)],
    ),
    "binary search": (
        """
        def answer(values, wanted):
            low, high = 0, len(values)
            while low < high:
                middle = (low + high) // 2
                if values[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            return low
        """,
        [(list(range(0, 2 * n, 2)), wanted) for n in range(9) for wanted in range(-1, 2 * n + 2)],
    ),
    "clamp": (
        """
        def answer(value, low=0, high=10):
            if not low <= high:
                return None
            return min(max(value, low), high)
        """,
        [(value, *bounds) for value in (-3, 0, 1, 5, 10, 11) for bounds in ((), (2,), (2, 4), (4, 4), (5, 4))],
    ),
    "run lengths": (
        """
        def answer(text):
            parts = []
            start = 0
            for place in range(1, len(text) + 1):
                if place == len(text) or text[place] != text[start]:
                    parts.append(f"{text[start]}{place - start}")
                    start = place
            return "-".join(parts)
        """,
        [(text,) for text in ("", "a", "aa", "ab", "aab", "abb", "aabbbc", "abcabc", "zzzzzzzzzzz")],
    ),
}


def said(source: str, calls: list[tuple[object, ...]]) -> list[object]:
    """What a program's `answer` returns of each call; an exception or a loop without an end is its name."""
    program = ast.parse(source)
    # A loop that never ends raises at its ten-thousandth turn.
    for node in ast.walk(program):
        if isinstance(node, ast.While):
            node.body.insert(0, ast.parse("_turn()").body[0])
    turns = iter(range(10_000))
    namespace: dict[str, object] = {"_turn": lambda: next(turns)}
    exec(compile(ast.fix_missing_locations(program), "mutant", "exec"), namespace)
    answers: list[object] = []
    for call in calls:
        try:
            answers.append(namespace["answer"](*[list(one) if isinstance(one, list) else one for one in call]))  # type: ignore[operator]
        except Exception as error:
            answers.append(type(error).__name__)
    return answers


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_mutant_of_a_known_program_says_something_else(name: str) -> None:
    text, calls = PROGRAMS[name]
    source = dedent(text)
    expected = said(source, calls)
    mutants = program_mutants(source)
    assert len(mutants) >= 10
    assert not any(str(answer).endswith(("Error", "StopIteration")) for answer in expected)
    survivors = [f"{one.line}: {one.before} -> {one.after}" for one in mutants if said(one.source, calls) == expected]
    assert survivors == []


def changes(source: str) -> list[tuple[str, str, str]]:
    return [(one.operator, one.before, one.after) for one in program_mutants(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", [("boundary", "a < b", "a <= b"), ("swapped_comparison", "a < b", "a > b")]),
        ("a is b", [("swapped_comparison", "a is b", "a is not b")]),
        ("a + b", [("swapped_operator", "a + b", "a - b")]),
        ("a ** b", [("swapped_operator", "a ** b", "a * b")]),
        ("a += b", [("swapped_operator", "a += b", "a -= b")]),
        ("not a", [("dropped_negation", "not a", "a")]),
        ("-a", [("dropped_negation", "-a", "a")]),
        ("+a", []),
        ("a and b", [("swapped_connective", "a and b", "a or b")]),
        ("f(0)", [("off_by_one", "0", "1"), ("off_by_one", "0", "-1")]),
        ("f(2.5)", [("changed_constant", "2.5", "3.5")]),
        ("f(True)", [("changed_constant", "True", "False")]),
        ("f('ab')", [("changed_constant", "'ab'", "''")]),
        ("f('')", [("changed_constant", "''", "'?'")]),
        ("f(None)", []),
        ("min(a)", [("swapped_call", "min(a)", "max(a)")]),
        ("range(n)", [("off_by_one", "range(n)", "range(n + 1)"), ("off_by_one", "range(n)", "range(n - 1)")]),
        ("a[:n]", [("off_by_one", ":n", ":n + 1"), ("off_by_one", ":n", ":n - 1")]),
        ("'%s' % a", [("changed_constant", "'%s'", "''")]),
        ("[a] * n", []),
        (
            "a < b < c",
            [
                ("boundary", "a < b < c", "a <= b < c"),
                ("swapped_comparison", "a < b < c", "a > b < c"),
                ("boundary", "a < b < c", "a < b <= c"),
                ("swapped_comparison", "a < b < c", "a < b > c"),
            ],
        ),
    ],
)
def test_each_operator_makes_its_own_change(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert changes(source) == expected


def test_a_removed_return_falls_through() -> None:
    (mutant,) = program_mutants("def f(a):\n    return a")
    assert mutant == ProgramMutant("def f(a):\n    pass", "removed_return", 2, "return a", "pass")


def test_a_drawing_takes_of_every_operator_and_keeps_the_order_of_lines() -> None:
    source = dedent(PROGRAMS["binary search"][0])
    every = program_mutants(source)
    some = program_mutants(source, most=6, seed=3)
    assert len(some) == 6
    assert [one for one in every if one in some] == list(some)
    assert {one.operator for one in some} == {one.operator for one in every}
    assert some == program_mutants(source, most=6, seed=3)
    assert program_mutants(source, most=10**6) == every
    assert program_mutants(source, most=0) == ()


@pytest.mark.parametrize("source", ["def f(:", "x = = 1", "\0", "(" * 500 + ")" * 500, "+".join(["x"] * 5000)])
def test_what_is_no_program_is_refused(source: str) -> None:
    with pytest.raises(InputError, match="source: expected a Python program, got"):
        program_mutants(source)


@pytest.mark.parametrize("most", [-1, 1.5])
def test_a_number_of_mutants_is_a_whole_number(most: float) -> None:
    with pytest.raises(ArgumentError, match="most: expected"):
        program_mutants("a < b", most=most)  # type: ignore[arg-type]


NAMES = st.sampled_from(["a", "b", "n", "xs"])
ATOMS = st.one_of(NAMES, st.integers(-3, 12).map(str), st.sampled_from(["True", "None", "'s'", "2.5", "xs[0]"]))
SIGNS = st.sampled_from(["+", "-", "*", "//", "%", "<", "<=", "==", "!=", "and", "or", "in"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, SIGNS, inner),
        st.builds("(not {})".format, inner),
        st.builds("min({}, {})".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=8,
)
STATEMENTS = st.builds(
    "def f(a, b, n, xs):\n    if {}:\n        a = {}\n    while {}:\n        n -= 1\n    return {}".format,
    EXPRESSIONS,
    EXPRESSIONS,
    EXPRESSIONS,
    EXPRESSIONS,
)


@settings(max_examples=40)
@given(STATEMENTS)
def test_mutants_are_distinct_programs_that_parse_and_differ_from_the_reference_in_one_line(source: str) -> None:
    reference = ast.unparse(ast.parse(source))
    mutants = program_mutants(source)
    texts = [one.source for one in mutants]
    assert len(set(texts)) == len(texts)
    for one in mutants:
        ast.parse(one.source)
        assert one.operator in OPERATORS
        pairs = list(zip(reference.splitlines(), one.source.splitlines(), strict=True))
        assert sum(before != after for before, after in pairs) == 1
