r"""Numbers and sums written in one notation or another; each writer of a term leaves its sign to `joined`."""

from collections.abc import Callable
from fractions import Fraction

from .answers import Term, decimal_text

__all__ = ["braced", "dotted", "frac", "joined", "latex", "plain", "scientific", "unicode"]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def frac(value: Fraction) -> str:
    return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def scientific(value: Fraction) -> str | None:
    """`value` as digits times a power of ten, where that is shorter than two more zeros."""
    text = decimal_text(abs(value))
    if not value or text is None:
        return None
    digits = text.replace(".", "").strip("0")
    point = text.find(".") if "." in text else len(text)
    first = next(place for place, one in enumerate(text.replace(".", "")) if one != "0")
    exponent = point - first - 1
    if abs(exponent) < 3 or len(digits) > 6:
        return None
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return rf"{'-' if value < 0 else ''}{mantissa}\times10^{{{exponent}}}"


def joined(terms: tuple[Term, ...], write: Callable[[Term], str], space: str = "") -> str:
    """The terms as a sum: `write` gives each without its sign."""
    pieces = [f"-{write(terms[0])}" if terms[0].coefficient < 0 else write(terms[0])]
    for term in terms[1:]:
        pieces += ["-" if term.coefficient < 0 else "+", write(term)]
    return space.join(pieces)


def latex(term: Term, *, times: str = "", braces: bool = False) -> str:
    atom = _latex_atom(term, braces=braces)
    size = abs(term.coefficient)
    if size == 1 and atom:
        return atom
    number = str(size) if size.denominator == 1 else rf"\frac{{{size.numerator}}}{{{size.denominator}}}"
    return f"{number}{times}{atom}" if atom else number


def _latex_atom(term: Term, *, braces: bool) -> str:
    if term.atom == r"\sqrt":
        return rf"\sqrt{{{term.argument}}}"
    if term.argument == 1:
        return term.atom
    is_braced = braces or term.argument > 9
    return f"{term.atom}^{{{term.argument}}}" if is_braced else f"{term.atom}^{term.argument}"


def braced(term: Term) -> str:
    return latex(term, braces=True)


def dotted(term: Term) -> str:
    return latex(term, times=r"\cdot ")


def plain(term: Term) -> str:
    size = abs(term.coefficient)
    power = "" if term.argument == 1 else f"^{term.argument}"
    atom = {"": "", r"\pi": "pi", r"\sqrt": f"sqrt({term.argument})"}.get(term.atom, term.atom + power)
    if size == 1 and atom:
        return atom
    number = str(size) if size.denominator == 1 or not atom else f"({size})"
    return f"{number}*{atom}" if atom else number


def unicode(term: Term) -> str:
    size = abs(term.coefficient)
    power = "" if term.argument == 1 else str(term.argument).translate(_SUPERSCRIPTS)
    # √12 needs no brackets only because its radicand is digits.
    atom = {"": "", r"\pi": "π", r"\sqrt": f"√{term.argument}"}.get(term.atom, term.atom + power)
    if size == 1 and atom:
        return atom
    if size.denominator == 1:
        return f"{size}{atom}"
    return rf"\frac{{{size.numerator}}}{{{size.denominator}}}{atom}"
