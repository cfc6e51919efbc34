"""What the logs of a run add to an audit: standing, curves, cost, alerts, and where they are told."""

from pathlib import Path

import pytest
from run_folders import alert, metrics, write_log, write_run, write_state

from rewardgate.audit import audit
from rewardgate.audit.report.run import RunReadout
from rewardgate.audit.runs.curves import MOST_STEPS
from rewardgate.audit.runs.logs import run_logs
from rewardgate.audit.runs.part import run_part, with_run
from rewardgate.rollouts.reading import read


def part(folder: Path, *, now: float = 110.0) -> RunReadout:
    logs = run_logs(folder)
    assert logs is not None
    return run_part(logs, now=lambda: now)


def test_a_run_is_told_as_it_stands(tmp_path: Path) -> None:
    run = part(write_run(tmp_path / "run"))
    # lines at 102 and 104
    assert (run.status, run.step, run.steps, run.last_line_age_s, run.step_seconds) == ("running", 2, 9, 6.0, 2.0)
    assert (run.checkpoint, run.error, run.resumptions) == ("step_000002", None, 0)
    assert run.pools == {"hard": 3, "frontier": 1}


@pytest.mark.parametrize("status", ["finished", "stopped", "failed"])
def test_a_run_that_has_ended_says_so_whenever_it_is_read(tmp_path: Path, status: str) -> None:
    assert part(write_run(tmp_path / "run", status=status), now=1e9).status == status


def test_a_run_that_says_nothing_for_long_is_silent(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    # 20 steps of 2 s are less than 120 s
    assert part(folder, now=104 + 120).status == "running"
    assert part(folder, now=104 + 121).status == "silent"
    write_log(folder / "metrics.jsonl", [{"step": step, "time": 60.0 * step} for step in (1, 2)])
    assert part(folder, now=120 + 20 * 60).status == "running"
    assert part(folder, now=121 + 20 * 60).status == "silent"


def test_a_folder_without_a_state_does_not_say_how_it_stands(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1)])
    assert part(tmp_path).status == "unknown"


def test_curves_hold_what_was_logged_and_a_gap_where_nothing_was(tmp_path: Path) -> None:
    figures = [0.0, None, 0.5]
    rows = [metrics(step, **{"success/mean": value}) for step, value in enumerate(figures, start=1)]
    rows[1] |= {"held_out/a/pass@1": 0.1}
    rows[2] |= {"held_out/a/pass@1": 0.2}
    write_log(tmp_path / "metrics.jsonl", rows)
    success, held_out = part(tmp_path).curves
    assert success.lines[0].points == ((1, 0.0), (2, None), (3, 0.5))
    assert held_out.lines[0].points == ((2, 0.1), (3, 0.2))  # evaluated now and then: no gap


def test_a_long_run_keeps_the_mean_of_the_steps_between_two_points(tmp_path: Path) -> None:
    n = 3 * MOST_STEPS
    write_log(tmp_path / "metrics.jsonl", [metrics(step, **{"length/mean": float(step)}) for step in range(1, n + 1)])
    (curve,) = part(tmp_path).curves
    points = curve.lines[0].points
    assert len(points) == MOST_STEPS
    assert points[0] == (3, 2.0)  # mean of 1, 2, 3
    assert points[-1] == (n, n - 1.0)


def test_a_figure_goes_from_its_first_tenth_to_its_last(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(step, a=float(step)) for step in range(1, 21)])
    (figure,) = part(tmp_path).figures
    assert (figure.name, figure.n, figure.first, figure.last, figure.lowest, figure.highest) == (
        "a",
        20,
        1.5,
        19.5,
        1,
        20,
    )


def test_the_ledger_is_added_up_and_ratios_are_made_of_the_sums(tmp_path: Path) -> None:
    ledger = part(write_run(tmp_path / "run")).ledger
    assert ledger is not None
    assert ledger.totals == {
        "generated": 4, "kept_mixed": 2, "discarded_all_wrong": 2, "rollouts": 16, "rollouts_kept": 8,
    }  # fmt: skip
    assert (ledger.steps, ledger.rollouts_per_kept, ledger.tokens_per_kept) == (2, 2.0, None)


def test_what_is_raised_at_the_end_is_active_and_the_first_layer_that_fails_is_named(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1)])
    events = [
        alert(1, name="clipped", layer="estimators", figure="update/clipped_high"),
        alert(1, name="supply", layer="mixed-group supply", level="warn", figure="signal/live_rollouts"),
        alert(2),
        alert(2, event="lowered", level="warn", name="clipped", layer="estimators", figure="update/clipped_high"),
        alert(3, event="cleared"),
        alert(4),
    ]
    write_log(tmp_path / "alerts.jsonl", events)
    run = part(tmp_path)
    assert [(one.name, one.level, one.step) for one in run.active] == [
        ("supply", "warn", 1),
        ("cut_off", "fail", 4),
        ("clipped", "warn", 2),
    ]
    assert run.change_first == "exploration and bootstrap"
    assert len(run.alerts) == 6


def test_events_that_are_no_alerts_are_left_out_and_told(tmp_path: Path) -> None:
    write_log(tmp_path / "metrics.jsonl", [metrics(1)])
    write_log(tmp_path / "alerts.jsonl", [alert(1, layer="weather"), alert(1, level=None), {"step": 1}, alert(2)])
    run = part(tmp_path)
    assert ([one.step for one in run.active], run.notes) == ([2], ("alerts.jsonl: 3 lines are no alerts: left out",))


def test_a_report_with_a_run_names_its_alerts_among_findings_and_on_the_ladder(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    alone = audit(read(folder))
    report = with_run(alone, part(folder))
    assert report.run is not None
    finding = report.findings[-1]
    assert (finding.section, finding.severity) == ("run", "fail")
    assert finding.sentence.startswith("exploration and bootstrap: 30 % of the completions are cut off")
    assert finding.sentence.endswith("since step 2")
    assert report.severity == "fail"
    assert alone.ladder is not None
    assert report.ladder is not None
    before = {rung.name: rung for rung in alone.ladder.rungs}
    after = {rung.name: rung for rung in report.ladder.rungs}
    assert before["pools"].status == "not measured"
    assert after["pools"].measures[0].value == 0.25  # 1 of 4
    assert "cut_off" in [measure.name for measure in after["exploration and bootstrap"].measures]


@pytest.mark.parametrize(
    ("status", "now", "said"),
    [
        ("failed", 110.0, "the run failed after step 2: disk full"),
        ("running", 104 + 3600.0, "the run says that it goes on and has logged nothing for 60 minutes after step 2"),
    ],
)
def test_a_run_that_failed_or_fell_silent_is_a_finding(tmp_path: Path, status: str, now: float, said: str) -> None:
    folder = write_run(tmp_path / "run", status=status)
    write_state(folder, status, error="disk full" if status == "failed" else None)
    write_log(folder / "alerts.jsonl", [])
    report = with_run(audit(read(folder)), part(folder, now=now))
    assert [finding.sentence for finding in report.findings if finding.section == "run"] == [said]


def test_what_was_trained_on_is_audited_without_evaluations_and_checkpoints(tmp_path: Path) -> None:
    reading = read(write_run(tmp_path / "run"))
    assert [path.parent.name for path in reading.files] == ["rollouts", "rollouts"]
    assert reading.summary.n_rollouts == 16
    assert {group.prompt_id for group in reading} == {"p", "q"}
