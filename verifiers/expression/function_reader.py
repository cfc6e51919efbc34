r"""Reading functions applied to their arguments: `\sin^2 2x`, `\log_2 8`, `\ln(x+1)`.

A bare argument is read only where it certainly ends: `\ln x(x+1)`, `\sin x/2` and `\ln 2\cdot 3` are refused.
"""

from abc import abstractmethod
from fractions import Fraction

from .cursor import Cursor
from .tokens import Token, UnreadableError
from .tree import MINUS_ONE, Constant, Function, Number, Power, Product, Tree, inverse

__all__ = ["FUNCTIONS", "MULTIPLIED", "FunctionReader"]

MULTIPLIED = ("*", "times", "cdot")
"""The signs of a product."""

_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
FUNCTIONS = _TRIGONOMETRIC | {
    "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "sech", "csch", "ln", "log", "lg", "exp",
}  # fmt: skip
_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
_RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}


class FunctionReader(Cursor):
    """Reads functions; what their arguments are made of is read by a subclass."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.degrees = 0
        """Degrees read and not yet inside a trigonometric function."""

    @abstractmethod
    def power(self, depth: int) -> Tree:
        """A value and its exponent."""

    @abstractmethod
    def atom(self, depth: int) -> Tree:
        """A value without exponent."""

    @abstractmethod
    def argument(self, depth: int) -> Tree:
        """What stands in braces, or the one token that stands there without."""

    @abstractmethod
    def starts_factor(self) -> bool:
        """Whether what comes next is a factor."""

    def function(self, name: str, depth: int) -> Tree:
        base: Tree | None = None
        exponent: Tree | None = None
        while self.peek() in ("_", "^"):
            if self.next().text == "_" and name == "log" and base is None:
                base = self._script(depth)
            elif self.tokens[self.position - 1].text == "^" and exponent is None:
                exponent = self.signed(self._script, depth)
            else:
                raise UnreadableError(f"a script of {name}")
        degrees = self.degrees
        argument = self._applied_to(depth)
        if name in _TRIGONOMETRIC:
            self.degrees = degrees
        if exponent == MINUS_ONE:
            if name not in _INVERSES:
                raise UnreadableError(f"the inverse of {name}")
            return Function(_INVERSES[name], (argument,))
        value = _value_of(name, base, argument)
        return value if exponent is None else Power(value, exponent)

    def _script(self, depth: int) -> Tree:
        r"""A function's script; without braces it is one digit, and the argument begins after it (`\log_28`)."""
        if self.position < len(self.tokens) and (token := self.tokens[self.position]).text.isdigit():
            digit, rest = token.text[0], token.text[1:]
            if rest:
                self.tokens[self.position] = Token("number", rest, value=Fraction(rest))
            else:
                self.position += 1
            return Number(Fraction(digit))
        return self.argument(depth)

    def _applied_to(self, depth: int) -> Tree:
        """The argument of a function: one in brackets, or a bare one that certainly ends where it ends."""
        opening = self.peek()
        if opening in ("(", "{", "[", "|", "lfloor", "lceil"):
            argument = self.in_degrees(self.atom(depth))
            after = self.peek()
            if (opening != "(" and after in ("^", "!")) or (after in ("(", "[") and opening != "{"):
                raise UnreadableError("an argument that may go on")
            return argument
        factors = [self._bare(depth)]
        while self._goes_on():
            if self.tokens[self.position - 1].text == "}":
                raise UnreadableError("an argument that may go on")
            factors.append(self._bare(depth))
        self._refuse_open_end()
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _bare(self, depth: int) -> Tree:
        token = self.tokens[self.position] if self.position < len(self.tokens) else None
        if token is None or not (token.kind in ("number", "symbol", "constant") or token.text in ("frac", "sqrt")):
            raise UnreadableError("a function without argument")
        return self.power(depth)

    def _goes_on(self) -> bool:
        if self.position >= len(self.tokens):
            return False
        token = self.tokens[self.position]
        return token.kind in ("symbol", "constant") and not token.spaced

    def _refuse_open_end(self) -> None:
        name = self.peek()
        if name is None:
            return
        following = self.tokens[self.position + 1 : self.position + 2]
        if name in ("/", *MULTIPLIED):
            is_open = not (following and following[0].text in FUNCTIONS)
        else:
            is_open = name == "!" or (self.starts_factor() and name not in FUNCTIONS)
        if is_open:
            raise UnreadableError("an argument that may go on")

    def in_degrees(self, tree: Tree) -> Tree:
        """`tree`, in radians where a degree sign follows."""
        if self.position < len(self.tokens) and self.tokens[self.position].kind == "degree":
            self.next()
            self.degrees += 1
            return Product((tree, Constant("pi"), Number(Fraction(1, 180))))
        return tree


def _value_of(name: str, base: Tree | None, argument: Tree) -> Tree:
    """The function `name` of `argument` by the functions that a tree holds."""
    if name == "exp":
        return Power(Constant("e"), argument)
    if name == "lg":
        base = Number(Fraction(10))
    if base is not None:
        return Product((Function("ln", (argument,)), inverse(Function("ln", (base,)))))
    if name in _RECIPROCALS:
        return inverse(Function(_RECIPROCALS[name], (argument,)))
    return Function(name, (argument,))
