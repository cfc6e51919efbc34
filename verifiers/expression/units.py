r"""Units of answers: their names, and the few that convert into one another.

A unit is an optional part of an answer: a missing one is accepted, a conflicting one is not. Words that
this table does not know ("apples", "any text") are labels: two different labels that share no word conflict.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Unit", "conversion", "read_unit", "units_conflict"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of `dimension` worth `factor` of that dimension's own unit; `name` is its canonical spelling.

    `dimension` is `"label"` for words that are no unit of measure; those have factor 1.
    """

    name: str
    dimension: str
    factor: Fraction


def read_unit(text: str) -> Unit | None:
    r"""The unit that `text` names, or None where it says nothing (empty, "units").

    Args:
        text: what stands beside the number: `cm^2`, `\text{square inches}`, `%`, `^\circ`, `$`.

    Example:
        >>> read_unit(r"\text{cm}^2").name, read_unit("hours").factor, read_unit("units")
        ('cm^2', Fraction(3600, 1), None)
    """
    if text in _SIGNS:
        return _SIGNS[text]
    text = text.replace("per cent", "percent").replace("^\\circ", "°").replace("° ", "°")
    words = re.sub(r"\\text\{|[{}()\\]", " ", text).strip(" .")
    if not words:
        return None
    power = 1
    words = _PER.sub(r"\1/\2", words)
    if found := re.search(r"\s*\^\s*(\d)$", words):
        power, words = int(found.group(1)), words[: found.start()].strip()
    spelled = words.casefold()
    for prefix, exponent in (("square ", 2), ("sq ", 2), ("sq. ", 2), ("cubic ", 3), ("cu ", 3)):
        if spelled.startswith(prefix):
            power, words, spelled = exponent, words[len(prefix) :].strip(), spelled[len(prefix) :].strip()
    if spelled in _EMPTY or not spelled:
        return None
    known = _BY_NAME.get(words) or _BY_NAME.get(spelled) or _BY_NAME.get(spelled.removesuffix("s"))
    if known is None:
        return Unit(spelled if power == 1 else f"{spelled}^{power}", "label", Fraction(1))
    if power == 1:
        return known
    return Unit(f"{known.name}^{power}", f"{known.dimension}^{power}", known.factor**power)


def units_conflict(target: Unit | None, answer: Unit | None) -> bool:
    """Whether the two units exclude one another: both named, different, and of no common dimension.

    Example:
        >>> units_conflict(read_unit("cm"), read_unit("hours")), units_conflict(read_unit("cm"), None)
        (True, False)
    """
    if target is None or answer is None or target.name == answer.name:
        return False
    if "label" in (target.dimension, answer.dimension):
        return target.dimension == answer.dimension and not (_stems(target.name) & _stems(answer.name))
    return target.dimension != answer.dimension


def conversion(answer: Unit | None, target: Unit | None) -> Fraction:
    """What a value in `answer`'s unit is multiplied by to stand in `target`'s; 1 where either is missing.

    Example:
        >>> conversion(read_unit("minutes"), read_unit("hours"))
        Fraction(1, 60)
    """
    if answer is None or target is None or answer.dimension != target.dimension:
        return Fraction(1)
    return answer.factor / target.factor


def _stems(name: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[^\W\d_]+", name)} - {"of", "the", "per"}


_PER = re.compile(r"^(\w+) (\w+) ?\^ ?-1$")
_EMPTY = frozenset({"unit", "units", "in total", "total", "in all", "altogether"})

# dimension: (canonical name, size in the dimension's own unit, spellings; a plural s is understood)
_TABLE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "length": (
        ("pm", "1/1000000000000", "picometer picometre"),
        ("nm", "1/1000000000", "nanometer nanometre"),
        ("μm", "1/1000000", "micrometer micrometre micron um \\mu m"),
        ("mm", "1/1000", "millimeter millimetre"),
        ("cm", "1/100", "centimeter centimetre"),
        ("m", "1", "meter metre"),
        ("km", "1000", "kilometer kilometre"),
        ("in", "127/5000", "inch inches"),
        ("ft", "381/1250", "foot feet"),
        ("yd", "1143/1250", "yard"),
        ("mi", "201168/125", "mile"),
    ),
    "time": (
        ("ns", "1/1000000000", "nanosecond"),
        ("μs", "1/1000000", "microsecond us"),
        ("ms", "1/1000", "millisecond"),
        ("s", "1", "sec second"),
        ("min", "60", "minute"),
        ("h", "3600", "hr hour"),
        ("day", "86400", "day"),
        ("week", "604800", "week"),
    ),
    "calendar": (("month", "1", "month"), ("year", "12", "yr year")),
    "mass": (
        ("μg", "1/1000000", "microgram ug"),
        ("mg", "1/1000", "milligram"),
        ("g", "1", "gram gramme"),
        ("kg", "1000", "kilogram kilogramme"),
        ("oz", "45359237/1600000", "ounce"),
        ("lb", "45359237/100000", "lbs pound"),
    ),
    "length^3": (
        ("mL", "1/1000000", "ml milliliter millilitre"),
        ("L", "1/1000", "l liter litre"),
        ("gal", "473176473/125000000000", "gallon"),
    ),
    "angle": (("degree", "1", "deg"),),
    "radian": (("rad", "1", "radian"),),
    "percent": (("percent", "1", "percent per-cent"),),
    "US money": (("$", "1", "dollar usd"), ("cent", "1/100", "cent ¢")),
    "euro": (("€", "1", "euro eur"),),
    "pound sterling": (("£", "1", "gbp"),),
    "yen": (("¥", "1", "yen jpy"),),
    "rupee": (("₹", "1", "rupee inr"),),
    "speed mph": (("mph", "1", "mph"),),
    "speed": (("km/h", "5/18", "kph kmh km/hr"), ("m/s", "1", "m/s")),
    "force": (("N", "1", "newton"), ("kN", "1000", "kilonewton"), ("MN", "1000000", "meganewton")),
    "energy": (
        ("J", "1", "joule"),
        ("kJ", "1000", "kilojoule"),
        ("MJ", "1000000", "megajoule"),
        ("eV", "1602176634/10000000000000000000000000000", "electronvolt"),
        ("kWh", "3600000", "kilowatt-hour"),
        ("cal", "523/125", "calorie"),
        ("kcal", "4184", "kilocalorie"),
    ),
    "power": (
        ("mW", "1/1000", "milliwatt"),
        ("W", "1", "watt"),
        ("kW", "1000", "kilowatt"),
        ("MW", "1000000", "megawatt"),
    ),
    "pressure": (("Pa", "1", "pascal"), ("kPa", "1000", "kilopascal"), ("MPa", "1000000", "megapascal")),
    "pressure atm": (("atm", "1", "atmosphere"),),
    "pressure bar": (("bar", "1", "bar"),),
    "pressure mmHg": (("mmHg", "1", "torr mm-hg"),),
    "voltage": (("mV", "1/1000", "millivolt"), ("V", "1", "volt"), ("kV", "1000", "kilovolt")),
    "current": (("mA", "1/1000", "milliampere milliamp"), ("A", "1", "ampere amp")),
    "capacitance": (
        ("μF", "1/1000000", "microfarad uf"),
        ("nF", "1/1000000000", "nanofarad"),
        ("pF", "1/1000000000000", "picofarad"),
    ),
    "magnetic flux density": (("mT", "1/1000", "millitesla"), ("T", "1", "tesla")),
    "resistance": (("Ω", "1", "ohm \\Omega"), ("kΩ", "1000", "kilo-ohm")),
    "frequency": (
        ("Hz", "1", "hertz"),
        ("kHz", "1000", "kilohertz"),
        ("MHz", "1000000", "megahertz"),
        ("GHz", "1000000000", "gigahertz"),
    ),
    "amount": (("mmol", "1/1000", "millimole"), ("mol", "1", "mole"), ("kmol", "1000", "kilomole")),
    "concentration": (("mM", "1/1000", "millimolar"), ("M", "1", "molar mol/l")),
    "kelvin": (("K", "1", "kelvin"),),
    "temperature C": (("°C", "1", "celsius"),),
    "temperature F": (("°F", "1", "fahrenheit"),),
}

_BY_NAME = {
    spelling: Unit(name, dimension, Fraction(factor))
    for dimension, units in _TABLE.items()
    for name, factor, spellings in units
    for spelling in (name, *spellings.split())
}
_SIGNS = {
    "%": _BY_NAME["percent"],
    "\\Omega": _BY_NAME["Ω"],
    "^\\circ": _BY_NAME["degree"],
    **{s: _BY_NAME[s] for s in "$€£¥₹"},
}
