"""What a labeller sees of a rollout: plain text of a stranger's, with nothing in it that a terminal would obey."""

import re

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from ..report.text import shown
from .store import LABELS
from .texts import LabelItem

__all__ = ["KEYS", "LabelScreen"]

KEYS = "c correct · w wrong · g target wrong · f right but format · u unsure · r full text · z undo · q save, quit"

TAIL_CHARS = 1_200
PROMPT_CHARS = 1_500
BEFORE_ANSWER_CHARS = 600
_OPEN, _CLOSE = "⟦", "⟧"


class LabelScreen:
    """Prints items, and what is said about labels, to a rich console."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def item(self, item: LabelItem, place: int, n_items: int, *, is_whole: bool = False) -> None:
        """Show one item without its verdict.

        Args:
            item: to be labelled.
            place: items that this annotator has labelled before it.
            n_items: all.
            is_whole: whether prompt and response are shown to the last character.
        """
        parts: list[RenderableType] = [
            _titled("PROMPT", _text(_clipped_middle(item.prompt, None if is_whole else PROMPT_CHARS))),
            _titled("TARGET", _text(_clipped_middle(item.target, None if is_whole else PROMPT_CHARS))),
            _titled("RESPONSE" if is_whole else "RESPONSE (tail)", _response(item, is_whole=is_whole)),
            Rule(style="dim"),
            Text("the verdict is hidden until you label", style="dim"),
            Text(KEYS, style="dim"),
        ]
        self._console.print(Panel(Group(*parts), title=f"label · {place + 1}/{n_items}", title_align="left"))

    def labelled(self, item: LabelItem, label: str) -> None:
        """Say what was kept, and only now what the verdict was."""
        stratum = item.drawn.stratum
        line = Text(f"{LABELS[label]} · the verdict was: {stratum.verdict}", style="bold")
        doubt = ", something speaks against it" if stratum.is_flagged else ""
        self.say(line.append(f" (in a group that is {stratum.kind}{doubt})", style="dim"))

    def say(self, line: str | Text) -> None:
        """One line for the labeller."""
        self._console.print(line if isinstance(line, Text) else Text(line), highlight=False, soft_wrap=True)


def _titled(title: str, body: Text) -> Text:
    return Text(f"{title}\n", style="bold").append(body).append("\n")


def _response(item: LabelItem, *, is_whole: bool) -> Text:
    """The response, or its tail and what stands around the answer, with the answer marked."""
    text, span = item.response, item.span
    if span is None:
        start = 0 if is_whole else max(0, len(text) - TAIL_CHARS)
        return _text(("… " if start else "") + text[start:], style="") if text else Text("(empty)", style="dim")
    tail = 0 if is_whole else max(0, len(text) - TAIL_CHARS)
    first = 0 if is_whole else max(0, min(span[0] - BEFORE_ANSWER_CHARS, tail))
    before, after = text[first : span[0]], text[span[1] :]
    if not is_whole and len(after) > 2 * TAIL_CHARS:
        after = f"{after[:TAIL_CHARS]} … {after[-TAIL_CHARS:]}"
    marked = _text(("… " if first else "") + before)
    return marked.append(_text(f"{_OPEN}{item.extracted}{_CLOSE}", style="bold reverse")).append(_text(after))


def _clipped_middle(text: str, limit: int | None) -> str:
    """`text` without its middle, where it is longer than `limit`."""
    if limit is None or len(text) <= limit:
        return text
    left_out = len(text) - limit
    return f"{text[: limit // 2]} … ({left_out} characters; r shows them) … {text[-limit // 2 :]}"


def _text(text: str, style: str = "") -> Text:
    """A stranger's text as it is, line by line, with what is not plain to see written as an escape."""
    plain = re.sub(r"[^ \n]+", lambda word: shown(word.group()), text.expandtabs(4))
    return Text(plain, style=style)
