"""The audit as one HTML file: it opens from disk, loads nothing, and speaks to nobody.

What models wrote stands in it as text, in three lines of defence: the template escapes all that it prints, the
page's script writes by `textContent` alone, and the page's policy (CSP) forbids every script but that one, by
its hash, and every request. Without scripts the page says all that the audit found, with the first cards.
"""

import base64
import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ..probes.model import ProbeReport
from .gate_lines import credit_name
from .html_cards import BLANK, evidence_words, html_cards, kind_words
from .html_charts import html_charts
from .html_text import anchor, embedded, seen
from .html_tiles import html_tiles
from .json_text import report_json
from .model import SEVERITIES, AuditReport
from .run_lines import cost_sentences, standing
from .text import number, percent

__all__ = ["CARDS_A_PAGE", "html_page"]

CARDS_A_PAGE = 25
"""Cards that stand in the page as markup; its script shows the others, as many at a time."""

_TEMPLATES = Path(__file__).parent / "templates"
_SCRIPTS = ("theme.js", "tables.js", "cards.js", "keys.js")
_STYLES = ("page.css", "parts.css", "cards.css")


class _Section(NamedTuple):
    """A section: its name in links, its title, in the contents too unless `short` is, and the findings it answers for.

    Where the part of that name is absent, so is the section; most sections need none.
    """

    name: str
    title: str
    short: str = ""
    findings: str = ""


_SECTIONS = (
    _Section("data", "What was read", findings="reading"),
    _Section("run", "The training run", findings="run"),
    _Section("golds", "Golds", findings="golds"),
    _Section("verifier", "Verifier"),
    _Section("groups", "Groups", findings="groups"),
    _Section("causes", "Groups that teach nothing", findings="causes"),
    _Section("review", "For a person to look at"),
    _Section("reliability", "Reliability, by labels"),
    _Section("right", "Groups that are all right", findings="all correct"),
    _Section("signal", "Training signal", findings="stake"),
    _Section("gate", "Would a gate speak truly here?", "A gate, measured"),
    _Section("ladder", "What to change first"),
    _Section("appendix", "What was not measured, and how all this is decided", "Not measured"),
)


def html_page(report: AuditReport, *, probe: ProbeReport | None = None) -> str:
    """The whole page.

    Args:
        report: what `audit` returned; what it does not hold is left out.
        probe: what probing the verifier under audit found; None says that it was not probed.

    Returns:
        HTML without a single reference to anything outside it; it holds no lone surrogate.
    """
    script = "\n".join(map(_template, _SCRIPTS))
    cards = html_cards(report.cards, [count.cause for count in report.causes])
    parts = {
        "reliability": report.reliability,
        "right": report.duplicates or report.permissive,
        "gate": report.gate_trust,
        "ladder": report.ladder,
        "run": report.run,
    }
    page = _environment().get_template("page.html.jinja")
    said = page.render(
        report=report,
        curves=report.curves,
        probe=probe,
        reliability=report.reliability,
        ladder=report.ladder,
        sections=[section for section in _SECTIONS if parts.get(section.name, True) is not None],
        severities=_severities(report),
        tiles=html_tiles(report),
        charts=html_charts(report, report.curves),
        cards=cards,
        anchors={card["anchor"] for card in cards},
        first_cards=cards[:CARDS_A_PAGE],
        blank=BLANK,
        data=embedded({"cards": cards, "a_page": CARDS_A_PAGE}),
        archive=_archive(report),
        script=Markup(script),
        script_hash=_hash(script),
        style=Markup("\n".join(map(_template, _STYLES))),
    )
    # Texts are seen, and hold no half of a surrogate pair; a name from the command line may.
    return said.encode("utf-8", "backslashreplace").decode("utf-8")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number, "percent": percent, "seen": seen, "anchor": anchor, "kind": kind_words,
        "evidence": evidence_words, "counted": _counted, "credit": credit_name,
        "standing": standing, "cost": cost_sentences,
    }  # fmt: skip
    return environment


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _archive(report: AuditReport) -> str:
    """The report's JSON, packed: the page is its own archive, at a tenth of the size."""
    return base64.b64encode(gzip.compress(report_json(report).encode(), mtime=0)).decode("ascii")


def _severities(report: AuditReport) -> dict[str, str]:
    """The worst finding of each section that has any."""
    worst: dict[str, str] = {}
    for section in _SECTIONS:
        said = [finding.severity for finding in report.findings if finding.section == section.findings]
        if said:
            worst[section.name] = max(said, key=SEVERITIES.index)
    return worst
