r"""Whether two trees have the same values: exact where arithmetic is rational, else to far more digits than chance.

Constants are evaluated once. Trees with symbols are evaluated at rational points of both signs and several
sizes: first in floats, which settle nearly every difference, then at a few of the points to 50 digits and
more. "Different" is said where the two enclosures of the values lie clearly apart; "equal" where they agree
to 30 digits wherever both are real; and None, no decision, in every other case.

Equal means: equal wherever both sides have real values. So `\ln x^2` is `2\ln x`, `x^2/x` is `x`, and
`\sqrt{x^2}` is not `x`, because both are real at -2.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from .agreement import AGREED_BITS, agree, agree_in_floats, as_digits
from .enclosures import FLOATS, DivisionByZeroError, Field, UndefinedError, Value, mp_field
from .evaluation import Budget, BudgetError, evaluate
from .kinds import has_bare_logarithm, has_branches, has_jumps, is_imaginary
from .points import rational_points, shown_point, spread_out, whole_points
from .tree import Tree, free_symbols

__all__ = ["Probe", "probe", "some_value"]

MAX_SYMBOLS = 8
OPERATIONS = 10_000
"""What one comparison may spend: an operation on exact numbers or floats counts 1, one at n bits n / 16."""

_FIRST_BITS = 192
_MOST_BITS = 3_072
_ENOUGH_POINTS = 6
_MOST_POINTS = {1: 12, 2: 12, 3: 16}
"""Agreements after which no more is asked, by the number of symbols; with more symbols all points are."""
_ENOUGH_EXACT = 8
_CONFIRMED_POINTS = 3


@dataclass(frozen=True, slots=True)
class Probe:
    """What probing found out.

    Args:
        equal: whether the two are equal; None where nothing is certain.
        reason: how that was decided, in a few words.
        values: the real values of two constants, to 45 digits; None for what is none.
    """

    equal: bool | None
    reason: str
    values: tuple[Decimal | None, Decimal | None] = (None, None)


def probe(first: Tree, second: Tree) -> Probe:
    """Whether `first` and `second` are equal.

    Example:
        >>> from rewardgate.verifiers.expression.parser import parse
        >>> [probe(parse(r"\\sqrt{x^2}"), parse(other)).equal for other in ("|x|", "x")]
        [True, False]
    """
    symbols = free_symbols(first, second)
    if len(symbols) > MAX_SYMBOLS:
        return Probe(None, f"more than {MAX_SYMBOLS} symbols")
    budget = Budget(OPERATIONS)
    try:
        if has_bare_logarithm(first, second):
            return _with_either_base(first, second, symbols, budget)
        return _Comparison(first, second, symbols, budget, decadic=False).decided()
    except BudgetError:
        return Probe(None, "too many operations")


def _with_either_base(first: Tree, second: Tree, symbols: tuple[str, ...], budget: Budget) -> Probe:
    """The decision that holds whichever base a logarithm without one has. Constants then have no certain digits."""
    natural, decadic = (
        _Comparison(first, second, symbols, budget, decadic=decadic).decided() for decadic in (False, True)
    )
    needs_digits = not symbols and (not natural.equal or first == second)
    if natural.equal != decadic.equal or needs_digits:
        return Probe(None, "a logarithm without a base")
    return Probe(natural.equal, natural.reason)


@dataclass(frozen=True, slots=True)
class _Comparison:
    first: Tree
    second: Tree
    symbols: tuple[str, ...]
    budget: Budget
    decadic: bool

    def decided(self) -> Probe:
        """What can be said of the two."""
        return self._of_functions() if self.symbols else self._of_constants()

    def _of_constants(self) -> Probe:
        for is_complex in (False, True):
            try:
                equal, values = self._settled({}, is_complex=is_complex)
            except DivisionByZeroError as error:
                return Probe(False if self._has_value() else None, str(error))
            except UndefinedError as error:
                if is_complex:
                    return Probe(None, str(error))
                continue
            if equal is False and is_complex and self.budget.is_branched:
                return Probe(None, "complex values of several branches")
            return Probe(equal, "constants", (as_digits(values[0]), as_digits(values[1])))
        raise AssertionError("unreachable")

    def _has_value(self) -> bool:
        """Whether the first of two constants has a value; if so it is the second that has none."""
        try:
            self._value(self.first, {}, mp_field(_FIRST_BITS, is_complex=True))
        except UndefinedError:
            return False
        return True

    def _of_functions(self) -> Probe:
        if is_imaginary(self.first, self.second):
            return self._of_complex_functions()
        for points in (rational_points(self.symbols), whole_points(self.symbols)):
            found = self._at(points)
            if found is not None:
                return found
        return Probe(None, "too few points where both are real")

    def _at(self, points: Iterator[dict[str, Fraction]]) -> Probe | None:
        """The decision at `points`; None where too few of them have two real values."""
        agreed: list[dict[str, Fraction]] = []
        exact = 0
        for point in points:
            equal, is_exact = self._looked_at(point)
            if equal is False:
                return Probe(False, f"at {shown_point(point)}")
            if equal:
                agreed.append(point)
                exact += is_exact
            if exact >= _ENOUGH_EXACT and exact == len(agreed) and not has_branches(self.first, self.second):
                return Probe(True, f"at {exact} points, exactly")
            if len(agreed) == _MOST_POINTS.get(len(self.symbols)):
                break
        if len(agreed) < _ENOUGH_POINTS:
            return None
        if has_jumps(self.first, self.second):
            return Probe(None, "a function with jumps")
        for point in spread_out(agreed, _CONFIRMED_POINTS):
            try:
                equal, _ = self._settled(point, is_complex=False)
            except UndefinedError:
                equal = None
            if not equal:
                return Probe(equal, f"at {shown_point(point)}")
        return Probe(True, f"at {len(agreed)} points")

    def _of_complex_functions(self) -> Probe:
        agreed = 0
        for point in rational_points(self.symbols):
            try:
                equal, _ = self._settled(point, is_complex=True)
            except UndefinedError:
                continue
            if equal is False and not self.budget.is_branched:
                return Probe(False, f"at {shown_point(point)}")
            if not equal:
                return Probe(None, "complex values of several branches")
            agreed += 1
            if agreed >= _ENOUGH_POINTS:
                return Probe(True, f"at {agreed} points")
        return Probe(None, "too few points")

    def _looked_at(self, point: Mapping[str, Fraction]) -> tuple[bool | None, bool]:
        """Whether the two agree at `point` in floats, or where those do not tell in more digits; and if exactly."""
        try:
            left, right = self._value(self.first, point, FLOATS), self._value(self.second, point, FLOATS)
            equal = agree_in_floats(left, right)
            if equal is not None:
                return equal, isinstance(left, Fraction) and isinstance(right, Fraction)
        except UndefinedError:
            return None, False
        except (OverflowError, ZeroDivisionError):  # what float arithmetic raises beyond its range
            pass
        try:
            return self._settled(point, is_complex=False)[0], False
        except UndefinedError:
            return None, False

    def _settled(self, point: Mapping[str, Fraction], *, is_complex: bool) -> tuple[bool | None, list[Value]]:
        """Whether the two agree at `point` to many digits; None where they do not come apart and do not settle."""
        bits = _FIRST_BITS
        values: list[Value] = []
        while bits <= _MOST_BITS:
            field = mp_field(bits, is_complex=is_complex)
            self.budget.span, self.budget.is_branched = 0, False
            values = [self._value(tree, point, field) for tree in (self.first, self.second)]
            equal = agree(values, field)
            # What is added to something much larger must still be seen.
            if equal is False or (equal and bits >= AGREED_BITS + 2 * self.budget.span):
                return equal, values
            bits *= 2
        return None, values

    def _value(self, tree: Tree, point: Mapping[str, Fraction], field: Field) -> Value:
        return evaluate(tree, point, field, self.budget, decadic=self.decadic)


def some_value(tree: Tree) -> tuple[dict[str, Fraction], bool] | None:
    """A point where `tree` has a real value other than 0, and whether that is positive; None where none is found."""
    budget = Budget(OPERATIONS)
    for point in rational_points(free_symbols(tree)):
        try:
            value = evaluate(tree, point, FLOATS, budget)
        except (UndefinedError, OverflowError, ZeroDivisionError):
            continue
        except BudgetError:
            return None
        ball = FLOATS.enclosed(value)
        if abs(ball.middle) > 2 * ball.radius:
            return point, ball.middle > 0
    return None
