"""Whether a number may have been counted in another unit than the one that stands beside its result.

`30 * 4 = 2 hours` counts minutes on the left and says so nowhere.
"""

from collections.abc import Collection
from fractions import Fraction

__all__ = ["DIMENSIONS", "may_convert"]

_FOOT, _POUND, _GALLON = Fraction(381, 1250), Fraction(45359237, 100000), Fraction(473176473, 125000000)
_DAY, _YEAR = 86400, 12

# The sizes of the units that are counted in, in each dimension's own unit (m, s, g, L, month, dollar).
_LENGTHS = (
    Fraction(1, 1000),
    Fraction(1, 100),
    Fraction(1),
    Fraction(1000),
    _FOOT / 12,
    _FOOT,
    _FOOT * 3,
    _FOOT * 5280,
)
_SIZES: dict[str, tuple[Fraction, ...]] = {
    "length": _LENGTHS,
    "length^2": tuple(size**2 for size in _LENGTHS),
    "length^3": tuple(size**3 for size in _LENGTHS),
    # milliseconds, then up to months of 4 weeks or 28 to 31 days and years of 52 weeks or 360 to 366 days
    "time": (
        Fraction(1, 1000),
        *map(Fraction, (1, 60, 3600)),
        *(Fraction(days * _DAY) for days in (1, 7, 14, 28, 29, 30, 31, 360, 364, 365, 366)),
    ),
    "calendar": (
        *map(Fraction, (1, 3, 6, _YEAR, 10 * _YEAR, 100 * _YEAR)),
        *(Fraction(1, parts) for parts in (4, 28, 29, 30, 31)),
        *(Fraction(_YEAR, parts) for parts in (52, 360, 364, 365, 366, 8760)),
    ),
    "mass": (*map(Fraction, ("1/1000", "1", "1000", "1000000")), _POUND / 16, _POUND, _POUND * 14, _POUND * 2000),
    "volume": (*map(Fraction, ("1/1000", "1/100", "1")), *(_GALLON / parts for parts in (1, 4, 8, 16, 128, 256, 768))),
    "US money": tuple(map(Fraction, ("1", "1/100", "1/20", "1/10", "1/4"))),
    "data": (Fraction(1, 8), *(Fraction(1024) ** exponent for exponent in range(5))),
    "count": (Fraction(1), Fraction(12)),
    "euro": (Fraction(1), Fraction(1, 100)),
    "pound sterling": (Fraction(1), Fraction(1, 100)),
}
DIMENSIONS = frozenset(_SIZES)
"""What units of measure count."""

# Units by the stem that names them, beside those that `verifiers` knows: dimension and size.
_OTHER_UNITS = {
    "quart": ("volume", _GALLON / 4), "pint": ("volume", _GALLON / 8), "cup": ("volume", _GALLON / 16),
    "tablespoon": ("volume", _GALLON / 256), "teaspoon": ("volume", _GALLON / 768),
    "ton": ("mass", _POUND * 2000), "tonn": ("mass", Fraction(10**6)),
    "decad": ("calendar", Fraction(10 * _YEAR)), "centur": ("calendar", Fraction(100 * _YEAR)),
    "penn": ("US money", Fraction(1, 100)), "nickel": ("US money", Fraction(1, 20)),
    "dim": ("US money", Fraction(1, 10)), "acr": ("length^2", _FOOT**2 * 43560),
    "hectar": ("length^2", Fraction(10**4)),
    "kb": ("data", Fraction(1024)), "mb": ("data", Fraction(1024**2)), "gb": ("data", Fraction(1024**3)),
    "byt": ("data", Fraction(1)), "bit": ("data", Fraction(1, 8)), "gro": ("count", Fraction(144)),
    "fortnight": ("time", Fraction(14 * _DAY)),
}  # fmt: skip
# Between a unit and the same with kilo, mega, milli, nano before it, be it a unit that nobody listed.
_PREFIXES = frozenset(Fraction(10) ** exponent for exponent in (-9, -6, -3, 3, 6, 9))


def may_convert(ratio: Fraction, labels: Collection[str], factor: Fraction) -> bool:
    """Whether a bare number and one with a unit may be the same quantity in two units.

    Args:
        ratio: the bare number over the one with the unit, as they are written.
        labels: what the words beside the latter count (`words.label_of`).
        factor: what its unit is worth in its dimension's own unit.

    Example:
        >>> may_convert(Fraction(60), ["time"], Fraction(3600)), may_convert(Fraction(40), ["time"], Fraction(3600))
        (True, False)
    """
    if ratio in _PREFIXES and labels:
        return True
    for label in labels:
        dimension, size = _OTHER_UNITS.get(label, (label, factor))
        if any(size == ratio * other for other in _SIZES.get(dimension, ()) if other != size):
            return True
    return False
