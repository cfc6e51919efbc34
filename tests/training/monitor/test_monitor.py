"""What a run leaves behind: its lines, the state of a resumed run, and logs that fail without stopping it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import UnknownNameError
from rewardgate.training.monitor import Monitor, StepRecord
from rewardgate.training.monitor.alerts import AlertRule

CUT_OFF = AlertRule(
    name="cut_off",
    layer="exploration and bootstrap",
    figure="length/truncated",
    limits=(0.1, 0.5),
    window=2,
    says="are cut off",
    change="raise max_tokens",
)


def record(step: int, *, truncated: bool = False) -> StepRecord:
    return StepRecord(step=step, rewards=[1.0, 0.0], group_ids=["p", "p"], truncated=[truncated, truncated])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Kept:
    """A writer that keeps what it is given, and fails from a step on."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at
        self.seen: list[tuple[int, Mapping[str, float]]] = []
        self.closed = 0

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        if step == self.fails_at:
            raise ConnectionError("the network is gone")
        self.seen.append((step, figures))

    def close(self) -> None:
        self.closed += 1


def test_every_step_is_a_line_of_numbers_with_null_for_what_cannot_be_counted(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path / "run", writers=[kept := Kept()])
    report = monitor.step(record(1))
    monitor.step(StepRecord(step=2, rewards=[None, None], group_ids=["p", "p"]))
    first, second = rows(tmp_path / "run" / "metrics.jsonl")
    assert (first["step"], first["success/mean"], second["groups/acr"]) == (1, 0.5, None)
    assert {name for name in first if not isinstance(first[name], int | float | None)} == set()
    assert report.figures["success/mean"] == 0.5
    # Writers are given known numbers alone: most of them have no NaN.
    assert "groups/acr" in kept.seen[0][1]
    assert "groups/acr" not in kept.seen[1][1]


def test_an_alert_is_reported_logged_and_kept_until_it_is_cleared(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path, rules=[CUT_OFF])
    reports = [monitor.step(record(step, truncated=step <= 3)) for step in range(1, 7)]
    assert [[(alert.event, alert.level) for alert in report.alerts] for report in reports] == [
        [],
        [("raised", "fail")],  # mean of two: 1
        [],
        [],  # 0.5: above 0.5 * 0.8
        [("cleared", "fail")],  # 0
        [],
    ]
    assert [report.change_first for report in reports] == [None, *["exploration and bootstrap"] * 3, None, None]
    assert [(row["step"], row["event"]) for row in rows(tmp_path / "alerts.jsonl")] == [(2, "raised"), (5, "cleared")]


def test_a_resumed_monitor_goes_on_and_tells_that_later_lines_are_void(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path, rules=[CUT_OFF])
    monitor.step(record(1, truncated=True))
    saved = json.loads(json.dumps(monitor.state_dict()))
    monitor.step(record(2, truncated=True))  # and is killed
    resumed = Monitor(tmp_path, rules=[CUT_OFF])
    resumed.load_state_dict(saved)
    again = resumed.step(record(2, truncated=True))
    assert [alert.event for alert in again.alerts] == ["raised"]
    said = [(row["step"], row["event"]) for row in rows(tmp_path / "alerts.jsonl")]
    assert said == [(2, "raised"), (1, "resumed"), (2, "raised")]
    assert [row["step"] for row in rows(tmp_path / "metrics.jsonl")] == [1, 2, 2]


def test_a_writer_that_fails_is_told_once_and_left_out(tmp_path: Path) -> None:
    failing, sound = Kept(fails_at=1), Kept()
    monitor = Monitor(tmp_path, writers=[failing, sound])
    with pytest.warns(UserWarning, match=r"Kept: expected to log step 1, got ConnectionError\('the network is gone'\)"):
        monitor.step(record(1))
    monitor.step(record(2))
    monitor.close()
    monitor.close()
    assert ([step for step, _ in sound.seen], sound.closed) == ([1, 2], 1)
    assert (failing.seen, failing.closed) == ([], 0)
    assert [row["step"] for row in rows(tmp_path / "metrics.jsonl")] == [1, 2]


def test_a_folder_that_cannot_be_written_is_warned_of_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file where the folder should be")
    monitor = Monitor(tmp_path / "run")
    with pytest.warns(UserWarning, match="a line of the monitor was not written"):
        report = monitor.step(record(1))
    assert report.figures["success/mean"] == 0.5


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path)
    monitor.step(record(1))
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 2, "succ')  # a process dies here
    monitor.step(record(2))
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["step"] == 2


def test_an_unknown_writer_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r'unknown name "tensorbord"; known: .*tensorboard.*wandb'):
        Monitor(tmp_path, writers=["tensorbord"])
