import pytest

from rewardgate.audit.probes.program_mutants import program_mutants


def changes(source: str) -> list[str]:
    return [f"{one.before} -> {one.after}" for one in program_mutants(source)]


@pytest.mark.parametrize(
    "source",
    [
        "x + 0",
        "x - 0",
        "x * 1",
        "x // 1",
        "x << 0",
        "x * -1",
        "x += 0",
    ],
)
def test_a_neutral_operand_makes_no_other_program(source: str) -> None:
    assert not any("x" in change for change in changes(source))


def test_two_times_two_is_two_to_the_two() -> None:
    assert "2 ** 2 -> 2 * 2" not in changes("f(2 ** 2)")
    assert "3 ** 2 -> 3 * 2" in changes("f(3 ** 2)")  # 9 and 6


@pytest.mark.parametrize(
    "source",
    [
        "if x < best:\n    best = x",
        "if best >= x:\n    best = x",
        "y = a if a < b else b",
        "y = x if x >= 0 else -x",
        "if a[i] > a[j]:\n    a[i], a[j] = a[j], a[i]",
        "while high - low > 1e-9:\n    f()",
    ],
)
def test_where_a_tie_changes_nothing_the_boundary_is_no_fault(source: str) -> None:
    assert not any(one.operator == "boundary" for one in program_mutants(source))
    assert any(one.operator == "swapped_comparison" for one in program_mutants(source))


@pytest.mark.parametrize(
    "source",
    [
        "if x < best:\n    best = x\n    where = i",
        "if x < best:\n    best = x\nelse:\n    n = 1",
        "if x < best:\n    best = y",
        "y = a if a < b else c",
        "y = x if x >= 1 else -x",
        "if a < b:\n    return a",
    ],
)
def test_where_a_tie_may_matter_the_boundary_stays(source: str) -> None:
    assert any(one.operator == "boundary" for one in program_mutants(source))


@pytest.mark.parametrize("constant", ["1000000", "5000000", "1 << 30", "2 ** 60", "10 ** 9", "-10 ** 9", "1e-9"])
def test_a_stand_in_for_infinity_or_a_tolerance_is_not_moved_by_one(constant: str) -> None:
    assert not any(one.operator in ("off_by_one", "changed_constant") for one in program_mutants(f"best = {constant}"))


@pytest.mark.parametrize("source", ["m = 10 ** 9 + 7", "y = x % 1000000", "y = 999983", "y = 0.5"])
def test_a_large_number_that_stands_for_itself_is(source: str) -> None:
    assert any(one.operator in ("off_by_one", "changed_constant") for one in program_mutants(source))


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring with 7."""',
        "def f(x: 'int' = None) -> 'int':\n    ...",
        "@cache(128)\ndef f(x): ...",
        "assert x > 0, 'not positive'",
        "raise ValueError('3 < 4')",
        "import sys\nsys.setrecursionlimit(5000)",
        "f(float('inf'))",
        "print(x, end=' ', sep='')",
        "if False:\n    f(3)",
        "if __name__ == '__main__':\n    f(3)",
        "def f():\n    return x\n    g(3)",
        "while x:\n    break\n    g(3)",
        "f'{x:.2f}'",
        "return None",
        "from a import b",
    ],
)
def test_what_no_test_asks_about_is_left_alone(source: str) -> None:
    assert [change for change in changes(source) if not change.startswith("return x")] == []


def test_a_true_constant_as_a_test_stays_true() -> None:
    assert changes("while 1:\n    f()") == ["1 -> 0"]
    assert changes("while True:\n    f()") == ["True -> False"]


def test_the_last_return_false_may_fall_off_and_an_earlier_one_may_not() -> None:
    removed = [
        one.line
        for one in program_mutants("def f(x):\n    if x:\n        return False\n    g()\n    return False")
        if one.operator == "removed_return"
    ]
    assert removed == [3]


def test_what_an_else_of_a_false_branch_holds_is_still_reached() -> None:
    assert "3 -> 4" in changes("if False:\n    f(9)\nelse:\n    f(3)")
    assert not any("9" in change for change in changes("if False:\n    f(9)\nelse:\n    f(3)"))
