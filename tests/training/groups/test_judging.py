from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import ArgumentError, InputError, UnavailableError, UnknownNameError
from rewardgate.training.groups.judging import Judging, judging_of
from rewardgate.training.options import Judge
from rewardgate.verifiers import Outcome

ROWS = [("4", "4", "2+2?"), ("5", "4", "2+2?")]


class Batched:
    """A verifier whose own `verify_batch` breaks in a way that nothing of ours foresees."""

    version = "1"
    runs_in_workers = True

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
        raise self._error

    def verify_batch(self, rows: Any) -> Any:
        raise self._error


def test_a_fault_is_a_verdict_that_says_nothing() -> None:
    for verdict in Judging(Batched(MemoryError("x"))).verdicts(ROWS):
        assert (verdict.outcome, verdict.reward, verdict.rule) == (Outcome.ERROR, None, "raised")


def test_what_the_machine_lacks_ends_the_run() -> None:
    with pytest.raises(UnavailableError):
        Judging(Batched(UnavailableError("sandbox: expected user namespaces"))).verdicts(ROWS)


def test_a_registered_verifier_is_built_with_its_options() -> None:
    judging = judging_of(Judge(verifier="numeric", options={"rel_tol": 0.5}))
    assert [one.reward for one in judging.verdicts(ROWS)] == [1.0, 1.0]
    judging.close()


def test_a_function_runs_in_workers_that_are_killed_when_it_hangs(tmp_path: Path) -> None:
    (tmp_path / "grade.py").write_text(
        "import time\n\ndef grade(completion, target):\n"
        "    if completion == '5':\n        time.sleep(1000)\n    return float(completion == target)\n",
        encoding="utf-8",
    )
    judging = judging_of(Judge(verifier=f"{tmp_path}/grade.py:grade", timeout_s=1.0))
    try:
        right, hanging = judging.verdicts(ROWS)
    finally:
        judging.close()
    assert (right.reward, hanging.reward, hanging.outcome, hanging.rule) == (1.0, None, Outcome.ERROR, "timed_out")


@pytest.mark.parametrize(
    ("judge", "error"),
    [
        (Judge(verifier="numerc"), UnknownNameError),
        (Judge(verifier="numeric", options={"relative": 1}), ArgumentError),
        (Judge(verifier="nowhere.py:grade"), InputError),
        (Judge(verifier="nowhere.py:grade", options={"a": 1}), ArgumentError),
    ],
)
def test_a_verifier_that_cannot_be_had_is_named(judge: Judge, error: type[Exception]) -> None:
    with pytest.raises(error):
        judging_of(judge)
