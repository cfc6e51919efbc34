import csv
import io
from pathlib import Path

import pytest
from label_files import PLAIN, label_item, small_draw, units_in

from rewardgate.audit.labels import LabelStore
from rewardgate.audit.labels.csv_files import COLUMNS, csv_text, import_csv
from rewardgate.audit.labels.texts import LabelItem
from rewardgate.errors import InputError, NoUsableRowsError


@pytest.fixture
def store(tmp_path: Path):
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw(units_in({PLAIN: 3})))
        yield store


def keys_of(store: LabelStore) -> list[str]:
    draw = store.latest_draw()
    assert draw is not None
    return [drawn.key for drawn in draw.sample]


def exported(store: LabelStore, **texts: str | tuple[int, int] | None) -> str:
    draw = store.latest_draw()
    assert draw is not None
    items: list[LabelItem] = [label_item(drawn, **texts) for drawn in draw.sample]
    return "".join(csv_text(items, store.current().values()))


def test_what_is_not_labelled_tells_no_verdict_and_what_is_labelled_tells_everything(store: LabelStore) -> None:
    first, second, _ = keys_of(store)
    store.label(first, "ann", "c")
    store.label(first, "bob", "w")
    rows = list(csv.DictReader(io.StringIO(exported(store))))
    assert [(row["item"], row["annotator"], row["label"]) for row in rows[:3]] == [
        (first, "ann", "c"), (first, "bob", "w"), (second, "", ""),
    ]  # fmt: skip
    assert (rows[0]["verdict"], rows[0]["stratum"], rows[0]["scored_by"]) == ("wrong", str(PLAIN), "as logged")
    assert not any(rows[2][name] for name in COLUMNS[7:])
    assert str(PLAIN) not in rows[2]["prompt"]


def test_an_export_that_is_filled_in_comes_back_and_a_second_time_adds_nothing(
    store: LabelStore, tmp_path: Path
) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(store, response='He said "4,\n5"'))))
    for row, label in zip(rows, ["c", "Wrong", ""], strict=True):
        row["label"] = label
    path = tmp_path / "filled.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:  # as spreadsheets do
        writer = csv.DictWriter(file, COLUMNS, delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    found = import_csv(path, store, annotator="eve")
    assert (found.n_added, found.n_known, found.n_empty, found.refusals) == (2, 0, 1, [])
    assert [(one.annotator, one.label) for one in store.actions()] == [("eve", "c"), ("eve", "w")]
    again = import_csv(path, store, annotator="eve")
    assert (again.n_added, again.n_known) == (0, 2)
    assert len(store.actions()) == 2


def test_rows_that_cannot_be_used_are_refused_by_line_and_field_and_the_rest_is_kept(
    store: LabelStore, tmp_path: Path
) -> None:
    key = keys_of(store)[0]
    path = tmp_path / "labels.csv"
    path.write_text(f"item,label,annotator\nnone#0,c,ann\n{key},maybe,ann\n{key},w,\n{key},w,ann\n{key}\n")
    found = import_csv(path, store)
    assert list(map(str, found.refusals)) == [
        f'{path}:2: item: expected one that was drawn, got "none#0"',
        f'{path}:3: label: expected one of correct, wrong, gold, unsure, format, c, w, g, u, f, got "maybe"',
        f'{path}:4: annotator: expected a name, got ""; or name one for all rows',
    ]
    assert (found.n_added, found.n_empty) == (1, 1)


def test_a_cell_that_a_spreadsheet_would_run_is_made_text(store: LabelStore) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(store, prompt="=HYPERLINK(1)", target="-5", response="+1"))))
    assert (rows[0]["prompt"], rows[0]["target"], rows[0]["response"]) == ("'=HYPERLINK(1)", "'-5", "'+1")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"item,verdict\na,b\n", "header: expected the columns item and label, got none called label"),
        (b"", "header: expected the columns item and label, got none called item"),
        (b"item,label\nx,c\n", "no row can be used; the first: .*:2: item"),
    ],
)
def test_a_file_of_which_nothing_can_be_used_is_refused(
    store: LabelStore, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(NoUsableRowsError, match=message):
        import_csv(path, store)


def test_a_file_that_cannot_be_read_is_refused(store: LabelStore, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    with pytest.raises(InputError, match="No such file"):
        import_csv(path, store)
    path.write_bytes(b"item,label\n\xff,c\n")
    with pytest.raises(InputError, match="expected UTF-8, got other bytes at 11"):
        import_csv(path, store)
