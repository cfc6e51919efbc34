r"""Other notations of a target, each with a name: what a verifier must accept if it accepts the target.

Nobody disagrees on most of them; those on which careful people do are *conventions*, asked for apart.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .answers import Answer, Items, Letter, Number, Sum, Words, decimal_text, read_answer
from .writing import braced, dotted, frac, joined, latex, plain, scientific, unicode

__all__ = ["CONVENTIONS", "REWRITES", "Rewrite", "rewrites"]

REWRITES: dict[str, str] = {
    "as_written": "the target itself",
    "dollars": r"`$x$`, where no math mode is open yet",
    "parentheses": r"`\(x\)`, where no math mode is open yet",
    "spaces": r"spaces around it, its commas and its `+` and `-`",
    "text": r"`\text{x}`, of numbers without a command, letters and words",
    "bold": r"`\mathbf{x}`, of numbers; `\textbf{x}`, of letters and words",
    "braces": "`{x}`",
    "left_right": r"`\left(…\right)` around a sum, or for the brackets that are there",
    "thousands_comma": "`12,345`",
    "thousands_braces": "`12{,}345`",
    "thousands_thin_space": r"`12\,345`",
    "point_zero": "`5.0` for `5`",
    "trailing_zero": "`0.50` for `0.5`",
    "no_leading_zero": "`.5` for `0.5`",
    "scientific": r"`1.5\times10^{3}`",
    "unicode_minus": "`−5`",
    "dfrac": r"`\dfrac{a}{b}` or `\frac{a}{b}`, whichever the target is not",
    "slash": "`a/b`",
    "bare_frac": r"`\frac12`, of single digits",
    "sign_above": r"`\frac{-1}{2}` for `-\frac{1}{2}`, or the other way round",
    "as_decimal": "`0.5` for a half, where the decimal ends",
    "as_fraction": r"`\frac{1}{2}` for `0.5`",
    "plain": "`2*sqrt(3)`, `x^2`, `pi`: LaTeX as one would type it",
    "dot": r"`2\cdot x`",
    "exponent_braces": "`x^{2}` or `x^2`, whichever the target is not",
    "unicode": "`2√3`, `3π`, `x²`",
    "reordered": r"the terms of a sum or the members of a set in another order",
    "item_dfrac": "one of several values rewritten so; likewise `item_slash`, `item_as_decimal`, …",
    "choice_parentheses": "`(B)`",
    "choice_period": "`B.`",
    "plus": "`+5` (convention)",
    "thousands_space": "`12 345` (convention)",
    "unreduced": r"`\frac{2}{4}` for `\frac{1}{2}` (convention)",
    "mixed": r"`1\frac{1}{2}` (convention)",
    "label": "`x = 5` (convention)",
    "full_width": "`５` (convention)",
    "inequality": r"`0 \le x < 1` for an interval (convention)",
    "under_the_root": r"`\sqrt{12}` for `2\sqrt{3}` (convention)",
}
"""Every rewrite by name, with what it is."""

CONVENTIONS = frozenset(name for name, meaning in REWRITES.items() if meaning.endswith("(convention)"))

_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_MATH_MARKS = frozenset({"math"})
_STARS = frozenset({"stars"})


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another notation.

    Args:
        name: a key of `REWRITES`.
        text: the answer so written.
        not_within: places where it cannot stand: `"math"` (an open math mode), `"stars"` (markdown's bold).
    """

    name: str
    text: str
    not_within: frozenset[str] = frozenset()

    @property
    def is_convention(self) -> bool:
        return self.name in CONVENTIONS


def rewrites(target: str, *, conventions: bool = False) -> tuple[Rewrite, ...]:
    r"""Other notations of `target`, itself first; of words that the grammar does not know, few.

    Args:
        target: an answer, in a pair of `$` or bare.
        conventions: those on which careful people disagree too.

    Example:
        >>> [rewrite.text for rewrite in rewrites(r"\frac{1}{2}")][-4:]
        ['\\dfrac{1}{2}', '1/2', '\\frac12', '0.5']
    """
    answer = read_answer(target)
    seen: dict[str, Rewrite] = {}
    for rewrite in _all(answer):
        if conventions or not rewrite.is_convention:
            seen.setdefault(rewrite.text, rewrite)
    return tuple(seen.values())


def _all(answer: Answer) -> Iterator[Rewrite]:
    text = answer.text
    yield Rewrite("as_written", text)
    if not isinstance(answer, Words | Letter):
        yield Rewrite("dollars", f"${text}$", _MATH_MARKS)
        yield Rewrite("parentheses", rf"\({text}\)", _MATH_MARKS)
        yield Rewrite("braces", f"{{{text}}}")
    is_simple = "\\" not in text
    if is_simple and isinstance(answer, Number | Letter | Words):
        yield Rewrite("text", rf"\text{{{text}}}")
        yield Rewrite("bold", rf"\mathbf{{{text}}}" if isinstance(answer, Number) else rf"\textbf{{{text}}}")
    yield from _OF_KIND[type(answer)](answer)


def _of_number(number: Number) -> Iterator[Rewrite]:
    yield Rewrite("spaces", f" {number.text} ")
    yield from _number_alone(number)
    value, sign = number.value, "-" if number.value < 0 else ""
    whole = str(abs(value.numerator))
    if number.form == "integer" and len(whole) > 3:
        groups = f"{abs(value.numerator):,}"
        yield Rewrite("thousands_comma", sign + groups)
        yield Rewrite("thousands_braces", sign + groups.replace(",", "{,}"))
        yield Rewrite("thousands_thin_space", sign + groups.replace(",", r"\,"))
        yield Rewrite("thousands_space", sign + groups.replace(",", " "))
    if value > 0 and number.form != "fraction":
        yield Rewrite("plus", f"+{number.text}")
    yield Rewrite("label", f"x = {number.text}")


def _number_alone(number: Number) -> Iterator[Rewrite]:
    """Those that may stand among others, between commas, too."""
    value, text, sign = number.value, number.text, "-" if number.value < 0 else ""
    if number.form == "integer" and "," not in text:
        yield Rewrite("point_zero", f"{text}.0")
    if number.form == "decimal":
        yield Rewrite("trailing_zero", f"{text}0")
        if abs(value) < 1 and text.lstrip("-").startswith("0."):
            yield Rewrite("no_leading_zero", sign + text.lstrip("-")[1:])
        if value.denominator > 1:
            yield Rewrite("as_fraction", frac(value))
    if number.form != "fraction" and (power := scientific(value)):
        yield Rewrite("scientific", power)
    if sign:
        yield Rewrite("unicode_minus", text.replace("-", "−"))
    if number.form == "fraction":
        yield from _of_fraction(number)
    if number.form != "fraction" or "/" in text:
        yield Rewrite("full_width", text.translate(_FULL_WIDTH))


def _of_fraction(number: Number) -> Iterator[Rewrite]:
    value, sign = number.value, "-" if number.value < 0 else ""
    above, below = _parts(number)
    usual = rf"\frac{{{above}}}{{{below}}}"
    if r"\frac" in number.text:
        yield Rewrite("dfrac", rf"{sign}\dfrac{{{above}}}{{{below}}}")
        yield Rewrite("slash", f"{sign}{above}/{below}")
    else:
        yield Rewrite("dfrac", sign + usual)
    if len(f"{above}{below}") == 2:
        yield Rewrite("bare_frac", rf"{sign}\frac{above}{below}")
    if sign:
        yield Rewrite("sign_above", rf"\frac{{-{above}}}{{{below}}}" if number.text.startswith("-") else f"-{usual}")
    if decimal := decimal_text(value):
        yield Rewrite("as_decimal", decimal)
    yield Rewrite("unreduced", rf"{sign}\frac{{{2 * above}}}{{{2 * below}}}")
    whole, rest = divmod(abs(value.numerator), value.denominator)
    if whole and rest:
        yield Rewrite("mixed", rf"{sign}{whole}\frac{{{rest}}}{{{value.denominator}}}")


def _of_sum(value: Sum) -> Iterator[Rewrite]:
    terms = value.terms
    yield Rewrite("spaces", f" {joined(terms, latex, ' ')} ")
    if len(terms) > 1:
        yield Rewrite("left_right", rf"\left({value.text}\right)")
    yield from _sum_alone(value)
    # A variable before the sign would be read as a function's argument or another unknown.
    if not any(term.atom.isalpha() for term in terms):
        yield Rewrite("label", f"x = {value.text}")


def _sum_alone(value: Sum) -> Iterator[Rewrite]:
    terms = value.terms
    yield Rewrite("plain", joined(terms, plain), _STARS)
    yield Rewrite("dot", joined(terms, dotted))
    for write in (latex, braced):
        yield Rewrite("exponent_braces", joined(terms, write))
    yield Rewrite("unicode", joined(terms, unicode))
    yield Rewrite("dfrac", joined(terms, latex).replace(r"\frac", r"\dfrac"))
    if len(terms) > 1:
        yield Rewrite("reordered", joined(terms[::-1], latex))
    if len(terms) == 1 and (only := terms[0]).atom == r"\sqrt" and only.coefficient in range(2, 1000):
        yield Rewrite("under_the_root", rf"\sqrt{{{only.coefficient.numerator**2 * only.argument}}}")


def _of_items(answer: Items) -> Iterator[Rewrite]:
    texts = [item.text for item in answer.items]
    opening, closing = answer.brackets
    yield Rewrite("spaces", f"{opening} {' , '.join(texts)} {closing}")
    yield Rewrite("spaces", f"{opening}{', '.join(texts)}{closing}")
    yield Rewrite("left_right", rf"\left{opening}{','.join(texts)}\right{closing}")
    if answer.kind == "set":
        yield Rewrite("reordered", f"{opening}{','.join(texts[::-1])}{closing}")
    for place, item in enumerate(answer.items):
        for rewrite in _alone(item):
            changed = ",".join([*texts[:place], rewrite.text, *texts[place + 1 :]])
            name = rewrite.name if rewrite.is_convention else f"item_{rewrite.name}"
            yield Rewrite(name, f"{opening}{changed}{closing}", rewrite.not_within)
    if answer.kind == "interval" and (inequality := _inequality(answer)):
        yield Rewrite("inequality", inequality)


def _alone(item: Number | Sum | Words) -> Iterator[Rewrite]:
    if isinstance(item, Number):
        yield from _number_alone(item)
    elif isinstance(item, Sum):
        yield from _sum_alone(item)


def _inequality(interval: Items) -> str | None:
    low, high = (item.text for item in interval.items)
    if any("\\infty" not in end.text and not isinstance(end, Number) for end in interval.items):
        return None
    below = "" if "\\infty" in low else low + (" < " if interval.brackets[0] == "(" else r" \le ")
    above = "" if "\\infty" in high else (" < " if interval.brackets[1] == ")" else r" \le ") + high
    return f"{below}x{above}" if below or above else None


def _of_letter(letter: Letter) -> Iterator[Rewrite]:
    yield Rewrite("choice_parentheses", f"({letter.text})")
    yield Rewrite("choice_period", f"{letter.text}.")


def _of_words(words: Words) -> Iterator[Rewrite]:
    yield Rewrite("spaces", f" {words.text} ")


_OF_KIND: dict[type, Callable[..., Iterator[Rewrite]]] = {
    Number: _of_number,
    Sum: _of_sum,
    Items: _of_items,
    Letter: _of_letter,
    Words: _of_words,
}


def _parts(number: Number) -> tuple[int, int]:
    """Numerator and denominator as written, without sign: `2/4` is not reduced."""
    digits = "".join(one if one.isdigit() else " " for one in number.text).split()
    return int(digits[0]), int(digits[1])
