from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rewardgate.errors import UnavailableError, WorkerTimeoutError
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.failing import FAULT_RULES, GIVE_UP_AFTER, scores_despite_faults

RIGHT = StepScore(1.0, "right", "")


class Flawed:
    """Right of every step, unless a step of the call is one that it was told about."""

    version = "1"

    def __init__(self, flaws: dict[str, Callable[[], Any]]) -> None:
        self.flaws = flaws
        self.calls: list[int] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.calls.append(len(rows))
        for row in rows:
            for step in row.steps:
                if step in self.flaws:
                    return self.flaws[step]()
        return [[RIGHT] * len(row.steps) for row in rows]


def raises(error: BaseException) -> Callable[[], Any]:
    def flaw() -> Any:
        raise error

    return flaw


def rows(*steps: str) -> list[StepRow]:
    return [StepRow("?", (step, "so")) for step in steps]


@pytest.mark.parametrize(
    ("flaw", "rule", "detail"),
    [
        (raises(ZeroDivisionError("in the model")), "raised", "ZeroDivisionError: in the model"),
        (raises(WorkerTimeoutError("worker: call ran past 1 s")), "timed_out", "worker: call ran past 1 s"),
        (list, "raised", "ArgumentError: step scorer: expected one list of scores a row (1), got 0"),
        (lambda: [[RIGHT]], "raised", "got 1"),
        (lambda: [[StepScore(float("nan"), "x", "")] * 2], "raised", "expected values in [0, 1] or None, got nan"),
        (lambda: None, "raised", "TypeError"),
    ],
)
def test_a_row_that_the_scorer_fails_on_is_unknown_and_costs_no_other(
    flaw: Callable[[], Any], rule: str, detail: str
) -> None:
    first, failed, last = scores_despite_faults(Flawed({"b": flaw}), rows("a", "b", "c"))
    assert first == last == [RIGHT, RIGHT]
    assert [(score.value, score.rule) for score in failed] == [(None, rule)] * 2
    assert detail in failed[0].detail
    assert rule in FAULT_RULES


def test_a_scorer_that_does_not_fail_is_asked_once() -> None:
    scorer = Flawed({})
    assert scores_despite_faults(scorer, rows("a", "b")) == [[RIGHT, RIGHT]] * 2
    assert scorer.calls == [2]
    assert scores_despite_faults(scorer, []) == []
    assert scorer.calls == [2]


def test_one_row_that_fails_is_not_asked_about_twice() -> None:
    scorer = Flawed({"a": raises(OSError())})
    scores_despite_faults(scorer, rows("a"))
    assert scorer.calls == [1]


def test_a_scorer_that_is_gone_is_not_asked_about_every_row() -> None:
    scorer = Flawed({"a": raises(OSError("gone"))})
    found = scores_despite_faults(scorer, rows(*"aabaaaab"))
    # Two failures, a success, then three in a row: the last two are not asked about, though one of them would succeed.
    rules = ["raised", "raised", "right", "raised", "raised", "raised", "not_asked", "not_asked"]
    assert [scores[0].rule for scores in found] == rules
    assert scorer.calls == [8, *[1] * (3 + GIVE_UP_AFTER)]


def test_what_the_machine_lacks_holds_for_every_row() -> None:
    with pytest.raises(UnavailableError):
        scores_despite_faults(Flawed({"a": raises(UnavailableError("sandbox"))}), rows("a", "b"))


def test_who_interrupts_is_obeyed() -> None:
    with pytest.raises(KeyboardInterrupt):
        scores_despite_faults(Flawed({"a": raises(KeyboardInterrupt())}), rows("a", "b"))
