"""A report on a console: how wide where it is piped, and how its parts, its findings and its headline are printed."""

from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from .indent import Indented
from .model import Finding, Severity
from .text import shown

__all__ = ["STYLES", "print_parts", "stdout_console", "verdict_lines"]

STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}
_WIDTH_WHEN_PIPED = 100


def stdout_console() -> Console:
    """Stdout, wide enough for the tables where it is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal and console.width < _WIDTH_WHEN_PIPED:
        console = Console(width=_WIDTH_WHEN_PIPED, highlight=False)
    return console


def print_parts(parts: Iterable[RenderableType], console: Console | None) -> None:
    """Print `parts` one under the other, on stdout where no console is given."""
    console = stdout_console() if console is None else console
    for part in parts:
        console.print(Indented(part, 0), highlight=False, end="")


def verdict_lines(findings: Iterable[Finding], severity: Severity, headline: str) -> Iterator[Text]:
    """Every finding with its threshold, then the headline."""
    yield Text()
    for finding in findings:
        line = Text(f"{finding.severity:<5}", style=STYLES[finding.severity])
        line.append(f"{finding.section}: {shown(finding.sentence)}", style="default")
        yield line.append(f" ({finding.threshold})" if finding.threshold else "", style="dim")
    yield Text()
    yield Text.assemble((f"{severity.upper()}  ", STYLES[severity]), (shown(headline), "bold"))
