r"""One quantity in several units: `3 hours and 20 minutes`, `2 h 30 min`, `5 ft 3 in`, `12^\circ 30'`.

Each unit is smaller than the one before and of its dimension; with a comma or an "and" between them only where people
write one quantity so (`3 m, 40 cm` may be two lengths, `3 hours, 20 minutes` is one time).
"""

import re
from fractions import Fraction

from .numbers import Quantity
from .units import Unit, read_unit

__all__ = ["read_compound"]

_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_PART = re.compile(r"(?P<join>,? and |, ?| ?)(?P<number>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>[A-Za-z]{1,12})(?![A-Za-z])")
_ANGLE = re.compile(r"(?P<degrees>\d{1,6})\^\\circ ?(?P<minutes>\d{1,2})'(?: ?(?P<seconds>\d{1,2})(?:''|\"))?")
_JOINED_DIMENSIONS = frozenset({"time", "calendar", "US money", "euro", "pound sterling"})
_JOINED_UNITS = frozenset({("ft", "in"), ("yd", "ft"), ("lb", "oz")})
_MOST_PARTS = 4


def read_compound(text: str) -> Quantity | None:
    """The quantity that all of `text` (normalised) spells in two to four units, in its first unit; or None.

    Example:
        >>> read_compound("3 hours and 20 minutes").value, read_compound("3 m, 40 cm"), read_compound("5 cm")
        (Fraction(10, 3), None, None)
    """
    if not text[:1].isdigit() or len(text) > 100:
        return None
    if (angle := _ANGLE.fullmatch(text)) is not None:
        minutes = Fraction(angle["minutes"]) + Fraction(angle["seconds"] or 0) / 60
        return Quantity(Fraction(angle["degrees"]) + minutes / 60, "exact", text, read_unit("^\\circ"))
    plain = _TEXT.sub(r" \1 ", text).strip() if "\\" in text else text
    plain = " ".join(plain.split())
    parts: list[tuple[Fraction, Unit]] = []
    position = 0
    while position < len(plain) and len(parts) < _MOST_PARTS:
        found = _PART.match(plain, position)
        unit = None if found is None else read_unit(found["unit"])
        if found is None or unit is None or unit.dimension == "label":
            return None
        if parts and not _continues(parts[-1][1], unit, found["join"].strip()):
            return None
        parts.append((Fraction(found["number"]), unit))
        position = found.end()
    if position < len(plain) or len(parts) < 2:
        return None
    first = parts[0][1]
    value = sum((number * unit.factor for number, unit in parts), Fraction(0)) / first.factor
    return Quantity(value, "exact", text, first)


def _continues(larger: Unit, smaller: Unit, join: str) -> bool:
    if larger.dimension != smaller.dimension or smaller.factor >= larger.factor:
        return False
    return not join or larger.dimension in _JOINED_DIMENSIONS or (larger.name, smaller.name) in _JOINED_UNITS
