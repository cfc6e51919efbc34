"""The items of a list: what numbers, letters or marks them, and which lie within which."""

import re
from typing import NamedTuple

__all__ = ["Item", "item_of", "lies_within"]

_ITEM = re.compile(
    r"""(?P<indent>[ \t]*+)(?:\*\*|__)?
    (?:(?P<hanzi>[一二三四五六七八九十]{1,3}、)
      |(?P<number>[0-9]{1,3}(?:[.)](?=\s)|[、．]))
      |(?P<part>[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}[.)]?(?=\s)|[(（][0-9]{1,3}[)）])
      |(?P<letter>[(（]?[a-zA-Z][)）]|[a-z]\.(?=\s))
      |(?P<roman>[(（]?[ivx]{2,5}[)）]|[ivx]{2,5}\.(?=\s))
      |(?P<word>\(?[a-zA-Z0-9]{2}\)(?=\s))
      |(?P<bullet>[-*+•](?=\s)))""",
    re.VERBOSE,
)
_RANKS = {"hanzi": 0, "number": 1, "part": 2, "letter": 3, "roman": 4}
_LABEL = re.compile(r"[^\s()（）*_、．]+")


class Item(NamedTuple):
    """How an item begins.

    Args:
        kind: `number`, `letter`, `bullet`, …
        label: its number or letters, without brackets and points.
        indent: characters before it.
    """

    kind: str
    label: str
    indent: int


def item_of(line: str) -> Item | None:
    """The item that `line` begins; None where it begins none.

    Example:
        >>> [item_of(line).kind for line in ("1. Add", "  a) Add", "(ii) Add", "1.2 Add", "- Add")]
        ['number', 'letter', 'roman', 'part', 'bullet']
        >>> item_of("  (a) Add"), item_of("a pen")
        (Item(kind='letter', label='a', indent=2), None)
    """
    found = _ITEM.match(line)
    if found is None or not line[found.end() :].strip():
        return None
    kind = found.lastgroup or ""
    label = _LABEL.search(found[kind])
    return Item(kind, label.group().strip(".").lower() if label else "", len(found["indent"]))


def lies_within(item: Item, outer: Item) -> bool:
    """Whether `item`, somewhere behind `outer`, is a part of it: deeper, or of a kind that stands below its own.

    Kinds stand in the order 一、 1. (1) a) (i); bullets lie within whatever they are deeper than. "i)" behind "h)" is
    a letter.

    Example:
        >>> one, a, i = item_of("1. Add"), item_of("a) left"), item_of("i) right")
        >>> lies_within(a, one), lies_within(i, a), lies_within(one, a), lies_within(i, item_of("h) left"))
        (True, True, False, False)
    """
    if item.indent > outer.indent:
        return True
    rank, outer_rank = _RANKS.get(item.kind), _RANKS.get(outer.kind)
    if rank is None or outer_rank is None:
        return False
    if outer.kind == "letter" and len(item.label) == 1 and item.label.isalpha():
        return item.label in "ivx" and ord(item.label) != ord(outer.label) + 1
    if "." in item.label and outer.kind == "number":
        return item.label.startswith(f"{outer.label}.")  # a line may begin with a decimal
    return rank > outer_rank
