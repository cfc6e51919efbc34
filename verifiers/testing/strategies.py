r"""Hypothesis strategies for targets, their rewrites and mutants, and completions.

Each shrinks to what is easiest to read: small numbers, the plainest anchor, nothing around it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ...errors import ArgumentError
from .answers import Term
from .completions import ANCHORS, SURROUNDINGS, Wrapped, wrapped
from .floods import FLOODS, TOKENS, Flood
from .mutants import Mutant, mutants
from .rewrites import Rewrite, rewrites
from .writing import frac, joined, latex

__all__ = [
    "KINDS", "choices", "completions", "decimals", "expressions", "floods", "fractions", "integers", "intervals",
    "mutated", "rewritten", "sets", "targets", "tuples", "words", "wraps",
]  # fmt: skip


def integers() -> SearchStrategy[str]:
    """Whole numbers, small ones often, up to 30 digits."""
    return st.one_of(st.integers(-20, 20), st.integers(-(10**6), 10**6), st.integers(-(10**30), 10**30)).map(str)


def fractions() -> SearchStrategy[str]:
    r"""Reduced fractions that are no whole numbers: `\frac{1}{2}`, `-\frac{7}{3}`."""
    return _fractions().map(frac)


def decimals() -> SearchStrategy[str]:
    """Decimals of one to six places: `0.5`, `-12.250`."""
    whole = st.one_of(st.integers(0, 9), st.integers(0, 10**6))
    digits = st.text("0123456789", min_size=1, max_size=6)
    return st.builds(lambda sign, *parts: sign + ".".join(map(str, parts)), st.sampled_from(["", "-"]), whole, digits)


def expressions() -> SearchStrategy[str]:
    r"""Sums of one to three terms, with roots, `\pi` and a variable: `2\sqrt{3}`, `x^2-3x+1`."""
    return st.one_of(_sums(_numeric_atoms()), _sums(_variable_atoms()))


def tuples() -> SearchStrategy[str]:
    r"""Two to four values in order: `(1,-\frac{1}{2})`."""
    return st.lists(_values(), min_size=2, max_size=4).map(lambda values: f"({','.join(values)})")


def sets() -> SearchStrategy[str]:
    r"""Two to four different whole numbers: `\{1,2\}`."""
    values = st.lists(st.integers(-999, 999), min_size=2, max_size=4, unique=True)
    return values.map(lambda values: rf"\{{{','.join(map(str, values))}\}}")


def intervals() -> SearchStrategy[str]:
    r"""Half-open, closed and unbounded intervals: `[0,1)`, `(-\infty,3]`."""
    ends = st.tuples(st.integers(-99, 99), st.integers(1, 99)).map(lambda pair: (pair[0], sum(pair)))
    bounded = st.builds(lambda ends, brackets: f"{brackets[0]}{ends[0]},{ends[1]}{brackets[1]}", ends, _BRACKETS)
    below = st.builds(lambda end, bracket: rf"(-\infty,{end}{bracket}", st.integers(-99, 99), st.sampled_from(")]"))
    above = st.builds(lambda end, bracket: rf"{bracket}{end},\infty)", st.integers(-99, 99), st.sampled_from("(["))
    return st.one_of(bounded, below, above)


_BRACKETS = st.sampled_from(["[)", "(]", "[]"])


def choices() -> SearchStrategy[str]:
    """Letters A to E."""
    return st.sampled_from("ABCDE")


def words() -> SearchStrategy[str]:
    """Answers that are words."""
    return st.sampled_from(["even", "odd", "Tuesday", "Evelyn", "ellipse", "blue whale", "parabola"])


KINDS: dict[str, Callable[[], SearchStrategy[str]]] = {
    "integer": integers,
    "fraction": fractions,
    "decimal": decimals,
    "expression": expressions,
    "tuple": tuples,
    "set": sets,
    "interval": intervals,
    "choice": choices,
    "words": words,
}
"""The kinds of targets, by name."""

MATHS = ("integer", "fraction", "decimal", "expression", "tuple", "set", "interval")
"""The kinds that the laws draw from unless told otherwise."""


@lru_cache(maxsize=64)
def targets(*kinds: str) -> SearchStrategy[str]:
    """Targets of the kinds named; of all that are mathematics where none is.

    Raises:
        ArgumentError: there is no such kind.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise ArgumentError(f"kinds: expected names among {', '.join(KINDS)}, got {', '.join(unknown)}")
    return st.one_of([KINDS[kind]() for kind in kinds or MATHS])


def rewritten(target: str, *, conventions: bool = False, without: Sequence[str] = ()) -> SearchStrategy[Rewrite]:
    """Other notations of `target`, itself among them (`rewrites`)."""
    found = rewrites(target, conventions=conventions)
    return st.sampled_from([found[0], *(one for one in found[1:] if one.name not in without)])


def mutated(target: str, *, conventions: bool = False, without: Sequence[str] = ()) -> SearchStrategy[Mutant]:
    """Wrong answers near `target` (`mutants`)."""
    found = [one for one in mutants(target, conventions=conventions) if one.name not in without]
    return st.sampled_from(found) if found else st.nothing()


def wraps(
    answer: Rewrite | Mutant | str,
    *,
    anchors: Sequence[str] = tuple(ANCHORS),
    surroundings: Sequence[str] = tuple(SURROUNDINGS),
    decoy: str = "1",
) -> SearchStrategy[Wrapped]:
    """Completions that commit to `answer`, by the anchors that can hold it.

    Args:
        answer: what the completion commits to.
        anchors: keys of `completions.ANCHORS`.
        surroundings: keys of `completions.SURROUNDINGS`.
        decoy: an answer that it does not commit to, where the surrounding has one.
    """
    text = answer if isinstance(answer, str) else answer.text
    fitting = [name for name in anchors if not isinstance(answer, Rewrite) or ANCHORS[name].can_hold(answer)]
    ways = [(anchor, surrounding) for surrounding in surroundings for anchor in fitting or anchors]
    return st.sampled_from(ways).map(lambda way: wrapped(text, anchor=way[0], surrounding=way[1], decoy=decoy))


def completions() -> SearchStrategy[str]:
    """Any text at all: of any characters, full of anchors and their ruins, wrapped answers cut off anywhere."""
    ruins = st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=8)), max_size=24).map("".join)
    whole = targets(*KINDS).flatmap(wraps).map(lambda wrapped: wrapped.text)
    cut_off = st.builds(lambda text, length: text[:length], whole, st.integers(0, 200))
    return st.one_of(st.text(max_size=200), ruins, cut_off)


def floods() -> SearchStrategy[Flood]:
    """A few tokens repeated thousands of times, and the named ones of `floods.FLOODS`: what must not cost much."""
    token = st.sampled_from(TOKENS)
    pump = st.lists(token, min_size=1, max_size=3).map("".join)
    pumped = st.builds(Flood, st.just("pumped"), token, pump, st.sampled_from([30, 4_000]), token)
    return st.one_of(st.sampled_from(FLOODS), pumped)


def _fractions() -> SearchStrategy[Fraction]:
    return st.builds(Fraction, st.integers(-99, 999), st.integers(2, 99)).filter(lambda one: one.denominator > 1)


def _values() -> SearchStrategy[str]:
    return st.one_of(st.integers(-999, 999).map(str), _fractions().map(frac), st.sampled_from([r"\pi", r"2\sqrt{3}"]))


def _numeric_atoms() -> SearchStrategy[tuple[str, int]]:
    # Of square-free numbers, so that no root is a whole number or a part of another.
    roots = st.sampled_from([2, 3, 5, 6, 7, 10, 11]).map(lambda number: (r"\sqrt", number))
    return st.one_of(roots, st.just((r"\pi", 1)))


def _variable_atoms() -> SearchStrategy[tuple[str, int]]:
    return st.integers(1, 12).map(lambda exponent: ("x", exponent))


def _sums(atoms: SearchStrategy[tuple[str, int]]) -> SearchStrategy[str]:
    coefficients = st.one_of(st.integers(-20, 20).map(Fraction), _fractions()).filter(bool)
    pairs = st.tuples(coefficients, st.one_of(atoms, st.just(_CONSTANT)))
    # No atom twice: two terms of it would be one.
    several = st.lists(pairs, min_size=1, max_size=3, unique_by=lambda pair: pair[1])
    sums = several.filter(lambda chosen: [atom for _, atom in chosen] != [_CONSTANT])
    return sums.map(lambda chosen: joined(tuple(Term(size, *atom) for size, atom in chosen), latex))


_CONSTANT = ("", 1)
