"""`rewardgate audit` on the folder of a run: going on, killed, or without a rollout yet."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from html_pages import Page
from run_folders import write_run, write_state

Run = Callable[..., tuple[int, str, str]]


def test_a_run_that_goes_on_is_audited_with_its_curves_its_cost_and_its_alerts(run: Run, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", steps=3)
    page, report = tmp_path / "report.html", tmp_path / "report.json"
    code, out, err = run("audit", folder, "--html", page, "--json", report)
    assert (code, err) == (0, "")
    assert "3 steps sampled 24 rollouts: 2.000 rollouts for each that was kept" in out
    assert "fail run: exploration and bootstrap: 30 % of the completions are cut off" in out
    found = json.loads(report.read_text())
    assert (found["severity"], found["run"]["step"], found["reading"]["n_rollouts"]) == ("fail", 3, 24)
    assert Page(page.read_text(encoding="utf-8")).report == found


def test_an_alert_that_fails_makes_the_audit_fail(run: Run, tmp_path: Path) -> None:
    code, _, _ = run("audit", write_run(tmp_path / "run"), "--fail-on", "fail")
    assert code == 1


def test_a_run_that_was_killed_inside_a_line_of_each_log_is_read(run: Run, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    for name in ("metrics", "ledger", "alerts"):
        with (folder / f"{name}.jsonl").open("a") as file:
            file.write('{"step": 3, "tor')
    code, out, err = run("audit", folder)
    assert (code, err) == (0, "")
    for name in ("metrics", "ledger", "alerts"):
        assert f"note: {name}.jsonl: its last line is not whole: left out" in out


def test_a_run_without_rollouts_still_says_how_it_stands(run: Run, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    for name in ("rollouts", "evaluations", "checkpoints"):
        shutil.rmtree(folder / name)
    code, out, err = run("audit", folder)
    assert code == 2
    assert "THE RUN" in out
    assert "30 % of the completions are cut off" in out
    assert err.count("\n") == 1
    assert "expected files of rollouts" in err


def test_a_run_that_has_done_nothing_yet_says_that(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_state(tmp_path / "run", step=0)
    code, out, _ = run("audit", tmp_path / "run")
    assert code == 2
    assert "is running: step 0 of 9" in " ".join(out.split())  # wherever the folder's name lets the line end
