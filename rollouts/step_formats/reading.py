"""Read step-labelled solutions from a file: the layout is recognised, rows stream, no row is dropped in silence."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...errors import ArgumentError, InputError, NoUsableRowsError
from ..containers import open_rows
from ..formats.base import most
from ..records import Source
from ..refusals import MAX_REFUSALS_KEPT, Refusal, RowRefusedError
from ..rows import TOO_DEEP, RowFile
from .layouts import LAYOUTS, StepLayout
from .records import StepTrace

__all__ = ["StepReading", "layout_of", "read_steps"]

HEAD_ROWS = 50


def layout_of(path: str | Path) -> StepLayout | None:
    """The layout of a file of step labels, by the fields of its first rows; None for any other file, or none at all."""
    try:
        return _recognised(open_rows(Path(path), tokens=False, columns=()))
    except InputError:
        return None  # whoever reads it will say why


def read_steps(path: str | Path, *, layout: str = "auto") -> "StepReading":
    """The solutions of a file of step labels.

    Args:
        path: JSON lines, a JSON array, CSV or Parquet; plain, gzip or Zstandard.
        layout: the name of one of `LAYOUTS`, or "auto".

    Raises:
        InputError: the file cannot be read.
        NoUsableRowsError: it is of no known layout.
        ArgumentError: no layout has that name.

    Example:
        >>> import json, tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     row = {"id": "gsm8k-0", "problem": "2 + 3?", "steps": ["2 + 3 = 6", "So 6."], "label": 0}
        ...     print(json.dumps(row), file=file)
        ...     print(json.dumps({**row, "label": 2}), file=file, flush=True)
        ...     reading = read_steps(file.name)
        ...     [(trace.first_error, trace.labels, trace.source) for trace in reading]
        [(0, (False, None), 'gsm8k')]
        >>> reading.refusals[0].field, reading.refusals[0].reason
        ('label', 'expected a step 0..1, got 2')
    """
    path = Path(path)
    known = {one.name: one for one in LAYOUTS}
    if layout != "auto" and layout not in known:
        raise ArgumentError(f"layout: expected auto or one of {', '.join(known)}, got {layout!r}")
    rows = open_rows(path, tokens=False, columns=())
    found = known.get(layout) or _recognised(rows)
    if found is None:
        raise NoUsableRowsError(f"{path}: expected step labels in one of the layouts {', '.join(known)}, got none")
    return StepReading(path, rows, found)


class StepReading:
    """The solutions of one file; iterate over it, as often as you like.

    Iterating raises NoUsableRowsError at the end of a file of which no row could be used.

    Attributes:
        path: of the file.
        layout: as which it is read.
        n_rows, n_refused: of the last whole iteration.
        refusals: of the same, the first 100.
    """

    def __init__(self, path: Path, rows: RowFile, layout: StepLayout) -> None:
        self.path = path
        self.layout = layout
        self.n_rows = 0
        self.n_refused = 0
        self.refusals: tuple[Refusal, ...] = ()
        self._rows = rows

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for a person about how the file was read."""
        return (f"errors are read from {self.layout.errors}", *self._rows.notes)

    def __iter__(self) -> Iterator[StepTrace]:
        refusals: list[Refusal] = []
        n_rows = n_refused = n_traces = 0
        for row in self._rows.scan():
            n_rows += 1
            place = Source(file=str(self.path), line=row.line)
            try:
                if row.value is None:
                    raise RowRefusedError("row", row.problem)
                traces = self.layout.traces(row.value, place)
            except (RowRefusedError, RecursionError) as refused:
                n_refused += 1
                if len(refusals) < MAX_REFUSALS_KEPT:
                    field, reason = refused.args if isinstance(refused, RowRefusedError) else ("row", TOO_DEEP)
                    refusals.append(Refusal(file=str(self.path), line=row.line, field=field, reason=reason))
                continue
            n_traces += len(traces)
            yield from traces
        self.n_rows, self.n_refused, self.refusals = n_rows, n_refused, tuple(refusals)
        if not n_traces:
            first = "; ".join(map(str, refusals[:3]))
            raise NoUsableRowsError(f"{self.path}: expected labelled steps, got none that can be used; {first}")


def _recognised(rows: RowFile) -> StepLayout | None:
    head = [row.value for row in islice(rows.scan(), HEAD_ROWS) if row.value is not None]
    return next((layout for layout in LAYOUTS if head and most(head, layout.fits)), None)
