"""The audit of a step scorer as one HTML file: no script, nothing loaded, every foreign text escaped."""

from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from .html_text import seen
from .steps import StepsReport
from .steps_charts import AGGREGATE_STYLES, rankings_figure, reliability_diagram
from .text import number, percent

__all__ = ["steps_page"]

_TEMPLATES = Path(__file__).parent / "templates"
_TRUTHS = (("steps", "without a wrong step"), ("answer", "with a right final answer"))


def steps_page(report: StepsReport) -> str:
    """The whole page, with the reliability diagram and the figure of aggregates drawn in it.

    Returns:
        HTML without a single reference to anything outside it.
    """
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "seen": seen}
    steps = report.steps
    truths = [
        (said, rows, rankings_figure(rows))
        for truth, said in _TRUTHS
        if (rows := [row for row in report.aggregates if row.truth == truth])
    ]
    page = environment.get_template("steps.html.jinja").render(
        report=report,
        diagram=None if steps is None else reliability_diagram(steps.bins, steps.base_rate),
        truths=truths,
        styles=AGGREGATE_STYLES,
        style=Markup("\n".join(map(_template, ("page.css", "parts.css")))),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
