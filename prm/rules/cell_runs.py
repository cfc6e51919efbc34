"""Code cells run one after the other in one jailed process, as a notebook runs them, and what was true after each.

The cells of one row share their names. A cell that fails ends the run: what would come after it is not known.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...verifiers.sandbox.jailer import Jail
from ...verifiers.sandbox.runs import Limits
from .cell_driver import DRIVER

__all__ = ["Cell", "CellReport", "Remark", "run_cells"]

_MAX_OUTPUT = 20_000


@dataclass(frozen=True, slots=True)
class Cell:
    """Code, and the names whose values are asked for after it."""

    source: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment that says what a value is.

    Args:
        what: a name or an expression, as written.
        said: what the comment says, as written.
        got: what it may be compared with, as Python literals; a comment before a statement may speak of the state
            behind it, too. None for a value that is no plain data. Where `is_print`, what was printed.
        is_print: it stands behind a call of print.
    """

    what: str
    said: str
    got: tuple[str | None, ...]
    is_print: bool = False


@dataclass(frozen=True, slots=True)
class CellReport:
    """What was true after a cell.

    Args:
        output: what it printed; `is_cut` where that was more than is kept.
        remarks: its comments that say what a value is.
        n_asserts: asserts about a name that held.
        error: kind, message, and the assert that failed, or ""; None where the cell ran to its end.
        is_unparsed: it is no Python.
        values: those that were asked for, as Python literals; None for what is no plain data.
        display: the value of an expression at its end, which a notebook shows.
    """

    output: str
    is_cut: bool
    remarks: tuple[Remark, ...]
    n_asserts: int
    error: tuple[str, str, str] | None
    is_unparsed: bool
    values: dict[str, str | None] = field(default_factory=dict)
    display: str | None = None


def run_cells(jail: Jail, cells: Sequence[Cell], limits: Limits) -> tuple[list[CellReport], str]:
    """The reports of the cells that ran, and why there are no more of them ("" where all ran or one failed).

    Raises:
        JailError: the machinery failed.
    """
    data = json.dumps([{"source": cell.source, "names": list(cell.names)} for cell in cells])
    program = f"CELLS = {data!r}\nLIMIT = {_MAX_OUTPUT}\n{DRIVER}"
    running = jail.run(program.encode("utf-8", "surrogatepass"), limits=limits)
    reports: list[CellReport] = []
    for line in running.stdout.decode("utf-8", "replace").splitlines()[: len(cells)]:
        report = _report(line)
        if report is None:
            return reports, "the run wrote something else than its reports"
        reports.append(report)
        if report.error is not None:
            return reports, ""
    ended = running.ended
    if len(reports) == len(cells):
        return reports, ""
    why = "ended" if ended is None else f"{ended.killed or 'ended'}, exit code {ended.exit_code}, signal {ended.signal}"
    return reports, f"the run did not come to its end ({why})"


def _texts(got: Any) -> tuple[str | None, ...]:
    return tuple(one if isinstance(one, str) else None for one in got)


def _report(line: str) -> CellReport | None:
    """A report as the driver writes it; None for what a cell wrote in its place."""
    try:
        said: dict[str, Any] = json.loads(line)
        error = said["error"]
        return CellReport(
            output=str(said["output"]),
            is_cut=bool(said["is_cut"]),
            remarks=tuple(
                Remark(str(what) or "what is printed", str(text), _texts(got), is_print=not what)
                for what, text, got in said["remarks"]
            ),
            n_asserts=int(said["asserts"]),
            error=None if error is None else (str(error[0]), str(error[1]), str(error[2])),
            is_unparsed=error is not None and error[3] is True,
            values={str(name): one if isinstance(one, str) else None for name, one in said["values"].items()},
            display=said["display"] if isinstance(said["display"], str) else None,
        )
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return None
