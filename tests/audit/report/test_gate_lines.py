from io import StringIO

from audited import audited, group
from html_pages import Page
from rich.console import Console
from scored_steps import Oracle

from rewardgate.audit import AuditReport
from rewardgate.audit.report.html import html_page
from rewardgate.audit.report.terminal import render

RIGHT, WRONG = "right\n\n\\boxed{4}", "wrong\n\n\\boxed{5}"


def report(scorer: Oracle, **options: int) -> AuditReport:
    groups = (group(f"p{number}", "4", [(RIGHT, 1.0), (WRONG, 0.0)], prompt="?") for number in range(6))
    return audited(*groups, scorer=scorer, **options)


def printed(found: AuditReport, width: int = 140) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    render(found, console)
    return console.file.getvalue()


def test_the_credits_stand_in_the_section_of_mixed_groups() -> None:
    text = printed(report(Oracle({"right": 1.0, "wrong": 0.0})))
    section = text[text.index("6 MIXED GROUPS") : text.index("7 ALL CORRECT")]
    assert "Would a gate with Oracle speak truly here?" in section
    assert "6 groups with right and wrong rollouts" in section
    assert "gate, rules            1.000 [0.54, 1.00]" in section
    assert "do not open" not in text


def test_a_draw_is_told() -> None:
    text = printed(report(Oracle({"right": 1.0}), scorer_groups=2))
    assert "2 of them drawn (seed 0)" in text
    assert "4 rollouts scored" in text


def test_a_silent_scorer_has_no_table() -> None:
    found = report(Oracle({}))
    assert "not measured: nothing was said of any step" in printed(found)
    page = Page(html_page(found))
    assert "Not measured: nothing was said of any step" in page.text


def test_the_page_has_the_section_where_a_scorer_was_measured_and_not_elsewhere() -> None:
    page = Page(html_page(report(Oracle({"right": 1.0, "wrong": 0.0}))))
    assert "gate" in [named["id"] for named in page.all("section")]
    assert "gate, verigate" in page.text
    without = audited(group("a", "4", [(RIGHT, 1.0), (WRONG, 0.0)]))
    assert "gate" not in [named["id"] for named in Page(html_page(without)).all("section")]


def test_nothing_is_wider_than_the_terminal() -> None:
    lines = printed(report(Oracle({"right": 1.0})), 80).splitlines()
    assert max(map(len, lines)) <= 80
