"""The steps of a row as code to run and claims to check: which claim speaks of the state after which cell."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .cell_runs import Cell
from .code_claims import Said, parts_of, said_outputs, said_values

__all__ = ["MAX_CHARACTERS", "Claim", "CodeStep", "read_steps"]

MAX_CHARACTERS = 200_000
"""Characters of one row that are read; a longer row is not run."""

_COMMENT_OR_ASSERT = re.compile(r"#|\bassert\b")


class Claim(NamedTuple):
    """Something asserted of the state after cell number `cell`: of a name, or (name "") of what it printed."""

    cell: int
    said: Said
    is_block: bool = False


class CodeStep(NamedTuple):
    """A step as read: its cells, of which the first has number `first`, and its claims."""

    text: str
    first: int
    cells: list[Cell]
    claims: list[Claim]

    @property
    def asserts(self) -> bool:
        return bool(self.claims) or any(_COMMENT_OR_ASSERT.search(cell.source) for cell in self.cells)


def read_steps(texts: Sequence[str]) -> list[CodeStep]:
    """The steps; each cell is told which names are asked for after it."""
    steps: list[CodeStep] = []
    n_cells = 0
    for text in texts:
        sources: list[str] = []
        claims: list[Claim] = []
        parts = parts_of(text) if len(text) <= MAX_CHARACTERS else []
        has_code = any(part.kind == "code" for part in parts)
        for part in parts:
            cell = n_cells + len(sources) - 1
            if part.kind == "code":
                sources.append(part.text)
            elif part.kind == "output" and cell >= 0:
                claims.append(Claim(cell, Said("", part.text), is_block=True))
            # Words before the code of a step speak of what it is going to do; those of a step without any, of much.
            elif cell >= 0 and (sources or not has_code):
                claims += [Claim(cell, said) for said in said_values(part.text, in_ticks_only=not has_code)]
                claims += [Claim(cell, Said("", output)) for output in said_outputs(part.text) if has_code]
        steps.append(CodeStep(text, n_cells, [Cell(source) for source in sources], claims))
        n_cells += len(sources)
    asked: dict[int, list[str]] = {}
    for step in steps:
        for claim in step.claims:
            asked.setdefault(claim.cell, []).append(claim.said.name)
    for step in steps:
        step.cells[:] = [
            Cell(cell.source, tuple(filter(None, asked.get(step.first + number, ()))))
            for number, cell in enumerate(step.cells)
        ]
    return steps
