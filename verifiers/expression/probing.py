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
from decimal import Context, Decimal
from fractions import Fraction

from .enclosures import FLOATS, Field, UndefinedError, Value, mp_field
from .evaluation import Budget, BudgetError, evaluate
from .tree import Constant, Function, Number, Power, Product, Sum, Tree, free_symbols, nodes

__all__ = ["Probe", "is_polynomial", "probe", "some_value"]

MAX_SYMBOLS = 8
OPERATIONS = 40_000
"""What one comparison may spend: an operation on floats counts 1, one at n bits n / 16."""

_FIRST_BITS = 192
_MOST_BITS = 3_072
_ENOUGH_POINTS = 6
_ENOUGH_EXACT = 8
_CONFIRMED_POINTS = 3
_CLEARLY_APART = 1e-9
_AGREED_BITS = 100
_DIGITS = 45

_VALUES = tuple(
    Fraction(*pair)
    for pair in (
        (7, 3), (-5, 4), (1, 9), (13, 6), (-11, 2), (23, 7), (-2, 7), (31, 3), (5, 11), (-17, 9), (3, 2), (47, 4),
        (-1, 5), (9, 13), (29, 12), (-37, 6), (19, 10), (6, 17), (-8, 3), (71, 5), (-3, 13), (15, 14), (41, 16), (-23, 3),
    )
)  # fmt: skip
_WHOLE_POINTS = 12


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
    found: Probe | None = None
    try:
        # A logarithm without a base is equal only if it is so for either base that it may have.
        for decadic in (False, True) if _has_bare_logarithm(first, second) else (False,):
            comparison = _Comparison(first, second, symbols, budget, decadic)
            latest = comparison.of_constants() if not symbols else comparison.of_functions()
            if found is not None and (latest.equal != found.equal or latest.equal is None):
                return Probe(None, "a logarithm without a base")
            found = latest if found is None else Probe(latest.equal, latest.reason)
    except BudgetError:
        return Probe(None, "too many operations")
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class _Comparison:
    first: Tree
    second: Tree
    symbols: tuple[str, ...]
    budget: Budget
    decadic: bool

    def of_constants(self) -> Probe:
        for is_complex in (False, True):
            try:
                equal, values = self._settled({}, is_complex=is_complex)
            except UndefinedError as error:
                if is_complex:
                    return Probe(None, str(error))
                continue
            if equal is False and is_complex and _has_branches(self.first, self.second):
                return Probe(None, "complex values of several branches")
            return Probe(equal, "constants", (_decimal(values[0]), _decimal(values[1])))
        raise AssertionError("unreachable")

    def of_functions(self) -> Probe:
        if _is_imaginary(self.first, self.second):
            return self._of_complex_functions()
        for points in (_points(self.symbols), _whole_points(self.symbols)):
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
                return Probe(False, f"at {_shown(point)}")
            if equal:
                agreed.append(point)
                exact += is_exact
            if exact >= _ENOUGH_EXACT and exact == len(agreed) and not _has_branches(self.first, self.second):
                return Probe(True, f"at {exact} points, exactly")
        if len(agreed) < _ENOUGH_POINTS:
            return None
        if any(isinstance(node, Function) and node.name in ("floor", "ceil") for node in self._nodes()):
            return Probe(None, "a function with jumps")
        for point in _spread(agreed):
            try:
                equal, _ = self._settled(point, is_complex=False)
            except UndefinedError:
                equal = None
            if not equal:
                return Probe(equal, f"at {_shown(point)}")
        return Probe(True, f"at {len(agreed)} points")

    def _of_complex_functions(self) -> Probe:
        agreed = 0
        for point in _points(self.symbols):
            try:
                equal, _ = self._settled(point, is_complex=True)
            except UndefinedError:
                continue
            if equal is False and not _has_branches(self.first, self.second):
                return Probe(False, f"at {_shown(point)}")
            if not equal:
                return Probe(None, "complex values of several branches")
            agreed += 1
            if agreed >= _ENOUGH_POINTS:
                return Probe(True, f"at {agreed} points")
        return Probe(None, "too few points")

    def _looked_at(self, point: Mapping[str, Fraction]) -> tuple[bool | None, bool]:
        """Whether the two agree at `point` as far as floats tell, or more digits where floats do not; and if exactly."""
        try:
            left, right = self._value(self.first, point, FLOATS), self._value(self.second, point, FLOATS)
        except UndefinedError:
            return None, False
        except (OverflowError, ZeroDivisionError):  # what float arithmetic raises beyond its range
            left = right = None
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left == right, True
        if left is not None and right is not None:
            one, other = FLOATS.enclosed(left), FLOATS.enclosed(right)
            size = max(abs(one.middle), abs(other.middle))
            apart = abs(one.middle - other.middle)
            radius = one.radius + other.radius
            if apart > 64 * radius and apart > _CLEARLY_APART * size and radius < _CLEARLY_APART * size:
                return False, False
            if apart <= 8 * radius and radius < _CLEARLY_APART * size:
                return True, False
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
            self.budget.span = 0
            values = [self._value(tree, point, field) for tree in (self.first, self.second)]
            equal = _agree(values, field)
            # What is added to something much larger must still be seen.
            if equal is False or (equal and bits >= _AGREED_BITS + 2 * self.budget.span):
                return equal, values
            bits *= 2
        return None, values

    def _value(self, tree: Tree, point: Mapping[str, Fraction], field: Field) -> Value:
        return evaluate(tree, point, field, self.budget, decadic=self.decadic)

    def _nodes(self) -> Iterator[Tree]:
        yield from nodes(self.first)
        yield from nodes(self.second)


def _agree(values: list[Value], field: Field) -> bool | None:
    """Whether two values are equal as far as their radii tell; None where they do not."""
    first, second = values
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first == second
    one, other = field.enclosed(first), field.enclosed(second)
    apart, radius = abs(one.middle - other.middle), one.radius + other.radius
    if apart > 64 * radius:
        return False
    if apart > 8 * radius:
        return None
    # Of a value that is zero no relative error can be small: there the absolute one decides.
    size = max(abs(one.middle), abs(other.middle))
    if size <= 8 * radius and (0 in (first, second) or min(abs(one.middle), abs(other.middle)) <= radius):
        size = 1
    return True if radius * 2**_AGREED_BITS <= size else None


def _decimal(value: Value) -> Decimal | None:
    """A real value to `_DIGITS` digits."""
    if isinstance(value, Fraction):
        context = Context(prec=_DIGITS)
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))
    middle = value.middle
    if hasattr(middle, "imag") and abs(middle.imag) > value.radius:
        return None
    return Decimal(middle.context.nstr(middle.real, _DIGITS))


def _points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    count = len(_VALUES)
    for shift in range(count):
        # Steps without a common divisor with the count, so that signs and sizes meet in many ways.
        yield {name: _VALUES[(shift + index * (5 + 2 * shift)) % count] + index for index, name in enumerate(symbols)}


def _whole_points(symbols: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    for shift in range(1, _WHOLE_POINTS + 1):
        yield {name: Fraction((shift * (index + 1) + index) % 17 + 1) for index, name in enumerate(symbols)}


def _spread(points: list[dict[str, Fraction]]) -> list[dict[str, Fraction]]:
    """The first, the middle and the last of `points`."""
    return [points[index * (len(points) - 1) // (_CONFIRMED_POINTS - 1)] for index in range(_CONFIRMED_POINTS)]


def _shown(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def _has_bare_logarithm(*trees: Tree) -> bool:
    return any(isinstance(node, Function) and node.name == "log" for tree in trees for node in nodes(tree))


def _is_imaginary(*trees: Tree) -> bool:
    return any(node == Constant("i") for tree in trees for node in nodes(tree))


def _has_branches(*trees: Tree) -> bool:
    """Whether a function has more than one value, or joins pieces: anything but a rational or an entire one."""
    return any(_branches(node) for tree in trees for node in nodes(tree))


def _branches(node: Tree) -> bool:
    if isinstance(node, Power):
        return not (isinstance(node.exponent, Number) and node.exponent.value.denominator == 1) and node.base != _E
    return isinstance(node, Function) and node.name not in ("sin", "cos", "sinh", "cosh", "tan", "tanh")


_E = Constant("e")


def some_value(tree: Tree) -> tuple[dict[str, Fraction], bool] | None:
    """A point where `tree` has a real value other than 0, and whether that is positive; None where none is found."""
    budget = Budget(OPERATIONS)
    for point in _points(free_symbols(tree)):
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


def is_polynomial(tree: Tree) -> bool:
    """Whether `tree` is a polynomial in its symbols as it is written, whatever its coefficients are."""
    match tree:
        case Sum(parts) | Product(parts):
            return all(map(is_polynomial, parts))
        case Power(base, Number(value)) if value.denominator == 1 and value >= 0:
            return is_polynomial(base)
        case Power() | Function():
            return not free_symbols(tree)
        case _:
            return True
