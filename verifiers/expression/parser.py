r"""From the text of one expression to its `tree`: LaTeX, plain notation and mixtures of both.

Implicit products bind as written (`2ab`, `x(x+1)`); what readers read in two ways is refused: a product
without sign after a slash (`1/2x`), a function's bare argument that goes on after it (`\ln x(x+1)`,
`\sin x/2`), `f(x)` beside a product, a degree outside a trigonometric function, numbers side by side.
"""

from fractions import Fraction
from functools import lru_cache

from .function_reader import FUNCTIONS, MULTIPLIED, FunctionReader
from .notations import in_one_notation
from .tokens import Token, UnreadableError, tokenise
from .tree import Constant, Function, Number, Power, Product, Series, Sum, Symbol, Tree, inverse

__all__ = ["UnreadableError", "parse"]

MAX_DEPTH = 40

_PAIRS = {"(": ")", "{": "}", "[": "]", "lfloor": "rfloor", "lceil": "rceil"}
_ROUNDING = {"lfloor": "floor", "lceil": "ceil"}
_APPLIED = frozenset({"f", "g", "F", "G", "P"})


@lru_cache(maxsize=256)
def parse(text: str) -> Tree:
    r"""The tree of `text`, an expression as `normalise` spells it.

    Raises:
        UnreadableError: it has no certain reading, or is beyond the caps on characters, tokens and depth.

    Example:
        >>> parse("xy")
        Product(factors=(Symbol(name='x'), Symbol(name='y')))
        >>> parse("1/2x")
        Traceback (most recent call last):
        rewardgate.verifiers.expression.tokens.UnreadableError: a product without sign after a slash
    """
    reader = _Reader(tokenise(in_one_notation(text)))
    tree = reader.sum(0)
    if reader.peek() is not None:
        raise UnreadableError(f"{reader.peek()!r} where the expression should end")
    if reader.degrees:
        raise UnreadableError("a degree outside a trigonometric function")
    return tree


class _Reader(FunctionReader):
    """One pass over the tokens; each method reads what its name says, as far as it goes."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self._open_bars = 0
        self._indices: list[str] = []

    def sum(self, depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise UnreadableError(f"nested deeper than {MAX_DEPTH}")
        terms = [self.signed(self._product, depth)]
        while self.peek() in ("+", "-"):
            terms.append(self.signed(self._product, depth))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self, depth: int) -> Tree:
        factors = [self.power(depth)]
        divided = False
        while (name := self.peek()) is not None:
            if name in MULTIPLIED:
                self.next()
                divided = False
                factors.append(self.signed(self.power, depth))
            elif name == "/":
                self.next()
                divided = True
                factors.append(inverse(self.signed(self.power, depth)))
            elif self.starts_factor():
                if divided:
                    raise UnreadableError("a product without sign after a slash")
                self._juxtapose(factors, depth)
            else:
                break
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _juxtapose(self, factors: list[Tree], depth: int) -> None:
        """Reads the factor that follows without a sign; after a whole number `1/3` is the rest of a mixed number."""
        before, after = self.tokens[self.position - 1], self.tokens[self.position]
        if after.kind == "number":
            raise UnreadableError("a number after a factor")
        last = factors[-1]
        if isinstance(last, Symbol) and last.name in _APPLIED and after.text in ("(", "["):
            raise UnreadableError("a function of its own, or a product")
        factor = self.power(depth)
        if isinstance(last, Number) and before.text.isdigit() and after.text == "frac" and _is_whole_fraction(factor):
            factors[-1] = Sum((last, factor))
        else:
            factors.append(factor)

    def power(self, depth: int) -> Tree:
        base = self.atom(depth)
        while self.peek() == "!":
            self.next()
            if isinstance(base, Function) and base.name == "factorial":
                raise UnreadableError("a double factorial")
            base = Function("factorial", (base,))
        if self.peek() != "^":
            return self.in_degrees(base)
        self.next()
        if depth > MAX_DEPTH:
            raise UnreadableError(f"nested deeper than {MAX_DEPTH}")
        if isinstance(base, Symbol) and base.name[:2] in ("C_", "A_", "P_"):
            raise UnreadableError("a number of combinations, or a power")
        return Power(base, self.signed(self.power, depth + 1))

    def starts_factor(self) -> bool:
        token = self.tokens[self.position]
        if token.kind == "mark":
            return token.text in ("(", "{", "[") or (token.text == "|" and not self._open_bars)
        return token.kind != "degree" and token.text not in ("rfloor", "rceil", *MULTIPLIED)

    def atom(self, depth: int) -> Tree:
        token = self.next()
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
                numerator, denominator = self.argument(depth), self.argument(depth)
                return Product((numerator, inverse(denominator)))
            case "command", ("binom" | "arranged" | "mod") as name:
                arguments = self.argument(depth), self.argument(depth)
                return Function({"binom": "binomial"}.get(name, name), arguments)
            case "command", ("gcd" | "lcm" | "max" | "min") as name:
                return Function(name, self._arguments(depth))
            case "command", ("sum" | "prod") as name:
                return self._series(name, depth)
            case "command", "sqrt":
                return self._root(depth)
            case "command", name if name in FUNCTIONS:
                return self.function(name, depth)
            case _, ("(" | "{" | "[" | "lfloor" | "lceil"):
                self.position -= 1
                return self._enclosed(depth)
            case "mark", "|":
                self._open_bars += 1
                inside = self.sum(depth + 1)
                self._open_bars -= 1
                self.expect("|")
                return Function("abs", (inside,))
            case _:
                raise UnreadableError(f"{token.text!r} where a value should stand")

    def _name(self, token: Token) -> str:
        name = token.text
        if self.peek() == "_":
            self.next()
            name += "_" + self._subscript()
        while self.peek() == "'":
            self.next()
            name += "'"
        return name

    def _constant(self, name: str, token: Token) -> Tree:
        if (self.peek() in ("_", "'") and name != "pi") or name in self._indices:
            return Symbol(self._name(token))
        return Constant(name)

    def _arguments(self, depth: int) -> tuple[Tree, ...]:
        arguments: list[Tree] = []
        while self.peek() == "{":
            arguments.append(self._enclosed(depth))
        if len(arguments) < 2:
            raise UnreadableError("a function of several arguments without them")
        return tuple(arguments)

    def _series(self, name: str, depth: int) -> Tree:
        self.expect("{")
        index = self.next().text
        self.expect("}")
        low, high = self._enclosed(depth), self._enclosed(depth)
        self._indices.append(index)
        term = self._product(depth + 1)
        self._indices.pop()
        return Series(name, index, low, high, term)

    def _subscript(self) -> str:
        """A subscript as it is written: a single token, or all between two braces."""
        token = self.next()
        if token.text != "{":
            return token.text
        parts: list[str] = []
        while (token := self.next()).text != "}":
            if token.text in ("{", "_", "^"):
                raise UnreadableError("a subscript of more than one level")
            parts.append(token.text)
        return f"{{{','.join(parts)}}}" if len(parts) > 1 else "".join(parts)

    def _root(self, depth: int) -> Tree:
        if self.peek() != "[":
            return Function("root", (self.argument(depth), Number(Fraction(2))))
        index = self._enclosed(depth)
        return Function("root", (self.argument(depth), index))

    def argument(self, depth: int) -> Tree:
        r"""What stands in braces, or the single token that stands there without (`\frac1x`)."""
        if self.peek() == "{":
            return self._enclosed(depth)
        token = self.next()
        if token.value is not None and token.text.isdigit() and len(token.text) == 1:
            return Number(token.value)
        if token.kind == "symbol":
            return Symbol(token.text)
        if token.kind == "constant":
            return Constant(token.text)
        raise UnreadableError(f"{token.text!r} where an argument should stand")

    def _enclosed(self, depth: int) -> Tree:
        opening = self.next().text
        if opening not in _PAIRS:
            raise UnreadableError(f"{opening!r} where an argument should stand")
        # A bar inside a pair of brackets opens anew.
        bars, self._open_bars = self._open_bars, 0
        inside = self.sum(depth + 1)
        self._open_bars = bars
        self.expect(_PAIRS[opening])
        return Function(_ROUNDING[opening], (inside,)) if opening in _ROUNDING else inside


def _is_whole_fraction(tree: Tree) -> bool:
    match tree:
        case Product((Number(above), Power(Number(below), _))):
            return above.denominator == below.denominator == 1
        case _:
            return False
