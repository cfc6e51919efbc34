"""One sitting of one labeller: item after item, each label kept before the next item is shown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from .store import LABELS, LabelStore
from .texts import LabelItem
from .units import storable

__all__ = ["Screen", "label_session"]


class Screen(Protocol):
    """Where a session shows what it has to show."""

    def item(self, item: LabelItem, place: int, n_items: int, *, is_whole: bool = False) -> None:
        """Show one item, without its verdict."""
        ...

    def labelled(self, item: LabelItem, label: str) -> None:
        """Say which label was kept, and what the verdict was."""
        ...

    def say(self, line: str) -> None:
        """One line for the labeller."""
        ...


def label_session(
    items: Sequence[LabelItem], store: LabelStore, annotator: str, keys: Iterable[str], screen: Screen
) -> int:
    """Ask for a label of every item that this annotator has not labelled yet, until `q`, or the end of the keys.

    Keys: a letter of `LABELS` labels the item on the screen; `z` undoes this annotator's last label, of an earlier
    sitting too, and shows its item again; `r` shows the whole text; `q` ends.

    Args:
        items: in the order in which they are to be labelled.
        store: with the draw that they are of.
        annotator: who labels.
        keys: what they press.
        screen: what they see.

    Returns:
        How many items this annotator has labelled now.
    """
    annotator = storable(annotator)
    by_key = {item.key: item for item in items}
    labelled = {item for item, who in store.current() if who == annotator and item in by_key}
    pressed = iter(keys)
    again: LabelItem | None = None
    while (item := again or _next(items, labelled)) is not None:
        again = None
        screen.item(item, len(labelled), len(items))
        key = _choice(pressed, item, screen, place=len(labelled), n_items=len(items))
        if key is None:
            break
        if key in LABELS:
            store.label(item.key, annotator, key)
            labelled.add(item.key)
            screen.labelled(item, key)
        elif (undone := store.undo(annotator)) is None:
            screen.say("nothing to undo")
        else:
            # An earlier label of the same item, if there was one, stands again; it is asked about all the same.
            labelled.discard(undone.item)
            again = by_key.get(undone.item)
            screen.say(f"undone: {LABELS[undone.label or 'u']}")
    screen.say(f"{len(labelled)} of {len(items)} labelled by {annotator}; kept in {store.path}")
    return len(labelled)


def _next(items: Iterable[LabelItem], labelled: set[str]) -> LabelItem | None:
    return next((item for item in items if item.key not in labelled), None)


def _choice(pressed: Iterator[str], item: LabelItem, screen: Screen, *, place: int, n_items: int) -> str | None:
    """The next key that is a label or `z`; None at the end. `r` is answered here."""
    for key in pressed:
        if key == "q":
            return None
        if key == "r":
            screen.item(item, place, n_items, is_whole=True)
        elif key in LABELS or key == "z":
            return key
        else:
            screen.say(f"key: expected one of {', '.join(LABELS)}, r, z, q, got {key!r}")
    return None
