r"""What a target says, read by a small grammar, so that it can be rewritten and mutated with certainty.

Independent of `verifiers.expression` on purpose: these readings test that one. What the grammar does not know is
`Words`, of which nothing but its text is used.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Answer", "Items", "Letter", "Number", "Sum", "Term", "Words", "decimal_text", "read_answer"]


@dataclass(frozen=True, slots=True)
class Number:
    r"""An exact number: form `"integer"`, `"decimal"` or `"fraction"` (`\frac{1}{2}`, `1/2`)."""

    value: Fraction
    form: str
    text: str


@dataclass(frozen=True, slots=True)
class Term:
    r"""A coefficient, never 0, times an atom: `""` (a constant), `"\pi"`, `"\sqrt"` of a number or a variable.

    Args:
        coefficient: with its sign.
        atom: its name.
        argument: the radicand of a root or the exponent of a variable; 1 for others.
    """

    coefficient: Fraction
    atom: str
    argument: int = 1


@dataclass(frozen=True, slots=True)
class Sum:
    r"""Terms with atoms of which no two are the same, at least one not constant: `2x^2-3`, `\frac{1}{2}\pi`."""

    terms: tuple[Term, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    r"""Several values in brackets: a tuple `(1,2)`, a set `\{1,2\}` or an interval `[0,\infty)`.

    Args:
        kind: `"tuple"`, `"set"` or `"interval"`; `(0,1)` is read as a tuple.
        brackets: opening and closing one, `"\{"` and `"\}"` for a set.
        items: as read, an infinite end as `Words`.
    """

    kind: str
    brackets: tuple[str, str]
    items: "tuple[Number | Sum | Words, ...]"
    text: str


@dataclass(frozen=True, slots=True)
class Letter:
    """A choice, A to J."""

    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """Anything else, text for one."""

    text: str


Answer = Number | Sum | Items | Letter | Words

_INTEGER = re.compile(r"-?(?:\d+|\d{1,3}(?:,\d{3})+)")
_DECIMAL = re.compile(r"-?\d*\.\d+")
_FRACTION = re.compile(r"(-?)(?:\\[dt]?frac\{(-?\d+)\}\{(\d+)\}|(\d+)/(\d+))")
_ATOM = (
    r"\\sqrt\{(?P<radicand>\d+)\}|(?P<pi>\\pi)|(?P<variable>[a-df-hj-z])(?:\^(?:(?P<digit>\d)|\{(?P<digits>\d+)\}))?"
)
_TERM = re.compile(
    rf"(?P<sign>[+-]?)(?:(?P<whole>\d+)|\\frac\{{(?P<above>\d+)\}}\{{(?P<below>\d+)\}})?(?:{_ATOM})?(?=[+-]|\Z)"
)
_BRACKETED = re.compile(r"(?P<open>\(|\[|\\\{)(?P<inside>[^()\[\]]+)(?P<close>\)|\]|\\\})")
_INFINITE = frozenset({r"\infty", r"-\infty", r"+\infty"})
_MOST_CHARS = 400


def read_answer(text: str) -> Answer:
    r"""What `text` says; one pair of `$` around it and spaces count for nothing.

    Example:
        >>> read_answer("-0.50").value, read_answer(r"\frac{3}{6}").form
        (Fraction(-1, 2), 'fraction')
        >>> [type(read_answer(one)).__name__ for one in (r"2\sqrt{3}+1", r"\{1,2\}", "C", "even", "y = 2")]
        ['Sum', 'Items', 'Letter', 'Words', 'Words']
    """
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] == "$" and "$" not in text[1:-1]:
        text = text[1:-1].strip()
    if len(text) == 1 and text in "ABCDEFGHIJ":
        return Letter(text)
    if len(text) > _MOST_CHARS or text.startswith(r"\text"):
        return Words(text)
    return _read_items(text) or _read_number(text) or _read_sum(text) or Words(text)


def decimal_text(value: Fraction) -> str | None:
    """`value` as a decimal, None where it does not end within 12 places.

    Example:
        >>> decimal_text(Fraction(-3, 8)), decimal_text(Fraction(1, 3)), decimal_text(Fraction(7))
        ('-0.375', None, '7')
    """
    for places in range(13):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            point = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return f"-{point}" if value < 0 else point
    return None


def _read_number(text: str) -> Number | None:
    if _INTEGER.fullmatch(text):
        return Number(Fraction(text.replace(",", "")), "integer", text)
    if _DECIMAL.fullmatch(text):
        return Number(Fraction(text), "decimal", text)
    if found := _FRACTION.fullmatch(text):
        sign, above, below, plain_above, plain_below = found.groups()
        if int(below or plain_below):
            value = Fraction(int(above or plain_above), int(below or plain_below))
            return Number(-value if sign else value, "fraction", text)
    return None


def _read_sum(text: str) -> Sum | None:
    squeezed = "".join(text.split())
    terms: list[Term] = []
    position = 0
    while position < len(squeezed):
        found = _TERM.match(squeezed, position)
        if found is None or found.end() == position or not (term := _term(found)):
            return None
        terms.append(term)
        position = found.end()
    atoms = {(term.atom, term.argument) for term in terms}
    # Two terms of one atom could cancel when one of them is changed.
    if len(atoms) < len(terms) or atoms <= {("", 1)}:
        return None
    return Sum(tuple(terms), text)


def _term(found: re.Match[str]) -> Term | None:
    whole, above, below = found["whole"], found["above"], found["below"]
    if above is not None and not int(below):
        return None
    size = Fraction(int(above), int(below)) if above is not None else Fraction(int(whole or 1))
    coefficient = -size if found["sign"] == "-" else size
    if not coefficient:
        return None
    if found["radicand"]:
        return Term(coefficient, r"\sqrt", int(found["radicand"])) if int(found["radicand"]) else None
    if found["pi"]:
        return Term(coefficient, r"\pi")
    if found["variable"]:
        exponent = int(found["digit"] or found["digits"] or 1)
        return Term(coefficient, found["variable"], exponent) if exponent else None
    return Term(coefficient, "") if whole or above else None


def _read_items(text: str) -> Items | None:
    found = _BRACKETED.fullmatch(text)
    if found is None:
        return None
    brackets = (found["open"], found["close"])
    if (brackets[0] == r"\{") != (brackets[1] == r"\}"):
        return None
    parts = [part.strip() for part in found["inside"].split(",")]
    has_infinite_end = not _INFINITE.isdisjoint(parts)
    is_mixed_or_square = "[" in brackets or "]" in brackets
    if len(parts) < 2 or ((has_infinite_end or is_mixed_or_square) and len(parts) != 2):
        return None
    items: list[Number | Sum | Words] = []
    for part in parts:
        item = Words(part) if part in _INFINITE else _read_number(part) or _read_sum(part)
        if item is None:
            return None
        items.append(item)
    kind = "interval" if has_infinite_end or is_mixed_or_square else "tuple" if brackets[0] == "(" else "set"
    return Items(kind, brackets, tuple(items), text)
