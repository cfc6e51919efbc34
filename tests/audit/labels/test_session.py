from pathlib import Path

import pytest
from label_files import PLAIN, label_item, small_draw, units_in

from rewardgate.audit.labels import LabelStore
from rewardgate.audit.labels.session import label_session
from rewardgate.audit.labels.texts import LabelItem


class Seen:
    """A screen that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def item(self, item: LabelItem, place: int, n_items: int, *, is_whole: bool = False) -> None:
        self.lines.append(f"{item.key} {place}/{n_items}{' whole' if is_whole else ''}")

    def labelled(self, item: LabelItem, label: str) -> None:
        self.lines.append(f"{item.key}={label}")

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def store(tmp_path: Path):
    with LabelStore(tmp_path / "labels.sqlite") as store:
        store.add_draw(small_draw(units_in({PLAIN: 3})))
        yield store


def items_of(store: LabelStore) -> list[LabelItem]:
    draw = store.latest_draw()
    assert draw is not None
    return [label_item(drawn) for drawn in draw.sample]


def test_items_are_asked_about_in_order_until_all_are_labelled(store: LabelStore) -> None:
    items, seen = items_of(store), Seen()
    a, b, c = (item.key for item in items)
    assert label_session(items, store, "ann", ["c", "w", "g", "c"], seen) == 3
    assert seen.lines == [
        f"{a} 0/3", f"{a}=c", f"{b} 1/3", f"{b}=w", f"{c} 2/3", f"{c}=g",
        f"3 of 3 labelled by ann; kept in {store.path}",
    ]  # fmt: skip
    assert [action.label for action in store.actions()] == ["c", "w", "g"]


def test_a_second_sitting_goes_on_where_the_first_was_left_and_another_person_begins_anew(store: LabelStore) -> None:
    items = items_of(store)
    assert label_session(items, store, "ann", ["c", "q", "w"], Seen()) == 1
    resumed = Seen()
    label_session(items, store, "ann", ["w", "w"], resumed)
    assert resumed.lines[0] == f"{items[1].key} 1/3"
    other = Seen()
    label_session(items, store, "bob", [], other)
    assert other.lines == [f"{items[0].key} 0/3", f"0 of 3 labelled by bob; kept in {store.path}"]


def test_undo_adds_a_row_and_asks_again_in_a_later_sitting_too(store: LabelStore) -> None:
    items, seen = items_of(store), Seen()
    label_session(items, store, "ann", ["c", "w"], Seen())
    label_session(items, store, "ann", ["z", "g", "q"], seen)
    second = items[1].key
    assert seen.lines[1:4] == ["undone: wrong", f"{second} 1/3", f"{second}=g"]
    assert [(one.label, one.undoes) for one in store.actions()] == [("c", None), ("w", None), (None, 2), ("g", None)]


def test_nothing_to_undo_and_an_unknown_key_are_told_and_change_nothing(store: LabelStore) -> None:
    items, seen = items_of(store), Seen()
    label_session(items, store, "ann", ["z", "x", "q"], seen)
    assert "nothing to undo" in seen.lines
    assert "key: expected one of c, w, g, u, f, r, z, q, got 'x'" in seen.lines
    assert store.actions() == []


def test_the_whole_text_is_shown_before_a_label_is_given(store: LabelStore) -> None:
    items, seen = items_of(store), Seen()
    label_session(items, store, "ann", ["r", "c"], seen)
    assert seen.lines[:3] == [f"{items[0].key} 0/3", f"{items[0].key} 0/3 whole", f"{items[0].key}=c"]
