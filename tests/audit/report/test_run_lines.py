"""A run on a terminal and on the page: what is said, and that nothing a log says is read as markup."""

from pathlib import Path
from typing import Any

import pytest
from html_pages import HOSTILE, Page
from rich.console import Console
from run_folders import alert, metrics, write_log, write_run

from rewardgate.audit import AuditReport, audit
from rewardgate.audit.report.html import html_page
from rewardgate.audit.report.run import RunAlert, RunCurve, RunFigure, RunLedger, RunLine, RunReadout
from rewardgate.audit.report.run_charts import run_charts
from rewardgate.audit.report.run_lines import run_lines, standing
from rewardgate.audit.report.terminal import render
from rewardgate.audit.runs.logs import run_logs
from rewardgate.audit.runs.part import run_part, with_run
from rewardgate.rollouts.reading import read


def reported(folder: Path) -> AuditReport:
    logs = run_logs(folder)
    assert logs is not None
    return with_run(audit(read(folder)), run_part(logs, now=lambda: 110.0))


def printed(run: RunReadout) -> str:
    console = Console(width=100, highlight=False, record=True, file=None, quiet=False, force_terminal=False)
    with console.capture() as captured:
        for line in run_lines(run):
            console.print(line)
    return captured.get()


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"status": "finished", "step": 9, "steps": 9, "last_line_age_s": 5e4}, "r has finished: step 9 of 9"),
        ({"status": "silent", "step": 3, "last_line_age_s": 7200.0}, "r says that it goes on, and is silent: step 3, "
         "last line 2.0 h ago"),
        ({"status": "unknown", "step": None}, "r does not say how it stands"),
        ({"status": "stopped", "step": 1, "resumptions": 2}, "r was asked to stop: step 1, resumed 2 times"),
    ],
)  # fmt: skip
def test_how_a_run_stands_is_a_sentence(known: dict[str, Any], said: str) -> None:
    assert standing(RunReadout(**{"folder": "r", "steps": None, **known})) == said


def test_a_terminal_shows_alerts_figures_and_cost(tmp_path: Path) -> None:
    run = reported(write_run(tmp_path / "run", steps=4)).run
    assert run is not None
    text = printed(run)
    assert "FAIL exploration and bootstrap, since step 2: 30 % of the completions are cut off" in text
    assert "→ raise max_tokens" in text
    assert "length/truncated  0.300  0.300   0.300    0.300  ▁▁▁▁" in text
    assert "4 steps sampled 32 rollouts: 2.000 rollouts for each that was kept" in text
    assert "8 groups: kept 4 mixed; discarded 4 all wrong" in text


def test_a_curve_is_drawn_from_its_lowest_to_its_highest_point() -> None:
    points = ((1, 0.0), (2, None), (3, 0.5), (4, 1.0))
    figure = RunFigure(name="success/mean", n=3, first=0, last=1, lowest=0, highest=1)
    curve = RunCurve(title="Success", unit="share", lines=(RunLine(figure="success/mean", points=points),))
    run = RunReadout(folder="r", status="unknown", step=4, steps=None, curves=(curve,), figures=(figure,))
    assert "▁ ▅█" in printed(run)  # 0.5 of 7 blocks up: the fourth of eight, rounded to even


def test_the_page_and_the_terminal_have_the_run_where_there_is_one(tmp_path: Path) -> None:
    report = reported(write_run(tmp_path / "run"))
    page = Page(html_page(report))
    assert {"href": "#run"} in page.all("a")
    assert "→ raise max_tokens" in page.text
    assert page.report["run"]["ledger"]["rollouts_per_kept"] == 2
    console = Console(width=100, highlight=False)
    with console.capture() as captured:
        render(report, console)
    assert "THE RUN\n" in captured.get()
    without = Page(html_page(report.model_copy(update={"run": None})))
    assert {"href": "#run"} not in without.all("a")


def test_what_a_log_says_is_text_on_every_page(tmp_path: Path) -> None:
    text = "".join(HOSTILE)
    folder = write_run(tmp_path / "run")
    rows = [metrics(step, **{f"update/{text}clipped_high": 0.5, text: 1.0}) for step in (1, 2)]
    write_log(folder / "metrics.jsonl", rows)
    write_log(folder / "alerts.jsonl", [alert(1, **dict.fromkeys(("name", "figure", "sentence", "change"), text))])
    write_log(folder / "ledger.jsonl", [{"step": 1, "generated": 1, f"kept_{text}": 1}])
    report = reported(folder)
    assert report.run is not None
    page = Page(html_page(report))
    assert "window.hit = 1" in page.text
    assert "window.hit" not in page.scripts[""]
    assert not page.all("img")
    assert "\x1b[2J" not in printed(report.run)
    for one in run_charts(report.run.curves):
        assert "<script" not in one.drawn


@pytest.mark.parametrize(
    ("values", "unit", "axis"),
    [
        ([0.00011, 0.00019], "nats a token", "nats a token, × 1e-4"),
        ([1.5e6, 2.5e6], "tokens", "tokens, × 1e6"),
        ([-3.0, 5.0], "norm", "norm"),
        ([0.0, 0.0], "norm", "norm"),
        ([7.0, 7.0], "norm", "norm"),
        ([-7.0, -7.0], "norm", "norm"),
        ([0.5, 3.0], "share", "share"),
        ([1e-300, 1e300], "norm", "norm, × 1e300"),
    ],
)
def test_a_chart_has_a_scale_for_whatever_it_shows(values: list[float], unit: str, axis: str) -> None:
    points = tuple(enumerate(values))
    (one,) = run_charts([RunCurve(title="Any", unit=unit, lines=(RunLine(figure="a", points=points),))])
    assert f">{axis}</text>" in one.drawn
    assert "nan" not in one.drawn
    assert one.names == [("a", "series-1", values[0], values[-1])]


def test_parts_go_through_json(tmp_path: Path) -> None:
    report = reported(write_run(tmp_path / "run"))
    assert AuditReport.model_validate_json(report.model_dump_json()) == report
    assert RunLedger(steps=1, totals={}, rollouts_per_kept=float("nan"), tokens_per_kept=None).rollouts_per_kept is None
    assert RunAlert.model_validate({name: alert(1)[name] for name in RunAlert.model_fields}).event == "raised"
