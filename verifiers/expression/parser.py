r"""From the text of one expression to its `tree`: LaTeX, plain notation and mixtures of both.

Implicit products bind as written (`2ab`, `x(x+1)`); what readers read in two ways is refused: a product
without sign after a slash (`1/2x`), a function's bare argument that goes on after it (`\ln x(x+1)`,
`\sin x/2`), `f(x)` beside a product, a degree outside a trigonometric function, numbers side by side.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from .tokens import Token, UnreadableError, tokenise
from .tree import Constant, Function, Number, Power, Product, Sum, Symbol, Tree

__all__ = ["UnreadableError", "parse"]

MAX_DEPTH = 40

_PAIRS = {"(": ")", "{": "}", "[": "]", "lfloor": "rfloor", "lceil": "rceil"}
_ROUNDING = {"lfloor": "floor", "lceil": "ceil"}
_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_FUNCTIONS = _TRIGONOMETRIC | {
    "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "sech", "csch", "ln", "log", "lg", "exp",
}  # fmt: skip
_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
_RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
_APPLIED = frozenset({"f", "g", "F", "G", "P"})
_MINUS_ONE = Number(Fraction(-1))
_MULTIPLY = ("*", "times", "cdot")


@lru_cache(maxsize=4_096)
def parse(text: str) -> Tree:
    r"""The tree of `text`, an expression as `normalise` spells it.

    Raises:
        UnreadableError: it has no certain reading, or is beyond the caps on characters, tokens and depth.

    Example:
        >>> parse("-x^2")
        Product(factors=(Number(value=Fraction(-1, 1)), Power(base=Symbol(name='x'), exponent=Number(value=Fraction(2, 1)))))
        >>> parse("1/2x")
        Traceback (most recent call last):
        rewardgate.verifiers.expression.tokens.UnreadableError: a product without sign after a slash
    """
    reader = _Reader(tokenise(text))
    tree = reader.sum(0)
    if reader.peek() is not None:
        raise UnreadableError(f"{reader.peek()!r} where the expression should end")
    if reader.degrees:
        raise UnreadableError("a degree outside a trigonometric function")
    return tree


class _Reader:
    """One pass over the tokens; each method reads what its name says, as far as it goes."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self.degrees = 0
        """Degrees read and not yet inside a trigonometric function."""
        self._open_bars = 0

    def sum(self, depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise UnreadableError(f"nested deeper than {MAX_DEPTH}")
        terms = [self._signed(self._product, depth)]
        while self.peek() in ("+", "-"):
            terms.append(self._signed(self._product, depth))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _signed(self, read: Callable[[int], Tree], depth: int) -> Tree:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self._next().text == "-"
        return _negated(read(depth)) if negative else read(depth)

    def _product(self, depth: int) -> Tree:
        factors = [self._power(depth)]
        divided = False
        while (name := self.peek()) is not None:
            if name in _MULTIPLY:
                self._next()
                divided = False
                factors.append(self._signed(self._power, depth))
            elif name == "/":
                self._next()
                divided = True
                factors.append(_inverse(self._signed(self._power, depth)))
            elif self._starts_factor():
                if divided:
                    raise UnreadableError("a product without sign after a slash")
                self._juxtapose(factors, depth)
            else:
                break
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _juxtapose(self, factors: list[Tree], depth: int) -> None:
        """Reads the factor that follows without a sign; after a whole number `1/3` is the rest of a mixed number."""
        before, after = self._tokens[self._position - 1], self._tokens[self._position]
        if after.kind == "number":
            raise UnreadableError("a number after a factor")
        last = factors[-1]
        if isinstance(last, Symbol) and last.name in _APPLIED and after.text in ("(", "["):
            raise UnreadableError("a function of its own, or a product")
        factor = self._power(depth)
        if isinstance(last, Number) and before.text.isdigit() and after.text == "frac" and _is_whole_fraction(factor):
            factors[-1] = Sum((last, factor))
        else:
            factors.append(factor)

    def _power(self, depth: int) -> Tree:
        base = self._atom(depth)
        while self.peek() == "!":
            self._next()
            if isinstance(base, Function) and base.name == "factorial":
                raise UnreadableError("a double factorial")
            base = Function("factorial", (base,))
        if self.peek() != "^":
            return self._in_degrees(base)
        self._next()
        if depth > MAX_DEPTH:
            raise UnreadableError(f"nested deeper than {MAX_DEPTH}")
        if isinstance(base, Symbol) and base.name[:2] in ("C_", "A_", "P_"):
            raise UnreadableError("a number of combinations, or a power")
        return Power(base, self._signed(self._power, depth + 1))

    def _in_degrees(self, tree: Tree) -> Tree:
        if self._position < len(self._tokens) and self._tokens[self._position].kind == "degree":
            self._next()
            self.degrees += 1
            return Product((tree, Constant("pi"), Number(Fraction(1, 180))))
        return tree

    def _starts_factor(self) -> bool:
        token = self._tokens[self._position]
        if token.kind == "mark":
            return token.text in ("(", "{", "[") or (token.text == "|" and not self._open_bars)
        return token.kind != "degree" and token.text not in ("rfloor", "rceil", *_MULTIPLY)

    def _atom(self, depth: int) -> Tree:
        token = self._next()
        if token.value is not None:
            return Number(token.value)
        match token.kind, token.text:
            case "symbol", _:
                return Symbol(self._name(token))
            case "constant", name:
                return self._constant(name, token)
            case "plain", name:
                if self.peek() != "(":
                    raise UnreadableError(f"the word {name!r}")
                return Function(name, (self._enclosed(depth),))
            case "command", "frac":
                numerator, denominator = self._argument(depth), self._argument(depth)
                return Product((numerator, _inverse(denominator)))
            case "command", "binom":
                return Function("binomial", (self._argument(depth), self._argument(depth)))
            case "command", "sqrt":
                return self._root(depth)
            case "command", name if name in _FUNCTIONS:
                return self._function(name, depth)
            case _, ("(" | "{" | "[" | "lfloor" | "lceil"):
                self._position -= 1
                return self._enclosed(depth)
            case "mark", "|":
                self._open_bars += 1
                inside = self.sum(depth + 1)
                self._open_bars -= 1
                self._expect("|")
                return Function("abs", (inside,))
            case _:
                raise UnreadableError(f"{token.text!r} where a value should stand")

    def _name(self, token: Token) -> str:
        name = token.text
        if self.peek() == "_":
            self._next()
            name += "_" + self._subscript()
        while self.peek() == "'":
            self._next()
            name += "'"
        return name

    def _constant(self, name: str, token: Token) -> Tree:
        if self.peek() in ("_", "'") and name != "pi":
            return Symbol(self._name(token))
        return Constant(name)

    def _subscript(self) -> str:
        """A subscript as it is written: a single token, or all between two braces."""
        token = self._next()
        if token.text != "{":
            return token.text
        parts: list[str] = []
        while (token := self._next()).text != "}":
            if token.text in ("{", "_", "^"):
                raise UnreadableError("a subscript of more than one level")
            parts.append(token.text)
        return f"{{{','.join(parts)}}}" if len(parts) > 1 else "".join(parts)

    def _root(self, depth: int) -> Tree:
        if self.peek() != "[":
            return Function("root", (self._argument(depth), Number(Fraction(2))))
        index = self._enclosed(depth)
        return Function("root", (self._argument(depth), index))

    def _argument(self, depth: int) -> Tree:
        r"""What stands in braces, or the single token that stands there without (`\frac1x`)."""
        if self.peek() == "{":
            return self._enclosed(depth)
        token = self._next()
        if token.value is not None and token.text.isdigit() and len(token.text) == 1:
            return Number(token.value)
        if token.kind == "symbol":
            return Symbol(token.text)
        if token.kind == "constant":
            return Constant(token.text)
        raise UnreadableError(f"{token.text!r} where an argument should stand")

    def _enclosed(self, depth: int) -> Tree:
        opening = self._next().text
        # A bar inside a pair of brackets opens anew.
        bars, self._open_bars = self._open_bars, 0
        inside = self.sum(depth + 1)
        self._open_bars = bars
        self._expect(_PAIRS[opening])
        return Function(_ROUNDING[opening], (inside,)) if opening in _ROUNDING else inside

    def _function(self, name: str, depth: int) -> Tree:
        base: Tree | None = None
        exponent: Tree | None = None
        while self.peek() in ("_", "^"):
            if self._next().text == "_" and name == "log" and base is None:
                base = self._script(depth)
            elif self._tokens[self._position - 1].text == "^" and exponent is None:
                exponent = self._signed(self._script, depth)
            else:
                raise UnreadableError(f"a script of {name}")
        degrees = self.degrees
        argument = self._applied_to(depth)
        if name in _TRIGONOMETRIC:
            self.degrees = degrees
        if exponent == _MINUS_ONE:
            if name not in _INVERSES:
                raise UnreadableError(f"the inverse of {name}")
            return Function(_INVERSES[name], (argument,))
        value = _value_of(name, base, argument)
        return value if exponent is None else Power(value, exponent)

    def _script(self, depth: int) -> Tree:
        r"""A function's script; without braces it is one digit, and the argument begins after it (`\log_28`)."""
        if self._position < len(self._tokens) and (token := self._tokens[self._position]).text.isdigit():
            digit, rest = token.text[0], token.text[1:]
            if rest:
                self._tokens[self._position] = Token("number", rest, value=Fraction(rest))
            else:
                self._position += 1
            return Number(Fraction(digit))
        return self._argument(depth)

    def _applied_to(self, depth: int) -> Tree:
        """The argument of a function: one in brackets, or a bare one that certainly ends where it ends."""
        opening = self.peek()
        if opening in ("(", "{", "[", "|", "lfloor", "lceil"):
            argument = self._in_degrees(self._atom(depth))
            after = self.peek()
            if (opening != "(" and after in ("^", "!")) or (after in ("(", "[") and opening != "{"):
                raise UnreadableError("an argument that may go on")
            return argument
        factors = [self._bare(depth)]
        while self._goes_on():
            if self._tokens[self._position - 1].text == "}":
                raise UnreadableError("an argument that may go on")
            factors.append(self._bare(depth))
        self._refuse_open_end()
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _bare(self, depth: int) -> Tree:
        token = self._tokens[self._position] if self._position < len(self._tokens) else None
        if token is None or not (token.kind in ("number", "symbol", "constant") or token.text in ("frac", "sqrt")):
            raise UnreadableError("a function without argument")
        return self._power(depth)

    def _goes_on(self) -> bool:
        if self._position >= len(self._tokens):
            return False
        token = self._tokens[self._position]
        return token.kind in ("symbol", "constant") and not token.spaced

    def _refuse_open_end(self) -> None:
        name = self.peek()
        if name is None:
            return
        following = self._tokens[self._position + 1 : self._position + 2]
        if name in ("/", *_MULTIPLY):
            is_open = not (following and following[0].text in _FUNCTIONS)
        else:
            is_open = name == "!" or (self._starts_factor() and name not in _FUNCTIONS)
        if is_open:
            raise UnreadableError("an argument that may go on")

    def peek(self) -> str | None:
        return self._tokens[self._position].text if self._position < len(self._tokens) else None

    def _next(self) -> Token:
        if self._position >= len(self._tokens):
            raise UnreadableError("it ends too early")
        self._position += 1
        return self._tokens[self._position - 1]

    def _expect(self, text: str) -> None:
        if self._next().text != text:
            raise UnreadableError(f"no {text!r} where it should stand")


def _negated(tree: Tree) -> Tree:
    return Number(-tree.value) if isinstance(tree, Number) else Product((_MINUS_ONE, tree))


def _inverse(tree: Tree) -> Tree:
    return Power(tree, _MINUS_ONE)


def _is_whole_fraction(tree: Tree) -> bool:
    match tree:
        case Product((Number(above), Power(Number(below), _))):
            return above.denominator == below.denominator == 1
        case _:
            return False


def _value_of(name: str, base: Tree | None, argument: Tree) -> Tree:
    """The function `name` of `argument` by the functions that a tree holds."""
    if name == "exp":
        return Power(Constant("e"), argument)
    if name == "lg":
        base = Number(Fraction(10))
    if base is not None:
        return Product((Function("ln", (argument,)), _inverse(Function("ln", (base,)))))
    if name in _RECIPROCALS:
        return _inverse(Function(_RECIPROCALS[name], (argument,)))
    return Function(name, (argument,))
