"""Equations one after another: whether what is made of an equation keeps its solutions.

Only neighbours are compared, in the same letters, and only where the words between them lead on from the one to the
other. An equation of one letter has its solutions to itself, so that no more is asked than that nothing else begins
between the two. Of several letters there may be several equations: there a manipulation of the one before must be
named, and the new one must be none of those known, nor a sum of multiples of them. Once two equations of a letter
differ and may, as those of two cases or two numbers do, nothing more is refuted of that letter: which of them the next
one comes from is not said.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.tree import Symbol, Tree, free_symbols
from .equations import agree, only_solution, zeros
from .polynomials import Monomial, Polynomial, letters_of, value_at
from .statements import Statement
from .words import defines, leaves_open, lists, manipulates, substitutes

__all__ = ["Derivation", "Derivations"]

_MOST_KNOWN = 40
_MOST_COMPARED = 600
_MOST_BETWEEN = 600
_ROUNDING = Fraction(1, 50)
"""Two solutions no farther apart than this share may be one of them rounded, where decimals are about."""


class Derivation(NamedTuple):
    """What is known of an equation and the one before it.

    Args:
        holds: whether the one follows from the other; None where nothing can be said.
        premise: the equation before it, as written.
        solutions: of both, where each has one.
    """

    holds: bool | None
    premise: str = ""
    solutions: tuple[Fraction, Fraction] | None = None


_NOTHING = Derivation(None)


class _Equation(NamedTuple):
    text: str
    zeros: Polynomial
    letters: frozenset[str]
    is_value: bool


class Derivations:
    """The equations of one row in order.

    Args:
        given: what the prompt states.
    """

    def __init__(self, given: Iterable[Statement] = ()) -> None:
        self._known: list[Polynomial] = []
        self._is_contradicted = False
        for statement in given:
            if (equation := _equation(statement, "")) is not None:
                self._know(equation)
        self._premise: _Equation | None = None
        self._is_unread = False  # the statement before: `satisfying [x-2 = 0] and x+5 = 0` has two of them
        self._branching: set[str] = set()
        self._between = ""
        self._n_compared = 0

    def say(self, words: str) -> None:
        """What stands between the last statement and the next."""
        self._between = (self._between + words)[-_MOST_BETWEEN - 1 :]

    def forget(self) -> None:
        """Something that cannot be read: what follows may come from it."""
        self._premise, self._between = None, ""

    def is_known(self, left: Tree, right: Tree) -> bool:
        """Whether `left` = `right` follows from an equation before it, so that it is one to solve.

        Raises:
            CostlyError: more equations than may be compared in one row.
        """
        found = zeros(left, right)
        if found is None:
            return False
        if not letters_of(found):
            return self._is_contradicted
        return any(self._agrees(known, found) for known in self._known)

    def take(self, statement: Statement, text: str, *, is_case: bool = False) -> Derivation:
        """The next statement, as it is written in `text`, against the equation before it.

        Args:
            statement, text: the equation, or whatever it is.
            is_case: it heads what follows (`x = 2: ...`), and need not come from anything.

        Raises:
            CostlyError: more equations than may be compared in one row.
        """
        equation = _equation(statement, text)
        if equation is None:
            if not _says_nothing(statement):
                self.forget()
                self._is_unread = True
            return _NOTHING
        derivation = self._derived(equation, is_case=is_case) if equation.letters else _NOTHING
        if self._is_unread and lists(self._between):
            self._branch(equation)
        self._premise, self._between, self._is_unread = equation, "", False
        self._know(equation)
        return derivation

    def _know(self, equation: _Equation) -> None:
        # `2x+3 = 2x+5` has no solution, and whatever is made of it has none.
        self._is_contradicted = self._is_contradicted or not equation.letters
        self._known = [*self._known[-_MOST_KNOWN + 1 :], equation.zeros]

    def _derived(self, equation: _Equation, *, is_case: bool) -> Derivation:
        premise, between = self._premise, self._between
        if premise is None or premise.letters != equation.letters or premise.is_value or len(between) > _MOST_BETWEEN:
            return _NOTHING
        if (holds := self._agrees(premise.zeros, equation.zeros)) is not False:
            return Derivation(holds, premise.text)
        if is_case or leaves_open(between) or any(defines(between, name) for name in equation.letters):
            self._branch(equation)
            return _NOTHING
        if len(equation.letters) > 1:
            is_made = manipulates(between) and not substitutes(between) and not self._is_sum(equation)
            return Derivation(False, premise.text) if is_made else _NOTHING
        if not self._branching.isdisjoint(equation.letters):
            return _NOTHING
        before, after = only_solution(premise.zeros), only_solution(equation.zeros)
        has_decimals = "." in premise.text + equation.text
        if before is None or after is None:
            is_root = after is not None and _may_be_root(premise.zeros, after, has_decimals=has_decimals)
            return _NOTHING if is_root else Derivation(False, premise.text)
        if _may_be_rounded(before, after, has_decimals=has_decimals):
            return _NOTHING
        return Derivation(False, premise.text, (before, after))

    def _branch(self, equation: _Equation) -> None:
        # Several equations of several letters are a system; of one letter they are two cases, or two numbers.
        self._branching |= equation.letters if len(equation.letters) == 1 else frozenset()

    def _is_sum(self, equation: _Equation) -> bool:
        """Whether it is known, or a sum of multiples of what is."""
        return any(self._agrees(known, equation.zeros) for known in self._known) or _is_spanned(
            equation.zeros, self._known
        )

    def _agrees(self, known: Polynomial, found: Polynomial) -> bool | None:
        self._n_compared += 1
        if self._n_compared > _MOST_COMPARED:
            raise CostlyError("more equations than are compared")
        return agree(known, found)


def _equation(statement: Statement, text: str) -> _Equation | None:
    """The equation that a chain is: of two sides, or `x = 7 - 3 = 4`, whose other sides compute the last."""
    trees = [tree for tree in statement.trees if tree is not None]
    is_one = len(trees) == 2 or not any(map(free_symbols, trees[1:]))
    if len(trees) < len(statement.trees) or set(statement.signs) != {"="} or not is_one:
        return None
    found = zeros(trees[0], trees[-1])
    names = letters_of(found) if found else frozenset()
    if not found or not (names or free_symbols(*trees)):
        return None
    return _Equation(text, found, names, len(names) == 1 and isinstance(trees[0], Symbol))


def _says_nothing(statement: Statement) -> bool:
    """Whether a chain holds of any numbers, or of none with a letter, so that no equation comes from it."""
    trees = statement.trees
    if None in trees or set(statement.signs) != {"="}:
        return False
    known = [tree for tree in trees if tree is not None]
    return not any(map(free_symbols, known)) or all(zeros(*pair) == {} for pair in pairwise(known))


def _may_be_rounded(exact: Fraction, written: Fraction, *, has_decimals: bool) -> bool:
    apart = abs(exact - written)
    is_whole = written.denominator == 1 and exact.denominator != 1 and apart < 1
    return is_whole or (has_decimals and apart <= _ROUNDING * max(abs(exact), abs(written)))


def _may_be_root(polynomial: Polynomial, written: Fraction, *, has_decimals: bool) -> bool:
    """Whether `written` may be an irrational root, rounded: `x = 3.16` behind `x^2 = 10`."""
    (name,) = letters_of(polynomial)
    apart = abs(written) * _ROUNDING if has_decimals else Fraction(1) if written.denominator == 1 else Fraction(0)
    ends = [value_at(polynomial, {name: written + sign * apart}) for sign in (-1, 1)]
    return ends[0] * ends[1] < 0


def _is_spanned(polynomial: Polynomial, others: Sequence[Polynomial]) -> bool:
    """Whether `polynomial` is a linear combination of `others`, term by term."""
    reduced: list[tuple[Monomial, Polynomial]] = []

    def rest_of(one: Polynomial) -> Polynomial:
        for pivot, basis in reduced:
            if pivot in one:
                factor = one[pivot] / basis[pivot]
                one = {
                    term: size
                    for term in one.keys() | basis.keys()
                    if (size := one.get(term, Fraction(0)) - factor * basis.get(term, Fraction(0)))
                }
        return one

    for other in others:
        if rest := rest_of(other):
            reduced.append((min(rest), rest))
    return not rest_of(polynomial)
