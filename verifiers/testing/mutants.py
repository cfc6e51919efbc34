r"""Wrong answers near a target, each with a name: what a verifier must refuse.

Each differs from the target for certain: by its exact value, by the coefficient of an atom that stands once, by a
bracket or by order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from .answers import Answer, Items, Letter, Number, Sum, Term, Words, decimal_text, read_answer
from .writing import frac, joined, latex

__all__ = ["CONVENTIONAL_MUTANTS", "MUTANTS", "Mutant", "mutants"]

MUTANTS: dict[str, str] = {
    "plus_one": "one more; of a fraction and a decimal too",
    "minus_one": "one less",
    "negated": "the other sign",
    "times_ten": "ten times as much",
    "tenth": "a tenth, of a decimal",
    "last_digit": "the last digit changed by one",
    "first_digit": "the first digit changed by one",
    "digit_dropped": "the last digit left out",
    "inverted": r"`\frac{b}{a}` for `\frac{a}{b}`",
    "numerator": "one more above the line",
    "denominator": "one more below the line",
    "above_the_line": r"the numerator alone",
    "coefficient": "one more in front of a term of a sum",
    "sign_of_a_term": "another sign before one term",
    "term_dropped": "a term of a sum left out",
    "radicand": "another number under the root",
    "exponent": "another exponent",
    "order": "the values of a tuple, or the ends of an interval, in another order",
    "bracket": "another bracket: `[0,1]` for `[0,1)`, a set for a tuple",
    "item_dropped": "one of several values left out",
    "item_added": "one value more",
    "item_plus_one": "one of several values mutated; likewise `item_negated`, `item_inverted`, …",
    "other_letter": "another choice",
    "two_letters": "the choice and another one",
    "other_words": "other words",
    "denied": r"`\text{not } x`",
    "hedged": "the answer or another one",
    "not_equal": r"`\neq 5`",
    "at_least": r"`x \ge 5`",
    "empty": "nothing",
    "percent": r"`5\%` for `5` (convention)",
    "rounded": "`0.333` for a third (convention)",
    "square_brackets": "`[1,2]`, an interval, for `(1,2)` (convention)",
}
"""Every mutant by name, with what it is."""

CONVENTIONAL_MUTANTS = frozenset(name for name, meaning in MUTANTS.items() if meaning.endswith("(convention)"))


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer.

    Args:
        name: a key of `MUTANTS`, or `item_` and one.
        text: the answer.
    """

    name: str
    text: str

    @property
    def is_convention(self) -> bool:
        return self.name in CONVENTIONAL_MUTANTS


def mutants(target: str, *, conventions: bool = False) -> tuple[Mutant, ...]:
    r"""Wrong answers near `target`.

    Args:
        target: an answer, in a pair of `$` or bare.
        conventions: those too that some verifiers accept on purpose.

    Example:
        >>> [mutant.text for mutant in mutants(r"\frac{1}{2}")][:4]
        ['\\frac{3}{2}', '-\\frac{1}{2}', '5', '2']
    """
    seen: dict[str, Mutant] = {}
    for mutant in _all(read_answer(target)):
        if conventions or not mutant.is_convention:
            seen.setdefault(mutant.text, mutant)
    return tuple(seen.values())


def _all(answer: Answer) -> Iterator[Mutant]:
    yield from _OF_KIND[type(answer)](answer)
    yield Mutant("denied", rf"\text{{not }}{answer.text}")
    yield Mutant("empty", "")


def _of_number(number: Number) -> Iterator[Mutant]:
    value, text = number.value, number.text
    yield from _number_alone(number)
    yield Mutant("hedged", rf"{text} \text{{ or }} {_written(value + 1, number)}")
    yield Mutant("not_equal", rf"\neq {text}")
    yield Mutant("at_least", rf"x \ge {text}")
    if value:
        yield Mutant("percent", rf"{text}\%")
    if decimal_text(value) is None:
        yield Mutant("rounded", f"{float(value):.3f}")


def _number_alone(number: Number) -> Iterator[Mutant]:
    """Those that may stand among others, between commas, too."""
    value = number.value
    for name, changed in _values(number):
        if changed != value:
            yield Mutant(name, _written(changed, number))


def _values(number: Number) -> Iterator[tuple[str, Fraction]]:
    value = number.value
    yield "plus_one", value + 1
    if number.form == "fraction":
        yield from _fraction_values(number)
        return
    yield "minus_one", value - 1
    yield "negated", -value
    yield "times_ten", value * 10
    digits = [place for place, one in enumerate(number.text) if one.isdigit()]
    for name, place in (("last_digit", digits[-1]), ("first_digit", digits[0])):
        digit = int(number.text[place])
        changed = number.text[:place] + str(digit - 1 if digit else 1) + number.text[place + 1 :]
        yield name, Fraction(changed.replace(",", ""))
    if number.form == "decimal":
        yield "tenth", value / 10
    elif len(digits) > 1:
        yield "digit_dropped", Fraction(number.text[:-1].replace(",", ""))


def _fraction_values(number: Number) -> Iterator[tuple[str, Fraction]]:
    value = number.value
    yield "negated", -value
    yield "times_ten", value * 10
    if value:
        yield "inverted", 1 / value
    yield "numerator", value + Fraction(1, value.denominator)
    yield "denominator", Fraction(value.numerator, value.denominator + 1)
    yield "above_the_line", Fraction(value.numerator)


def _written(value: Fraction, like: Number) -> str:
    """`value` in the notation of `like`, or in the next that can say it."""
    if value.denominator == 1 and like.form != "decimal":
        return str(value.numerator)
    decimal = decimal_text(value) if like.form == "decimal" else None
    return decimal or frac(value)


def _of_sum(value: Sum) -> Iterator[Mutant]:
    yield from _sum_alone(value)
    yield Mutant("hedged", rf"{value.text} \text{{ or }} {joined(_changed(value.terms, 0), latex)}")


def _sum_alone(value: Sum) -> Iterator[Mutant]:
    terms = value.terms
    for place, term in enumerate(terms):
        yield Mutant("coefficient", joined(_changed(terms, place), latex))
        flipped = Term(-term.coefficient, term.atom, term.argument)
        name = "sign_of_a_term" if len(terms) > 1 else "negated"
        yield Mutant(name, joined((*terms[:place], flipped, *terms[place + 1 :]), latex))
        if len(terms) > 1:
            yield Mutant("term_dropped", joined((*terms[:place], *terms[place + 1 :]), latex))
        if term.atom == r"\sqrt" or term.atom.isalpha():
            other = Term(term.coefficient, term.atom, term.argument + 1)
            # Beside a term of the same atom the two would be one, or cancel.
            if all((one.atom, one.argument) != (other.atom, other.argument) for one in terms):
                name = "radicand" if term.atom == r"\sqrt" else "exponent"
                yield Mutant(name, joined((*terms[:place], other, *terms[place + 1 :]), latex))


def _changed(terms: tuple[Term, ...], place: int) -> tuple[Term, ...]:
    """One more in front of a term; two where one more would leave nothing of it."""
    term = terms[place]
    more = term.coefficient + 1 or term.coefficient + 2
    return (*terms[:place], Term(more, term.atom, term.argument), *terms[place + 1 :])


def _of_items(answer: Items) -> Iterator[Mutant]:
    texts = [item.text for item in answer.items]
    opening, closing = answer.brackets
    if answer.kind != "set" and not _is_same(answer.items[0], answer.items[-1]):
        swapped = [texts[-1], *texts[1:-1], texts[0]]
        yield Mutant("order", f"{opening}{','.join(swapped)}{closing}")
    yield from _brackets(answer, texts)
    if answer.kind == "set" and any(_is_same(*pair) for pair in combinations(answer.items, 2)):
        return  # one of two equal members may change, and the set stay what it was
    for place, item in enumerate(answer.items):
        for mutant in _alone(item):
            changed = ",".join([*texts[:place], mutant.text, *texts[place + 1 :]])
            yield Mutant(f"item_{mutant.name}", f"{opening}{changed}{closing}")
        if answer.kind != "interval" and len(texts) > 2:
            yield Mutant("item_dropped", f"{opening}{','.join(texts[:place] + texts[place + 1 :])}{closing}")
    if answer.kind != "interval":
        largest = max((abs(item.value) for item in answer.items if isinstance(item, Number)), default=Fraction(0))
        yield Mutant("item_added", f"{opening}{','.join(texts)},{int(largest) + 7}{closing}")


def _brackets(answer: Items, texts: list[str]) -> Iterator[Mutant]:
    inside = ",".join(texts)
    if answer.kind == "tuple":
        yield Mutant("bracket", rf"\{{{inside}\}}")
        if len(texts) == 2:  # around more values square brackets say nothing else than round ones
            yield Mutant("square_brackets", f"[{inside}]")
    elif answer.kind == "set":
        yield Mutant("bracket", f"({inside})")
    else:
        opening, closing = answer.brackets
        other = {"(": "[", "[": "(", ")": "]", "]": ")"}
        if "\\infty" not in texts[0]:
            yield Mutant("bracket", f"{other[opening]}{inside}{closing}")
        if "\\infty" not in texts[-1]:
            yield Mutant("bracket", f"{opening}{inside}{other[closing]}")


def _alone(item: Number | Sum | Words) -> Iterator[Mutant]:
    if isinstance(item, Number):
        yield from _number_alone(item)
    elif isinstance(item, Sum):
        yield from _sum_alone(item)
    else:
        sign = "" if item.text.startswith("-") else "-"
        yield Mutant("negated", sign + item.text.lstrip("+-"))


def _is_same(one: Number | Sum | Words, other: Number | Sum | Words) -> bool:
    """Whether the two may be equal; of sums nothing but their text is compared, which is right but for order."""
    if isinstance(one, Number) and isinstance(other, Number):
        return one.value == other.value
    if isinstance(one, Sum) and isinstance(other, Sum):
        return set(one.terms) == set(other.terms)
    return one.text == other.text


def _of_letter(letter: Letter) -> Iterator[Mutant]:
    following = "B" if letter.text == "A" else chr(ord(letter.text) - 1)
    yield Mutant("other_letter", following)
    yield Mutant("two_letters", f"{letter.text}, {following}")
    yield Mutant("hedged", rf"{letter.text} \text{{ or }} {following}")


def _of_words(words: Words) -> Iterator[Mutant]:
    yield Mutant("other_words", "none of it" if words.text.casefold() != "none of it" else "all of it")


_OF_KIND: dict[type, Callable[..., Iterator[Mutant]]] = {
    Number: _of_number,
    Sum: _of_sum,
    Items: _of_items,
    Letter: _of_letter,
    Words: _of_words,
}
