"""The ladder on a terminal: a line a rung, with the number that decides it, and the layer to change first."""

from collections.abc import Iterator

from rich.text import Text

from .ladder import Ladder, Rung
from .text import shown

__all__ = ["ladder_lines"]

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red", "not measured": "dim"}


def ladder_lines(ladder: Ladder) -> Iterator[Text]:
    """The lines to print, in order; no markup is read from what the measures say.

    Example:
        >>> from rewardgate.audit.report.ladder import Rung
        >>> rung = Rung(name="pools", asks="?", status="not measured", measures=(), enable="log several steps")
        >>> for line in ladder_lines(Ladder(rungs=(rung,), change_first=None, sentence="nothing was measured")):
        ...     print(line.plain)
        1 pools                      not measured  enable: log several steps
        nothing was measured
    """
    for position, rung in enumerate(ladder.rungs, start=1):
        yield _line(position, rung, is_first=rung.name == ladder.change_first)
    style = "bold" if ladder.change_first is not None else ""
    yield Text(shown(ladder.sentence), style=style)


def _line(position: int, rung: Rung, *, is_first: bool) -> Text:
    line = Text.assemble(
        (f"{position} {rung.name:<26} ", "bold" if is_first else ""), (f"{rung.status:<12}", _STYLES[rung.status])
    )
    deciding = rung.deciding
    if deciding is None:
        return line.append(f"  enable: {shown(rung.enable)}" if rung.enable else "", style="dim")
    line.append(f"  {shown(deciding.sentence)}")
    return line.append(f" ({deciding.threshold})", style="dim")
