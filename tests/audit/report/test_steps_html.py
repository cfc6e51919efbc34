from pathlib import Path

import pytest
from html_pages import HOSTILE, Page
from steps_reports import steps_report

from rewardgate.audit.report.steps import StepsReport
from rewardgate.audit.report.steps_html import steps_page


@pytest.fixture
def report(tmp_path: Path) -> StepsReport:
    return steps_report(tmp_path)


def test_the_page_holds_both_figures_and_every_table(report: StepsReport) -> None:
    page = Page(steps_page(report))
    assert [named["id"] for named in page.all("section")] == [
        "verdict", "data", "first-errors", "steps", "solutions", "appendix",
    ]  # fmt: skip
    # The diagram, and one figure for each of the two truths.
    assert len(page.all("svg")) == 3
    assert "80 of 120 steps (67 %)" in page.text
    assert "F1 is ProcessBench's" in page.text
    assert "difficulty 2" in " ".join(page.text.split())


def test_the_page_loads_nothing_and_runs_nothing(report: StepsReport) -> None:
    page = Page(steps_page(report))
    assert page.all("script") == []
    assert {"link", "img", "iframe", "object", "base"}.isdisjoint(tag for tag, _ in page.elements)
    assert not {"src", "href", "srcset", "action"} & {name for _, named in page.elements for name in named}
    (policy,) = [named["content"] for named in page.all("meta") if "http-equiv" in named]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; ")


def test_what_strangers_wrote_is_text(tmp_path: Path, report: StepsReport) -> None:
    plain = {tag for tag, _ in Page(steps_page(report)).elements}
    for text in HOSTILE:
        said = steps_page(steps_report(tmp_path, sources=(text, f"{text} 2"), n=8))
        page = Page(said)
        assert {tag for tag, _ in page.elements} <= plain
        assert not any(name.startswith("on") for _, named in page.elements for name in named)
        said.encode("utf-8")


def test_what_was_not_measured_is_said(report: StepsReport) -> None:
    page = Page(steps_page(report.model_copy(update={"first_errors": (), "steps": None, "aggregates": ()})))
    assert page.text.count("Not measured: see the last section.") == 3
    assert page.all("svg") == []
