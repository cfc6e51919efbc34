"""Labels as CSV: out to a spreadsheet, and back in.

Going out, an item that nobody has labelled has an empty label and does not tell its verdict, so that it can be
labelled there, blind. Coming in, only `item`, `label` and `annotator` are read.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, NoUsableRowsError
from ...rollouts.refusals import Refusal, clip
from .store import LABELS, Action, LabelStore
from .texts import LabelItem
from .units import storable

__all__ = ["COLUMNS", "Imported", "csv_text", "import_csv"]

COLUMNS = (
    "item", "label", "annotator", "prompt", "target", "extracted", "response", "time", "verdict", "stratum",
    "probability", "scored_by", "version",
)  # fmt: skip

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""

_NAMES = {"correct": "c", "wrong": "w", "gold": "g", "unsure": "u", "format": "f"} | {name: name for name in LABELS}


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: labels added, rows that said what was known already, rows without a label, refusals."""

    n_added: int
    n_known: int
    n_empty: int
    refusals: Sequence[Refusal]


def csv_text(items: Iterable[LabelItem], labels: Iterable[Action]) -> Iterator[str]:
    """The lines of the CSV: one for every label that stands, and one for every item without.

    Texts that a spreadsheet would run as a formula begin with an apostrophe.

    Args:
        items: in the order of the sample.
        labels: those that stand.
    """
    by_item: defaultdict[str, list[Action]] = defaultdict(list)
    for action in labels:
        by_item[action.item].append(action)
    yield _line(COLUMNS)
    for item in items:
        texts = tuple(map(_harmless, (item.prompt, item.target, item.extracted, item.response)))
        given = by_item.get(item.key)
        if given is None:
            yield _line((item.key, "", "", *texts, *[""] * 6))
            continue
        stratum = item.drawn.stratum
        for one in given:
            facts = (one.time, stratum.verdict, str(stratum), repr(one.probability), one.scored_by, one.version)
            yield _line((item.key, one.label or "", one.annotator, *texts, *facts))


def import_csv(path: str | Path, store: LabelStore, *, annotator: str | None = None) -> Imported:
    """Add the labels of a CSV to a file of labels; a row that says what its annotator said already adds nothing.

    Args:
        path: a CSV with the columns `item` and `label` (a letter, or `correct`, `wrong`, `gold`, `unsure`, `format`),
            and `annotator`, unless one is named here. Other columns are not read.
        store: with the draw that the items are of.
        annotator: whose labels they are, where a row does not say.

    Returns:
        Counts, and the rows that could not be used.

    Raises:
        InputError: the file cannot be read, or the store has no draw.
        NoUsableRowsError: it lacks a column, or every row is refused.
    """
    draw = store.latest_draw()
    if draw is None:
        raise InputError(f"labels: expected a file of labels with a sample, got an empty one: {store.path}")
    drawn = {one.key for one in draw.sample}
    known = {key: action.label for key, action in store.current().items()}
    added = same = empty = n_rows = 0
    refusals: list[Refusal] = []
    for line, row in _rows(Path(path)):
        n_rows += 1
        item, label = row.get("item") or "", (row.get("label") or "").strip().lower()
        who = (row.get("annotator") or annotator or "").strip()
        if item not in drawn:
            refusals.append(_refusal(path, line, "item", f"expected one that was drawn, got {clip(item)}"))
        elif not label:
            empty += 1
        elif label not in _NAMES:
            refusals.append(_refusal(path, line, "label", f"expected one of {', '.join(_NAMES)}, got {clip(label)}"))
        elif not who:
            refusals.append(_refusal(path, line, "annotator", 'expected a name, got ""; or name one for all rows'))
        elif known.get((item, who)) == _NAMES[label]:
            same += 1
        else:
            store.label(item, who, _NAMES[label])
            known[item, who] = _NAMES[label]
            added += 1
    if n_rows and len(refusals) == n_rows:
        raise NoUsableRowsError(f"{path}: no row can be used; the first: {refusals[0]}")
    return Imported(added, same, empty, refusals)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The last line and the cells of each row. Spreadsheets write a byte order mark, and some use semicolons."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8, got other bytes at {error.start}") from error
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror}") from error
    header = text.split("\n", 1)[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    missing = [name for name in ("item", "label") if name not in (reader.fieldnames or ())]
    if missing:
        raise NoUsableRowsError(f"{path}:1: header: expected the columns item and label, got none called {missing[0]}")
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: row: expected CSV, got: {error}") from error


def _refusal(path: str | Path, line: int, field: str, reason: str) -> Refusal:
    return Refusal(file=str(path), line=line, field=field, reason=reason)


def _harmless(text: str) -> str:
    return storable(f"'{text}" if text.startswith(_FORMULA) else text)


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
