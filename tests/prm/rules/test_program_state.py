import threading
from functools import cache
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from step_texts import responses

from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.rules.program_state import MAX_CELLS, ProgramStateScorer


@cache
def scorer() -> ProgramStateScorer:
    """One for all tests: its jails are started once."""
    return ProgramStateScorer(timeout_s=1.0)


def scores(*steps: str) -> list[StepScore]:
    return scorer().score([StepRow("", steps)])[0]


def code(source: str, words: str = "", language: str = "python") -> str:
    return f"```{language}\n{source}\n```\n{words}"


def values(*steps: str) -> list[float | None]:
    return [score.value for score in scores(*steps)]


@pytest.mark.parametrize(
    ("step", "value"),
    [
        (code("x = 3 * 4\n# x is 12"), 1.0),
        (code("x = 3 * 4\n# x is 13"), 0.0),
        (code("x = 3 * 4  # 12"), 1.0),
        (code("x = 3 * 4  # -> 13"), 0.0),
        (code("# total is 12\ntotal = 12"), 1.0),
        (code("x = 1\n# x is now 2\nx += 1"), 1.0),
        (code("x = 1\n# x is now 3\nx += 1"), 0.0),
        (code("print(3 * 4)  # 12"), 1.0),
        (code("print(3 * 4)  # prints 13"), 0.0),
        (code("len('abc')  # 3"), 1.0),
        (code("len('abc')  # => 4"), 0.0),
        (code("x = 1 / 3  # 0.33"), 1.0),
        (code("x = 1 / 3  # 0.35"), None),  # nearer than one: perhaps something else is meant
        (code("x = [1, 2]  # [1, 2]"), 1.0),
        (code("x = (1, 2)  # [1, 3]"), 0.0),
        (code("x = 3 * 4  # pens"), None),
        (code("x = 3 * 4  # 12 pens"), None),
        (code("def f(x):\n    y = x * 2  # 8\n    return y\nz = f(3)"), None),
        (code("for i in range(3):\n    x = i  # 7"), None),
        (code("s = '# x is 3'\nx = 4"), None),
    ],
)
def test_a_comment_that_says_what_a_value_is_is_held_against_it(step: str, value: float | None) -> None:
    assert values(step) == [value]


def test_the_steps_of_a_row_share_their_names_and_each_is_held_against_its_own_moment() -> None:
    steps = (code("x = 5"), code("x = x + 1", "Now x = 6."), "Nothing here.", code("x *= 2", "Now x = 6."))
    assert [score[:2] for score in scores(*steps)] == [
        (None, "nothing_to_check"),
        (1.0, "values_hold"),
        (None, "nothing_to_check"),
        (0.0, "wrong_value"),
    ]
    assert scores(*steps)[3].detail == "x is said to be 6, it is 12"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("After this, x = 12.", 1.0),
        ("After this, x is 13.", 0.0),
        ("`x` is 12", 1.0),
        ("So `x` is now 13.", 0.0),
        ("We see `x = 13`.", 0.0),
        ("If x = 13, we stop.", None),
        ("Suppose that x = 13.", None),
        ("x = 13 + y", None),
        ("Is x = 13?", None),
        ("x = 13. No, wait, it is 12.", None),
        ("y = 13", None),
        ("The x is 13 here", None),
        ("This prints `12`", None),
    ],
)
def test_words_behind_the_code_are_held_against_its_names(words: str, value: float | None) -> None:
    assert values(code("x = 3 * 4", words)) == [value]


def test_words_before_the_code_or_without_any_say_nothing_of_the_state() -> None:
    assert values(code("x = 12"), "We set x = 13.\n" + code("y = x"), "Let x = 14. So x = 15") == [None, None, None]
    assert values(code("x = 12"), "Hence `x` is 13.") == [None, 0.0]


@pytest.mark.parametrize(
    ("source", "claim", "value"),
    [
        ("print(2)", "```output\n2\n```", 1.0),
        ("print(2)", "```output\n3\n```", 0.0),
        ("print(2)", "Output:\n```\n3\n```", 0.0),
        ("print(2)", "Another text:\n```\n3\n```", None),
        ("print(2)", "Output: 3", 0.0),
        ("print(2)", "This prints `2`.", 1.0),
        ("print(2)", "This prints `3`.", 0.0),
        ("print('a')\nprint('b')", "This prints `b`.", 1.0),
        ("for i in range(3): print(i)", "```output\n0\n1\n2\n```", 1.0),
        ("for i in range(3): print(i)", "```output\n0\n1\n...\n```", None),
        ("for i in range(3): print(i)", "```output\n2\n```", None),
        ("for i in range(3): print(i)", "```output\n0\n1\n2\n3\n```", 0.0),
        ("print(1 / 3)", "```output\n0.3333\n```", 1.0),
        ("x = 4\nx * 3", "```output\n12\n```", 1.0),
        ("pass", "```output\n12\n```", None),
        ("print(1 / 0)", "```output\n12\n```", 0.0),
        ("print(1 / 0)", "```output\nZeroDivisionError: division by zero\n```", None),
        ("import no_such_module\nprint(2)", "```output\n3\n```", None),
        ("print(undefined)", "```output\n3\n```", None),
        ("print(input())", "```output\n3\n```", None),
        ("open('/etc/passwd').read()", "```output\n3\n```", None),
        ("print(2", "```output\n3\n```", None),
        ("import random\nprint(random.random())", "```output\n3\n```", None),
        ("raise SystemExit", "```output\n3\n```", None),
        ("import os\nos._exit(0)", "```output\n3\n```", None),
        ("print('x' * 10**5)", "```output\n3\n```", None),
        ("import sys\nsys.stdout.close()", "```output\n3\n```", None),
        ("import sys\nsys.__stdout__.write('{}')", "```output\n3\n```", None),
        ("import sys\nsys.__stdout__.write('[' * 10**5)", "```output\n3\n```", None),
    ],
)
def test_a_shown_output_is_held_against_what_is_printed(source: str, claim: str, value: float | None) -> None:
    assert values(code(source, claim)) == [value]


def test_an_assert_is_right_or_wrong_as_it_runs() -> None:
    assert scores(code("x = 5\nassert x == 5")) == [StepScore(1.0, "values_hold", "1 asserted value holds")]
    assert scores(code("x = 5\nassert x == 4"), code("x = 1  # 2")) == [
        StepScore(0.0, "failed_assert", "assert x == 4 does not hold: x is 5"),
        StepScore(None, "not_run", "the code before it did not run to its end"),
    ]
    assert values(code("assert True")) == [None]
    assert values(code("x = 5\nassert x == 4", "As expected, this raises.")) == [None]


def test_a_step_that_is_all_code_needs_no_fence_and_mathematics_is_no_code() -> None:
    assert values("x = 3\ny = x * 2\nprint(y)  # 7") == [0.0]
    assert values("x = 3\ny = 2x + 1 = 7", "so y = 8") == [None, None]


def test_code_in_another_language_is_not_run() -> None:
    assert values(code("x = 3; // x is 4", language="js"), code("x = 3\n# x is 4", language="ruby")) == [None, None]


def test_code_that_runs_too_long_is_unknown_and_says_so() -> None:
    (score,) = scores(code("x = 1  # 1\nwhile True: pass"))
    assert score.value is None
    assert score.rule == "not_run"
    assert "cpu" in score.detail


def test_what_ran_before_code_that_is_killed_is_still_judged() -> None:
    assert values(code("x = 1  # 2"), code("import os\nos._exit(1)\ny = 1  # 2")) == [0.0, None]


def test_more_code_than_is_run_is_unknown() -> None:
    steps = [code(f"x = {number}  # 0") for number in range(MAX_CELLS + 1)]
    assert {score[:2] for score in scores(*steps)} == {(None, "too_costly")}


def test_a_machine_without_the_layers_that_are_asked_for_leaves_every_claim_unknown() -> None:
    lacking = ProgramStateScorer(require="strict", without=("seccomp",))
    found = lacking.score([StepRow("", (code("x = 1  # 2"), "words"))])[0]
    assert [score.value for score in found] == [None, None]
    assert found[0].rule == "sandbox"
    assert "seccomp" in found[0].detail


def test_rows_do_not_share_their_names_and_answers_keep_their_order() -> None:
    rows = [StepRow("", (code(f"x = {number}", f"Now x = {number % 3}."),)) for number in range(8)]
    rows += [StepRow("", (code("", "Now x = 1."),)), StepRow("", ())]
    found = [[score.value for score in row] for row in scorer().score(rows)]
    assert found == [[1.0], [1.0], [1.0], [0.0], [0.0], [0.0], [0.0], [0.0], [None], []]


def test_several_threads_may_ask_at_once() -> None:
    row = StepRow("", (code("x = 1  # 2"),))
    found: list[float | None] = []
    threads = [threading.Thread(target=lambda: found.append(scorer().score([row])[0][0].value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0.0] * 4


def test_nothing_is_run_where_nothing_is_asserted() -> None:
    lacking = ProgramStateScorer(require="strict", without=("seccomp",))
    assert lacking.score([StepRow("", (code("x = 1"), "so y = 2"))])[0][0].rule == "nothing_to_check"


@settings(max_examples=15)
@given(st.lists(responses, max_size=4))
def test_any_text_has_one_score_a_step(steps: list[str]) -> None:
    assert len(scores(*steps)) == len(steps)


@pytest.mark.parametrize(
    "text",
    [
        "`x` is " * 20_000,
        "```\n" * 50_000,
        "x = [" * 30_000,
        "# " * 90_000,
        "`a = '" * 30_000,
        code("(" * 60_000 + "  # 1"),
        code("x = " + "-" * 90_000 + "1  # 1"),
        "Output: " * 20_000,
        "print(" * 30_000,
    ],
)
def test_a_hostile_text_costs_seconds(text: str) -> None:
    started = perf_counter()
    scores(text, code("x = 1"), text)
    assert perf_counter() - started < 20


def test_it_is_known_by_name_and_refuses_options_out_of_range() -> None:
    assert isinstance(get("program_state"), ProgramStateScorer)
    with pytest.raises(ArgumentError, match="timeout_s"):
        ProgramStateScorer(timeout_s=0)
    with pytest.raises(ArgumentError, match="require: expected one of strict, standard, basic, got 'none'"):
        get("program_state", require="none")
