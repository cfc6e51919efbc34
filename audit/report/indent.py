"""A block set in from the left, its wrapped lines too, without trailing spaces where it is piped."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

__all__ = ["Indented"]


@dataclass(frozen=True, slots=True)
class Indented:
    """`block`, `columns` to the right. rich's `Padding` would fill every line up to the console's width."""

    block: RenderableType
    columns: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        inner = options.update(width=max(20, options.max_width - self.columns))
        for line in console.render_lines(self.block, inner, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            yield Segment(" " * self.columns)
            yield from line[:-1]
            if line:
                yield Segment(line[-1].text.rstrip(), line[-1].style)
            yield Segment.line()
