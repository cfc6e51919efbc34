"""A page taken apart, and reports that try to break one."""

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any

from rewardgate.audit import AuditReport

VOID = {"meta", "link", "input", "br", "img", "hr"}

HOSTILE = (
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "</textarea></title></style><svg onload='window.hit = 1'>",
    "\"'><b onmouseover=window.hit=1 x=`",
    "<!--<script>",
    "]]>&lt;b&gt;&amp;&#60;",
    "line\u2028and\u2029paragraph",
    "\u202eright to left\u2066 and back",
    "half \ud83d of a pair \udc00",
    "\x00\x1b[2J\x08\x7f\ufeff",
    "{{ 7 * 7 }}{% raw %}{# #}",
    "${7 * 7}`+alert(1)+`",
    "javascript:window.hit=1",
)


class Page(HTMLParser):
    """Elements in order, text without scripts and styles, and the texts of scripts; fails where tags do not close."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.scripts: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.elements.append((tag, named))
        if tag not in VOID:
            self._open.append((tag, named.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, name = self._open[-1] if self._open else ("", "")
        if tag == "script":
            self.scripts[name] = self.scripts.get(name, "") + data
        elif tag != "style":
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every element of that name."""
        return [named for name, named in self.elements if name == tag]

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The groups as the page's script reads them."""
        return json.loads(self.scripts["cards-data"])["cards"]

    @property
    def report(self) -> dict[str, Any]:
        """The report that is packed in the page."""
        return json.loads(gzip.decompress(base64.b64decode(self.scripts["archive"])))


FOREIGN = {
    *("group_id", "prompt", "target", "answer", "source", "why", "extracted", "excerpt", "referee_detail"),
    *("suspect_detail", "detail", "refusals", "notes", "headline", "sentence", "referee", "become_mixed"),
    *("become_all_correct", "become_unscorable", "fields"),
}
"""Fields of a report whose words others may have written."""


def hostile_report(report: AuditReport) -> AuditReport:
    """`report` with a hostile text behind every foreign word, and a card for each of them."""

    def spoilt(value: Any, text: str, is_foreign: bool) -> Any:
        if isinstance(value, dict):
            return {key: spoilt(one, text, is_foreign or key in FOREIGN) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [spoilt(one, text, is_foreign) for one in value]
        return f"{value}{text}" if is_foreign and isinstance(value, str) else value

    data = spoilt(report.model_dump(), "".join(HOSTILE), False)
    card = report.cards[0].model_dump()
    data["cards"] = [spoilt(card | {"group_id": str(number)}, text, False) for number, text in enumerate(HOSTILE)]
    return AuditReport.model_validate(data)


def report_of(report: AuditReport, n: int) -> AuditReport:
    """`report` with `n` cards, each with an id, a prompt and answers of its own, of two causes in turn."""
    first = report.cards[0]
    cards = tuple(
        first.model_copy(
            update={
                "group_id": f"p{number:05d}",
                "prompt": f"What comes after {number}?",
                "cause": ("undetermined", "hedged")[number % 2],
                "successes": number % 3,
            }
        )
        for number in range(n)
    )
    return report.model_copy(update={"cards": cards})
