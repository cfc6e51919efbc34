"""One operand, read token by token into the plain language of `evaluate`; what `operands` decides from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .literals import literal_at
from .patterns import LITERALS, at, ends_range, is_fraction, is_glued, is_sign, may_be_cut, multiplies, starts, unit_end
from .tokens import Token, measure_of
from .words import factor_of, label_of

__all__ = ["Reader"]

# Beyond these an operand is not read: what they bound is the cost of computing it.
_MAX_POWERS = 8
_MAX_DIGITS = 50
_MAX_PIECES = 200

_RANGE = 3  # pieces

_WORD_OPERATORS = {"times": "*", "plus": "+", "minus": "-", "of": "*"}


@dataclass(slots=True)
class Reader:
    """Reads from `first` on until a token cannot belong to the operand.

    Args:
        tokens, first: where to begin.
        position: the first token that was not read.
        pieces: the plain spelling so far.
        opened: (token, kind) of every bracket still open; the kind is that of a fraction's or a root's brace.
        wants: a number must come next, so that what was read is no operand yet.
        n_operators, n_terms, n_powers, n_lettered: its operators, 0 for a single literal; the terms of its sums;
            its powers; its numbers with a letter for a unit.
        unit_start: where the unit, or the sign of money, begins that was read last; None where something followed it.
        has_words, has_word_operator: a unit stands in it; one of its operators is a word.
        stopped_by: the kind of the token that ended the reading, `"aside"` for a bracket after a space; "" where
            the tokens ended.

    The other attributes are those of `Operand`.
    """

    tokens: Sequence[Token]
    first: int
    position: int = 0
    pieces: list[str] = field(default_factory=list)
    opened: list[tuple[int, str]] = field(default_factory=list)
    wants: bool = True
    n_operators: int = 0
    n_terms: int = 1
    n_powers: int = 0
    n_lettered: int = 0
    unit_start: int | None = None
    has_words: bool = False
    has_word_operator: bool = False
    stopped_by: str = ""
    head: str = ""
    labels: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    has_currency: bool = False
    is_doubtful: bool = False

    def run(self) -> None:
        """Read as far as the operand goes."""
        self.position = self.first
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if len(self.pieces) > _MAX_PIECES or not (self._number(token) if self.wants else self._after(token)):
                self.stopped_by = self.stopped_by or token.kind
                return

    def _number(self, token: Token) -> bool:
        """Takes `token` where a number must come; False where it cannot."""
        kind = token.kind
        if kind in LITERALS:
            return self._literal(token)
        if kind == "currency":
            self.has_currency = True
            self.position += 1
        elif kind == "open":
            self._open("")
        elif kind in ("frac", "root"):
            self._take(r"\frac" if kind == "frac" else r"\sqrt")
            if not at(self.tokens, self.position, "open"):
                return False
            self._open(kind)
        elif kind == "operator" and token.plain in "+-":
            # One sign may follow an operator, a second may not: `5 - -2`, never `5 - - -2`.
            if len(self.pieces) > 1 and all(piece in ("+", "-") for piece in self.pieces[-2:]):
                return False
            self._take(token.plain)
        elif kind == "word" and len(token.plain) == 1 and "A" <= token.plain <= "Z":
            self.names.add(token.plain)
            self._take(token.plain)
            self.wants = False
        else:
            return False
        return True

    def _literal(self, token: Token) -> bool:
        """Takes a number; one glued to a smaller one by a hyphen may end a range: `pages 10-20`."""
        literal = literal_at(self.tokens, self.position, before=self.pieces[-1] if self.pieces else "")
        self.n_powers += literal.is_power
        if len(token.plain) > _MAX_DIGITS or self.n_powers > _MAX_POWERS:
            return False
        if not self.pieces:
            self.head = token.plain
        self.n_operators += literal.is_power or "sqrt" in token.plain
        self._take(literal.plain, literal.n_tokens)
        self.is_doubtful |= literal.is_doubtful or (
            len(self.pieces) == _RANGE and ends_range(self.tokens, self.position)
        )
        self.wants = False
        return True

    def _after(self, token: Token) -> bool:
        """Takes `token` where a number is complete; False where the operand ends before it."""
        kind = token.kind
        if kind == "operator":
            rate_end = unit_end(self.tokens, self.position + 1, after_slash=True) if token.plain == "/" else None
            if rate_end is not None:
                self._unit(self.position + 1, rate_end)
            else:
                self._operator(token.plain)
        elif kind in ("power", "superscript"):
            return self._power(token)
        elif kind == "close":
            return self._close()
        elif kind in ("open", "frac", "root", "constant"):
            return self._juxtaposed(token)
        elif kind == "percent":
            self._mark("%")
            self.position += 1
        elif kind == "currency":
            return self._closing_currency()
        elif kind == "word":
            return self._word(token)
        elif kind == "factorial" and is_glued(self.tokens, self.position):
            # The mark may as well end an exclamation.
            self._operator("!")
            self.wants = False
            self.is_doubtful = True
        else:
            return False
        return True

    def _operator(self, plain: str) -> None:
        self.n_operators += 1
        self.n_terms += plain in "+-"
        self._take(plain)
        self.wants = True

    def _closing_currency(self) -> bool:
        """Takes a sign of money, or the end of a formula, behind a number: `1500$`, `$$3 + 4$$`."""
        is_apart = self.unit_start is not None and not at(self.tokens, self.position - 1, "currency")
        if is_apart or at(self.tokens, self.position + 1, "number"):
            return False
        self.unit_start = self.position if self.unit_start is None else self.unit_start
        self.position += 1
        return True

    def _power(self, token: Token) -> bool:
        self.n_powers += 1
        if self.n_powers > _MAX_POWERS or self.pieces[-2:-1] == ["^"]:
            return False
        self._operator("^")
        if token.kind == "superscript":
            self.pieces.append(token.plain)
            self.wants = False
        return True

    def _open(self, kind: str) -> None:
        self.opened.append((self.position, kind))
        self._take("{" if kind else "(")
        self.wants = True

    def _close(self) -> bool:
        if not self.opened:
            return False
        first, kind = self.opened.pop()
        self.is_doubtful |= not kind and may_be_cut(self.tokens, first, self.position)
        self._take("}" if kind else ")")
        self.n_operators += bool(kind)
        if kind == "frac":
            self.wants = True
            if not at(self.tokens, self.position, "open"):
                return False
            self._open("denominator")
        return True

    def _juxtaposed(self, token: Token) -> bool:
        """A bracket, fraction or root right behind a number: a product or a mixed number, as `evaluate` knows."""
        tokens, index = self.tokens, self.position
        is_near = token.kind in ("constant", "frac") or is_glued(tokens, index) or at(tokens, index - 1, "close")
        if not is_near or self.unit_start is not None or self.pieces[-1] in self.names:
            self.stopped_by = "aside"
            return False
        self.n_operators += 1
        self.wants = True
        return True

    def _word(self, token: Token) -> bool:
        """Takes a word as an operator or as the unit of the number just read."""
        tokens, index = self.tokens, self.position
        word = token.plain.casefold()
        if multiplies(tokens, index):
            # `3x(4+1)` may hold an unknown, `3 x (4+1)` and `3x4` do not.
            self.is_doubtful |= is_glued(tokens, index) and tokens[index + 1].kind not in ("number", "currency")
            self._operator("*")
        elif word in _WORD_OPERATORS and starts(tokens, index + 1) and (word != "of" or self._is_share()):
            self._operator(_WORD_OPERATORS[word])
            self.has_word_operator = True
        elif word == "percent":
            self._mark("%")
            self.position += 1
        elif (end := unit_end(tokens, index)) is not None:
            self._unit(index, end)
        else:
            return False
        return True

    def _is_share(self) -> bool:
        """Whether the number just read is a percentage or a fraction, so that "of" multiplies."""
        last = self.pieces[-1]
        is_quotient = self.pieces[-2:-1] == ["/"] or (last == ")" and "/" in self.pieces)
        return is_quotient or last.endswith(("%)", "}"))

    def _unit(self, start: int, end: int) -> None:
        """Takes the words from `start` to `end` as the unit of the number just read."""
        words = [token.plain for token in self.tokens[start:end] if token.kind == "word"]
        first = words[0]
        factor = factor_of(first)
        if factor != 1:
            self._mark(f"@{factor}")
        elif len(first) == 1 and first.isascii() and first != "a":
            self.letters.add(first)
            self.n_lettered += 1
        elif first.isascii() and measure_of(first) is None and start == self.position and is_glued(self.tokens, start):
            self.is_doubtful = True  # 3Papillon may be an unknown, 3 apples are not
        self.labels.update(label for word in words if (label := label_of(word)))
        # `two terms as -1.5 + 3` begins with its negative number.
        self.is_doubtful |= is_sign(self.tokens, end)
        self.has_words = True
        self.unit_start = self.position
        self.position = end

    def _mark(self, mark: str) -> None:
        """Puts a factor that may count on the number just read: on all of `1/2` in `1/2 hour`."""
        if self.pieces[-2:-1] == ["/"] and is_fraction(self.tokens, self.position - 3):
            self.pieces[-3:] = ["".join(self.pieces[-3:])]
        if self.pieces[-1][-1] in ")}":
            self.is_doubtful = True
        else:
            self.pieces[-1] = f"({self.pieces[-1]}{mark})"

    def _take(self, piece: str, n_tokens: int = 1) -> None:
        self.pieces.append(piece)
        self.position += n_tokens
        self.unit_start = None
