"""Logs of runs: torn, repeated, hostile, or half there; reading takes what holds and says what it left out."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_folders import alert, metrics, write_log, write_run, write_state

from rewardgate.audit.runs import logs as logs_module
from rewardgate.audit.runs.logs import RunLogs, run_logs
from rewardgate.errors import InputError


def found(folder: Path) -> RunLogs:
    logs = run_logs(folder)
    assert logs is not None
    return logs


def test_a_whole_run_is_read_as_it_stands(tmp_path: Path) -> None:
    logs = found(write_run(tmp_path / "run"))
    assert [row.step for row in logs.metrics] == [row.step for row in logs.ledger] == [1, 2]
    # What was null is absent: nobody takes it for a number.
    assert dict(logs.metrics[0].numbers) == {
        "time": 102.0, "success/mean": 0.125, "length/truncated": 0.3, "pools/hard": 3, "pools/frontier": 1,
    }  # fmt: skip
    assert (logs.state["status"], len(logs.alerts), logs.resumptions, logs.notes) == ("running", 1, 0, ())


def test_what_is_no_run_has_no_logs(tmp_path: Path) -> None:
    (tmp_path / "rollouts.jsonl").write_text("{}\n")
    (tmp_path / "state.json").write_text('{"optimizer": "of another tool"}')
    assert run_logs(tmp_path) is None
    assert run_logs(tmp_path / "rollouts.jsonl") is None
    assert run_logs(tmp_path / "absent") is None


@pytest.mark.parametrize("torn", ['{"step": 3, "succ', '{"step": 3, "a": 1', "{", '{"step": 3, "a": "\\ud8'])
def test_a_torn_last_line_is_left_out_and_told(tmp_path: Path, torn: str) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1), metrics(2)], torn=torn)
    logs = found(tmp_path)
    assert [row.step for row in logs.metrics] == [1, 2]
    assert logs.notes == ("metrics.jsonl: its last line is not whole: left out",)


def test_a_line_torn_by_a_kill_and_the_next_one_glued_to_it_cost_no_other(tmp_path: Path) -> None:
    whole = json.dumps(metrics(2))
    write_log(tmp_path / "metrics.jsonl", [metrics(1)], torn=f'{{"step": 2, "a{whole}\n{whole}\n')
    logs = found(tmp_path)
    assert [row.step for row in logs.metrics] == [1, 2]
    assert logs.notes == ("metrics.jsonl: 1 lines cannot be read: left out",)


def test_steps_that_run_backwards_void_what_was_logged_of_them(tmp_path: Path) -> None:
    # Resumed from the checkpoint of step 1: step 2 was done again, and step 3 not yet.
    rows = [metrics(1, a=1), metrics(2, a=2), metrics(3, a=3), metrics(2, a=20)]
    write_log(tmp_path / "metrics.jsonl", rows)
    assert [(row.step, row.numbers["a"]) for row in found(tmp_path).metrics] == [(1, 1), (2, 20)]


def test_alerts_of_steps_that_were_done_again_count_once(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1)])
    resumed = {"time": 0.0, "step": 5, "event": "resumed"}
    write_log(tmp_path / "alerts.jsonl", [alert(4), alert(7, event="cleared"), resumed, alert(6, event="cleared")])
    logs = found(tmp_path)
    assert [(event["step"], event["event"]) for event in logs.alerts] == [(4, "raised"), (6, "cleared")]
    assert logs.resumptions == 1


def test_what_is_no_number_is_no_figure(tmp_path: Path) -> None:
    line = '{"step": 1, "a": NaN, "b": Infinity, "c": true, "d": "1", "e": [1], "f": {"g": 1}, "h": 2, "i": 1e999}'
    huge = json.dumps({"step": 2, "a": 10**400})
    (tmp_path / "metrics.jsonl").write_text(f"{line}\n{huge}\n")
    assert [dict(row.numbers) for row in found(tmp_path).metrics] == [{"h": 2.0}, {}]


@pytest.mark.parametrize("line", ['{"step": "1"}', '{"step": true}', '{"a": 1}', '{"step": 1.5}'])
def test_a_line_that_names_no_step_is_left_out_and_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "metrics.jsonl").write_text(f'{line}\n{{"step": 2}}\n')
    logs = found(tmp_path)
    assert [row.step for row in logs.metrics] == [2]
    assert logs.notes == ("metrics.jsonl: 1 lines name no step: left out",)


def test_a_state_that_cannot_be_read_is_told_and_done_without(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1)])
    (tmp_path / "state.json").write_text('{"schema": "rewardgate.ru')
    logs = found(tmp_path)
    assert logs.state == {}
    assert logs.notes[0].startswith("state.json: expected the state of a run, got: ")


def test_a_run_that_has_done_no_step_is_one(tmp_path: Path) -> None:
    write_state(tmp_path, step=0)
    assert found(tmp_path).metrics == ()


def test_names_beyond_a_limit_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs_module, "MAX_NAMES", 3)
    write_log(tmp_path / "metrics.jsonl", [{"step": step, f"name{step}": 1, "a": 2} for step in range(1, 6)])
    logs = found(tmp_path)
    assert [sorted(row.numbers) for row in logs.metrics] == [["a", "name1"], ["a", "name2"], ["a"], ["a"], ["a"]]
    assert logs.notes == ("metrics.jsonl: only the first 3 figures that it names are read",)


def test_a_log_that_cannot_be_opened_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").mkdir()
    with pytest.raises(InputError, match=r"metrics\.jsonl: expected a log that can be read, got: "):
        run_logs(tmp_path)


@given(cut=st.integers(0, 400))
def test_a_log_cut_anywhere_keeps_the_steps_before_the_cut(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("run")
    write_log(folder / "metrics.jsonl", [metrics(step, a=0.5) for step in range(1, 9)])
    data = (folder / "metrics.jsonl").read_bytes()[:cut]
    (folder / "metrics.jsonl").write_bytes(data)
    write_state(folder)
    # A line whose line end alone was lost is whole.
    whole = data.count(b"\n") + data.endswith(b"}")
    assert [row.step for row in found(folder).metrics] == list(range(1, whole + 1))
