import json
import sys
from pathlib import Path

import pytest

from rewardgate.audit.runs.watching import Watch, report_path
from rewardgate.cli import main
from rewardgate.errors import ArgumentError, InputError, UnknownNameError


def write(log: Path, steps: range, *, response: str = r"so \boxed{4}", reward: float | None = 0.0, n: int = 2) -> None:
    row = {"prompt": "2+2?", "response": response, "target": "4", "reward": reward}
    with log.open("a", encoding="utf-8") as file:
        for step in steps:
            file.writelines(json.dumps({**row, "step": step}) + "\n" for _ in range(n))


def watch(log: Path, said: list[str], **options: int) -> Watch:
    return Watch(log, log.parent, say=said.append, **options)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_the_first_look_comes_when_step_5_is_over(log: Path) -> None:
    said: list[str] = []
    watching = watch(log, said)
    watching.catch_up()  # nothing there yet
    write(log, range(1, 6))
    watching.catch_up()
    assert said == []
    write(log, range(6, 7))
    watching.catch_up()
    # 5 steps x 2 rollouts, all right and all refused
    assert said[0].startswith("log.jsonl, step 1 to 5: FAIL: 10 right answers scored wrong")
    assert json.loads(report_path(log).read_text())["looks"][0]["last_step"] == 5


def test_the_same_finding_with_other_numbers_is_said_once(log: Path) -> None:
    said: list[str] = []
    watching = watch(log, said, every=1)
    write(log, range(1, 2))
    write(log, range(2, 4), n=3)
    watching.catch_up()
    n_said = len(said)
    watching.finish()
    assert watching.report.n_looks == 3
    assert len(said) == n_said
    write(log, range(4, 5), reward=None)
    watching.catch_up()
    watching.finish()
    assert said[n_said] == "log.jsonl, step 4: FAIL: none of 2 rollouts has a reward"


def test_healthy_rows_are_looked_at_and_nothing_is_said(log: Path) -> None:
    said: list[str] = []
    for step in range(1, 7):
        write(log, range(step, step + 1), reward=1.0)
        write(log, range(step, step + 1), response=r"so \boxed{5}", reward=0.0)
    watching = watch(log, said)
    watching.catch_up()
    watching.finish()
    assert [one.severity for one in watching.report.looks] == ["ok", "ok"]
    assert said == []


def test_what_an_earlier_run_wrote_is_left_alone(log: Path) -> None:
    write(log, range(1, 9))
    watching = watch(log, [], start=log.stat().st_size)
    write(log, range(1, 3))
    watching.catch_up()
    watching.finish()
    assert [(one.first_step, one.last_step) for one in watching.report.looks] == [(1, 2)]


def test_arguments_are_checked_at_the_door(log: Path) -> None:
    with pytest.raises(ArgumentError, match="every: expected a whole number >= 1, got 0"):
        watch(log, [], every=0)
    with pytest.raises(UnknownNameError, match="no_such"):
        Watch(log, log.parent, referee="no_such", say=print)


def test_a_report_that_cannot_be_written_is_an_error(log: Path) -> None:
    report_path(log).mkdir()
    write(log, range(1, 3))
    watching = watch(log, [], every=1)
    with pytest.raises(InputError, match="watch: expected a writable file"):
        watching.catch_up()


def test_the_command_looks_once_over_a_log_that_is_there(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(log, range(1, 9))
    monkeypatch.setattr(sys, "argv", ["rewardgate", "watch", str(log), "--once"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (0, "")
    assert err.startswith("rewardgate: log.jsonl, step 1 to 5: FAIL: 10 right answers scored wrong")
    looks = json.loads(report_path(log).read_text())["looks"]
    assert [(one["first_step"], one["last_step"]) for one in looks] == [(1, 5), (6, 8)]
