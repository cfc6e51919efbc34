from io import StringIO
from pathlib import Path

import pytest
from html_pages import HOSTILE
from rich.console import Console
from steps_reports import steps_report

from rewardgate.audit.report.steps import StepCoverage, StepsReport
from rewardgate.audit.report.steps_terminal import render_steps


def printed(report: StepsReport, width: int = 120) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    render_steps(report, console)
    return console.file.getvalue()


@pytest.fixture
def report(tmp_path: Path) -> StepsReport:
    return steps_report(tmp_path)


def test_every_part_is_printed_and_the_headline_is_last(report: StepsReport) -> None:
    text = printed(report)
    headings = [line for line in text.splitlines() if line[:1].isdigit() and line[2:].isupper()]
    assert headings == ["1 COVERAGE", "2 FIRST ERRORS", "3 STEPS", "4 SOLUTIONS", "5 NOT MEASURED"]
    # 40 solutions of three steps, the last of each unknown.
    assert "80 of 120 steps have a score (67 %)" in text
    assert "41 rows read as cases, 1 refused" in text
    assert "refused:" in text
    assert "first_error: expected a step 0..2, got 3" in " ".join(text.split())
    assert "chosen on 20 solutions of 20 problems (seed 0)" in text
    assert "difficulty 2" in text
    assert "errors are read from first_error, counted from 0" in text
    # Scores of 0.9 and 0.2 are off by 3/4 · 0.1 + 1/4 · 0.2 = 0.125.
    assert "WARN  first errors: F1 1.000" in text


def test_a_terminal_of_80_columns_cuts_nothing(report: StepsReport) -> None:
    lines = printed(report, 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_what_was_not_measured_is_said_and_nothing_stands_in_its_place(report: StepsReport) -> None:
    bare = report.model_copy(
        update={
            "first_errors": (),
            "steps": None,
            "aggregates": (),
            "by_source": (),
            "coverage": StepCoverage(n_steps=1, n_scored=0, share=0.0, n_silent=1, rules={}),
        }
    )
    assert printed(bare).count("not measured: see 5") == 3


def test_names_of_strangers_are_plain_text(tmp_path: Path) -> None:
    text = printed(steps_report(tmp_path, sources=("[red]x[/red]\x1b[31m", HOSTILE[7])))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]x[/red]" in "".join(text.split())
