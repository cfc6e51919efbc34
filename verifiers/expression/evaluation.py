"""The value of a tree at one point, in one field, within a budget of operations."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from .enclosures import Enclosure, Field, UndefinedError, Value
from .functions import FUNCTIONS, MAX_FACTORIAL, power
from .tree import Constant, Function, Number, Power, Product, Series, Sum, Symbol, Tree

__all__ = ["Budget", "BudgetError", "evaluate"]

MAX_TERMS = 1_000
"""Of a series."""


class BudgetError(Exception):
    """The operations of one comparison are spent."""


class Budget:
    """Counts operations down, and keeps the size of the largest or smallest value on the way.

    Attributes:
        span: the largest distance from 1 of all values met since it was set to 0, in powers of two; for a
            number as written, its own bits.
        is_branched: whether, off the positive real line, a root, power or logarithm of several values was met
            since it was set to False. The square root of a negative number has one that everybody means.
    """

    def __init__(self, operations: int) -> None:
        self._left = operations
        self.span = 0
        self.is_branched = False

    def spend(self, operations: int) -> None:
        """Raises BudgetError where less is left."""
        self._left -= operations
        if self._left < 0:
            raise BudgetError


def evaluate(
    tree: Tree, point: Mapping[str, Fraction], field: Field, budget: Budget, *, decadic: bool = False
) -> Value:
    """The value of `tree` where its symbols have the values of `point`.

    Args:
        decadic: whether a logarithm without a written base is one to base 10; otherwise it is natural.

    Raises:
        UndefinedError: there is no value here.
        BudgetError: `budget` is spent.

    Example:
        >>> from rewardgate.verifiers.expression.enclosures import FLOATS
        >>> evaluate(Sum((Symbol("x"), Number(Fraction(1, 2)))), {"x": Fraction(1, 3)}, FLOATS, Budget(10))
        Fraction(5, 6)
    """
    value = _value(tree, point, field, budget, decadic)
    budget.spend(1 if isinstance(value, Fraction) else field.cost)
    if field.cost > 1:
        budget.span = max(budget.span, field.binary_size(value))
    return value


def _value(tree: Tree, point: Mapping[str, Fraction], field: Field, budget: Budget, decadic: bool) -> Value:
    match tree:
        case Number(value):
            budget.span = max(budget.span, value.numerator.bit_length(), value.denominator.bit_length())
            return value
        case Symbol(name):
            return point[name]
        case Constant(name):
            return _constant(name, field)
        case Sum(terms):
            total: Value = Fraction(0)
            for term in terms:
                total = field.add(total, evaluate(term, point, field, budget, decadic=decadic))
            return total
        case Product(factors):
            product: Value = Fraction(1)
            for factor in factors:
                product = field.multiply(product, evaluate(factor, point, field, budget, decadic=decadic))
            return product
        case Power(base, Number(value)) if value == -1:
            return field.inverse(evaluate(base, point, field, budget, decadic=decadic))
        case Power(base, exponent):
            raised, grade = (evaluate(part, point, field, budget, decadic=decadic) for part in (base, exponent))
            if field.is_complex and not (isinstance(grade, Fraction) and grade.denominator == 1):
                budget.is_branched |= not _is_positive(raised, field)
            return power(field, raised, grade)
        case Function(name, arguments):
            values = [evaluate(argument, point, field, budget, decadic=decadic) for argument in arguments]
            if field.is_complex and (name in ("ln", "log") or (name == "root" and not _is_usual_root(values, field))):
                budget.is_branched |= not _is_positive(values[0], field)
            if name == "log":
                natural = FUNCTIONS["ln"](field, *values)
                if not decadic:
                    return natural
                return field.multiply(natural, field.inverse(FUNCTIONS["ln"](field, Fraction(10))))
            if name in ("binomial", "arranged") and isinstance(values[1], Fraction):
                # Two operations for each factor; they are long even where they are exact.
                budget.spend(2 * field.cost * min(abs(int(values[1])), MAX_FACTORIAL))
            return FUNCTIONS[name](field, *values)
        case Series(name, index, low, high, term):
            first, last = (evaluate(end, point, field, budget, decadic=decadic) for end in (low, high))
            value: Value = Fraction(name == "prod")
            for number in _whole_range(first, last):
                part = evaluate(term, {**point, index: number}, field, budget, decadic=decadic)
                value = field.multiply(value, part) if name == "prod" else field.add(value, part)
            return value


def _whole_range(first: Value, last: Value) -> Iterator[Fraction]:
    if not (isinstance(first, Fraction) and isinstance(last, Fraction) and first.denominator == last.denominator == 1):
        raise UndefinedError("a series between no whole numbers")
    if not -1 <= last - first < MAX_TERMS:
        raise UndefinedError(f"a series of no or more than {MAX_TERMS} terms")
    return (first + step for step in range(int(last - first) + 1))


def _constant(name: str, field: Field) -> Value:
    if name == "i":
        if not field.is_complex:
            raise UndefinedError("not real")
        return Enclosure(field.functions.mpc(0, 1), 0)
    value = +getattr(field.functions, name)
    return Enclosure(value, value * field.epsilon)


def _is_positive(value: Value, field: Field) -> bool:
    if isinstance(value, Fraction):
        return value >= 0
    return field.is_real(value) and field.functions.re(value.middle) > 0


def _is_usual_root(values: list[Value], field: Field) -> bool:
    """Whether it is the square root of a real number."""
    return values[1] == 2 and (isinstance(values[0], Fraction) or field.is_real(values[0]))
