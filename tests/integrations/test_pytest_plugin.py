"""The pytest plug-in in sessions of its own: what is collected, what fails, what it says, what it leaves alone."""

import json
import sys
from pathlib import Path

import pytest

from rewardgate.audit.replaying import FrozenCase, frozen_text

pytest_plugins = ["pytester"]

REWARDS = r"""
import re, time

def accuracy(completion, target):
    found = re.findall(r"\\boxed\{(.*?)\}", completion)  # stops at the first "}"
    return float(bool(found) and found[-1] == target)

def patient(completion, target):
    while "wait" in completion:
        pass
    return float(completion == target)

def anything(completion, target):
    return 1.0

def double(completion, target):
    return 2.0 * (completion == target)
"""
CASES = [
    FrozenCase(
        expected="accept",
        target="1/2",
        response="so \\boxed{0.5}",
        cause="false_negative:format",
        why="a decimal",
        source="run.jsonl:17",
    ),
    FrozenCase(expected="reject", target="5", response="\\boxed{4}", cause="paid_but_wrong", why="off by one"),
]


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a reward function, and two frozen cases with an empty line between them."""
    pytester.makepyfile(rewards=REWARDS)
    lines = frozen_text(CASES).splitlines()
    (pytester.path / "faults.jsonl").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return pytester


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


FAULT = r"""
faults.jsonl:1: rewards.py:accuracy refuses a right answer
  offered:  so \boxed{0.5}
  target:   1/2
  paid:     0
  should:   1 or more
  rule:     false_negative:format: a decimal
  found in: run.jsonl:17
""".strip()


def test_each_frozen_case_of_a_file_is_a_test_that_says_what_was_paid_and_where_the_case_stands(
    session: pytest.Pytester,
) -> None:
    result = session.runpytest("--rewardgate-faults=faults.jsonl", "--rewardgate-reward=rewards.py:accuracy", "-v")
    result.assert_outcomes(passed=1, failed=1)
    assert FAULT in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "faults.jsonl::1-accept-false_negative:format FAILED*",
            "faults.jsonl::3-reject-paid_but_wrong PASSED*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_frozen.py*")


def test_a_mark_makes_a_test_of_each_law_and_each_frozen_case_and_runs_the_body_behind_it(
    session: pytest.Pytester,
) -> None:
    session.makepyfile(
        """
        import pytest

        @pytest.mark.rewardgate(
            "rewards.py:accuracy", laws=["rejects_mutants", "target_accepts_itself"], kinds=["fraction"],
            anchors=["boxed"], surroundings=["alone"], max_examples=20, probes=False, frozen="faults.jsonl",
        )
        def test_accuracy(request):
            print("the body of", request.node.name)
        """
    )
    result = session.runpytest("-rA")
    result.assert_outcomes(passed=2, failed=2)
    assert FAULT in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "target_accepts_itself: rewards.py:accuracy refused its own target",
            "  target: *frac*",
            "the body of test_accuracy?rejects_mutants?",
            "PASSED *::test_accuracy?faults.jsonl:3-reject-paid_but_wrong?",
            "FAILED *::test_accuracy?target_accepts_itself?*",
        ]
    )
    result.stdout.no_fnmatch_line("the body of test_accuracy?target_accepts_itself?")
    result.stdout.no_fnmatch_line("*During handling*")


def test_a_reward_that_hangs_is_killed_and_its_case_fails(session: pytest.Pytester) -> None:
    case = FrozenCase(expected="reject", target="5", response="wait", cause="paid_but_wrong", why="no answer")
    (session.path / "faults.jsonl").write_text(frozen_text([case]), encoding="utf-8")
    session.makepyfile(
        """
        import pytest
        from rewards import patient

        @pytest.mark.rewardgate(patient, probes=False, frozen="faults.jsonl", timeout_s=0.5)
        def test_patient(): ...
        """
    )
    result = session.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["faults.jsonl:1: patient gives no reward to a wrong answer", "*nothing: *timed_out*"])


@pytest.mark.slow
def test_the_probes_fail_with_the_case_that_shows_the_fault(session: pytest.Pytester) -> None:
    (session.path / "run.jsonl").write_text('{"prompt": "2+2?", "response": "4", "target": "4"}\n', encoding="utf-8")
    session.makepyfile(
        """
        import pytest

        @pytest.mark.rewardgate("rewards.py:anything", probes={"tries": 0, "rollouts": "run.jsonl"})
        def test_anything(): ...
        """
    )
    result = session.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["rewards.py:anything: *", "*all of it: rewardgate probe *rewards.py:anything"])


def test_what_is_right_may_be_worth_more_than_one(session: pytest.Pytester) -> None:
    case = FrozenCase(expected="accept", target="5", response="5", cause="false_negative", why="the same")
    wrong = FrozenCase(expected="reject", target="5", response="4", cause="paid_but_wrong", why="another")
    (session.path / "faults.jsonl").write_text(frozen_text([case, wrong]), encoding="utf-8")
    session.makeini("[pytest]\nrewardgate_faults = faults.jsonl\nrewardgate_reward = rewards.py:double\n")
    session.runpytest("--rewardgate-correct-at=2").assert_outcomes(passed=2)


@pytest.mark.slow
def test_workers_of_xdist_collect_and_fail_alike(session: pytest.Pytester) -> None:
    session.makeini("[pytest]\nrewardgate_faults = faults.jsonl\nrewardgate_reward = rewards.py:accuracy\n")
    result = session.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=1, failed=1)
    assert FAULT in result.stdout.str()


def test_a_reward_that_cannot_be_imported_fails_every_case_with_the_reason(session: pytest.Pytester) -> None:
    (session.path / "rewards.py").write_text("import no_such_module", encoding="utf-8")
    result = session.runpytest("--rewardgate-faults=faults.jsonl", "--rewardgate-reward=rewards.py:accuracy")
    result.assert_outcomes(failed=2)
    told = "verifier: expected an importable function at *rewards.py:accuracy, got *No module named 'no_such_module'"
    result.stdout.fnmatch_lines([told, told])


def test_functions_of_packages_and_of_the_test_itself_are_found_by_their_processes(session: pytest.Pytester) -> None:
    package = session.mkpydir("its_package")
    (package / "base.py").write_text("ONE = 1.0", encoding="utf-8")
    (package / "rewards.py").write_text(
        "from .base import ONE\n\ndef fair(completion, target): return ONE", encoding="utf-8"
    )
    session.makepyfile(
        """
        import pytest
        from its_package.rewards import fair

        class Ours:
            @staticmethod
            def unfair(completion, target): return 0.0

        @pytest.mark.rewardgate(fair, probes=False, frozen="faults.jsonl")
        class TestFair:
            @pytest.mark.parametrize("n", [1, 2])
            def test_it(self, n, tmp_path): assert tmp_path.is_dir()

        @pytest.mark.rewardgate(Ours.unfair, probes=False, frozen="faults.jsonl")
        def test_unfair(): ...
        """
    )
    # `fair` pays everything and so breaks what must be rejected, twice; `unfair` breaks what must be accepted.
    session.runpytest().assert_outcomes(passed=3, failed=3)


def test_a_verifier_with_options_may_be_marked(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest
        from rewardgate.verifiers import get

        @pytest.mark.rewardgate(get("numeric"), probes=False, frozen="faults.jsonl")
        @pytest.mark.rewardgate("math", probes=False, frozen="faults.jsonl")
        def test_ours(): ...
        """
    )
    session.runpytest().assert_outcomes(passed=4)


def test_settings_are_collected_where_no_path_is_named_or_a_named_folder_holds_them(session: pytest.Pytester) -> None:
    session.makeini("[pytest]\nrewardgate_faults = faults.jsonl\nrewardgate_reward = rewards.py:accuracy\n")
    session.makepyfile(test_plain="def test_one(): ...")
    faults = ["faults.jsonl::1-accept-false_negative:format", "faults.jsonl::3-reject-paid_but_wrong"]
    one = ["test_plain.py::test_one"]
    assert collected(session.runpytest("--collect-only", "-q")) == faults + one
    assert collected(session.runpytest("--collect-only", "-q", ".")) == faults + one
    assert collected(session.runpytest("--collect-only", "-q", "test_plain.py")) == one
    assert collected(session.runpytest("--collect-only", "-q", faults[1])) == faults[1:]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rewardgate-faults=faults.jsonl"], "expected --rewardgate-reward X to go with it, got none"),
        (["--rewardgate-faults=none.jsonl", "--rewardgate-reward=math"], "--rewardgate-faults: expected a file, got "),
        (
            ["--rewardgate-faults=faults.jsonl", "--rewardgate-reward=math", "--rewardgate-correct-at=much"],
            "--rewardgate-correct-at: expected a positive number, got much",
        ),
        (
            ["--rewardgate-faults=.hidden/faults.jsonl", "--rewardgate-reward=math"],
            "--rewardgate-faults: expected a file that is collected, got ",
        ),
    ],
)
def test_options_that_cannot_be_followed_end_the_session_with_one_line(
    session: pytest.Pytester, arguments: list[str], told: str
) -> None:
    (session.path / ".hidden").mkdir()
    (session.path / ".hidden" / "faults.jsonl").write_text(frozen_text(CASES), encoding="utf-8")
    result = session.runpytest(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.strip()]
    assert told in line


MARKS = [
    ("", "reward: expected one, got 0"),
    ('"math", "exact"', "reward: expected one, got 2"),
    ('"maths"', 'verifier: unknown name "maths"; known: '),
    ('"rewards.py:f"', "reward: expected a file in "),
    ("lambda completion, target: 1", "reward: expected a function that another process can import, got <function"),
    ("5", "reward: expected a name, a place, a function or a verifier, got 5"),
    ('"math", laws=["never_rises"]', "laws: expected some of never_raises, "),
    ('"math", law=["never_raises"]', "law: expected an option of the mark, got an unknown one"),
    ('"math", laws="never_raises", anchors=["boxed"]', "anchors: expected an option of the mark or of one of its"),
    ('"math", laws={"never_raises": {"seed": 1}}', "never_raises: seed: expected some of kinds, max_examples, "),
    ('"math", probes={"budget": 1}', "probes: expected some of baseline, budget_s, "),
    ('"math", probes={"fail_on": "info"}', "probes: fail_on: expected warn or fail, got 'info'"),
    ('"math", probes=False', "laws, probes, frozen: expected something to check, got nothing"),
    ('"math", frozen="none.jsonl"', "frozen: expected a file in "),
    ('"math", frozen="broken.jsonl"', "broken.jsonl:1: expected a frozen case of rewardgate audit --freeze"),
    ('"math", frozen="empty.jsonl"', "empty.jsonl: expected at least one frozen case, got none"),
    ('"math", timeout_s=0', "timeout_s: expected a positive number of seconds, got 0"),
]


def test_a_mark_that_cannot_be_followed_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    pytester.makefile(".jsonl", broken="{", empty="")
    for place, (mark, _) in enumerate(MARKS):
        test = f"import pytest\n\n@pytest.mark.rewardgate({mark})\ndef test_it(): ..."
        (pytester.path / f"test_{place}.py").write_text(test, encoding="utf-8")
    result = pytester.runpytest()
    result.assert_outcomes(errors=len(MARKS))
    said = result.stdout.str().replace(f"{pytester.path}/", "")
    for place, (_, told) in enumerate(MARKS):
        assert f"test_{place}.py::test_it: @pytest.mark.rewardgate: {told}" in said
    assert "Traceback" not in said
    assert "During handling" not in said


def test_a_method_of_unittest_is_refused_for_it_would_pass_without_a_check(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import unittest
        import pytest

        class TestReward(unittest.TestCase):
            @pytest.mark.rewardgate("math")
            def test_it(self): ...
        """
    )
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["@pytest.mark.rewardgate: expected a function or a plain class's method, got *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ({"expected": "accept", "cause": "a::b c\n[d]"}, "1-accept-a_b_c_d_"),
        ({"expected": "reject", "cause": "π" * 200}, f"1-reject-{'π' * 73}"),
    ],
)
def test_a_name_holds_nothing_that_a_command_would_split(pytester: pytest.Pytester, line: object, name: str) -> None:
    (pytester.path / "faults.jsonl").write_text(json.dumps(line), encoding="utf-8")
    result = pytester.runpytest("--collect-only", "-q", "--rewardgate-faults=faults.jsonl", "--rewardgate-reward=math")
    assert collected(result) == [f"faults.jsonl::{name}"]


def test_a_session_without_such_tests_loads_nothing_and_warns_of_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_the_asserts_of_the_library_are_not_rewritten(pytestconfig):
            assert "rewardgate" not in pytestconfig.pluginmanager.rewrite_hook._must_rewrite

        def test_nothing_heavy():
            assert "rewardgate.integrations.pytest_plugin" in sys.modules
            ours = {name for name in sys.modules if name.startswith("rewardgate")}
            assert ours == {"rewardgate", "rewardgate.integrations", "rewardgate.integrations.pytest_plugin"}
            assert not {"numpy", "pydantic", "hypothesis", "torch", "sympy"} & set(sys.modules)
        """
    )
    # Hypothesis has a plug-in of its own, which loads it where it is asked for.
    result = pytester.runpytest_subprocess("-W", "error", "--strict-markers", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=2)


def test_the_plug_in_can_be_left_out(session: pytest.Pytester) -> None:
    session.makepyfile("import sys\n\ndef test_it(): assert 'rewardgate.integrations.pytest_plugin' not in sys.modules")
    session.runpytest_subprocess("-p", "no:rewardgate").assert_outcomes(passed=1)


def test_the_entry_point_names_the_plug_in() -> None:
    from importlib.metadata import distribution

    points = distribution("rewardgate").entry_points.select(group="pytest11")
    assert [(point.name, point.value) for point in points] == [("rewardgate", "rewardgate.integrations.pytest_plugin")]
    assert Path(sys.modules["rewardgate.integrations.pytest_plugin"].__file__ or "").is_file()
