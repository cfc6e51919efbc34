from io import StringIO
from pathlib import Path

import pytest
from audited import audited, group
from rich.console import Console

import rewardgate
from rewardgate.audit import AuditReport, audit
from rewardgate.audit.report.terminal import render
from rewardgate.rollouts.reading import read

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"


def printed(report: AuditReport, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    render(report, console)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def fixture_report() -> AuditReport:
    return audit(read(FIXTURE))


def test_sections_are_numbered_in_the_order_of_repair_and_the_headline_is_last(fixture_report: AuditReport) -> None:
    lines = printed(fixture_report).splitlines()
    headings = [
        line.split("  ")[0] for line in lines if line[:1].isdigit() and line[1:2] == " " and line[2:3].isupper()
    ]
    assert headings == [
        "1 GOLDS", "2 GROUPS", "3 CAUSES", "4 BEFORE → AFTER", "5 STAKE", "6 MIXED GROUPS", "7 ALL CORRECT",
        "8 RELIABILITY", "9 NOT MEASURED",
    ]  # fmt: skip
    assert lines[-1].startswith("FAIL  2 of 15 targets do not verify against themselves")


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_line_is_wider_than_the_terminal(fixture_report: AuditReport, width: int) -> None:
    lines = printed(fixture_report, width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


def test_every_cause_and_every_threshold_is_shown(fixture_report: AuditReport) -> None:
    text = printed(fixture_report, 300)
    for count in fixture_report.causes:
        assert count.cause in text
    for finding in fixture_report.findings:
        assert finding.sentence in text
        assert finding.threshold in text
    assert "become mixed: gold-unreadable" in text
    assert "p ≤ 0.527 at 95 % after 0/4" in text


def test_what_a_model_wrote_is_neither_markup_nor_escape_sequence() -> None:
    nasty = "[bold red]x[/] \x1b[2J\x1b]8;;http://evil\x07 \u202e [/nonsense]"
    report = audited(
        group(f"id {nasty}", f"4 {nasty}", [(rf"\boxed{{{nasty}}}", 0.0), (nasty, 0.0)], prompt=nasty),
        group("call", "4", [(f"<tool_call>{nasty}</tool_call>", 0.0), (nasty, 0.0)]),
    )
    text = printed(report)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[bold red]x[/]" in text


def test_what_was_not_measured_refers_to_its_section() -> None:
    text = printed(audited(group("a", None, [(None, 0.0), (None, 1.0)])))
    assert text.count("not measured: see 9") == 4
    assert "no responses in this file" in text


def test_piped_output_has_no_colours_and_is_not_narrow(
    fixture_report: AuditReport, capsys: pytest.CaptureFixture[str]
) -> None:
    render(fixture_report)
    out = capsys.readouterr().out
    assert "\x1b[" not in out
    assert max(map(len, out.splitlines())) > 80
