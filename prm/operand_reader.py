"""One operand, read token by token into the plain language of `evaluate`; what `operands` decides from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .arithmetic_tokens import Token, measure_of
from .operand_words import SCALES, is_unit_word, label_of

__all__ = ["Reader"]

_MAX_UNIT_WORDS = 5
_MAX_POWERS = 8
_MAX_LITERAL = 50
_MAX_PIECES = 200
_LITERALS = frozenset({"number", "numeral", "constant"})
_STARTS = _LITERALS | {"frac", "root", "open", "currency"}


@dataclass(slots=True)
class Reader:
    """Reads from `first` on until a token cannot belong to the operand.

    Args:
        tokens, first: where to begin.
        position: the first token that was not read.
        pieces: the plain spelling so far.
        opened: (token, kind) of every bracket still open.
        wants: a number must come next, so that what was read is no operand yet.
        operators: how many; 0 for a single literal.
        n_terms, n_lettered, n_powers: how many terms its sums have, numbers with a letter, and powers.
        has_words: a unit stands in it.
        has_word_operator: one of its operators is a word.
        unit_start: where the unit begins that was read last, None where something followed it.
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
    operators: int = 0
    n_terms: int = 1
    n_lettered: int = 0
    n_powers: int = 0
    unit_start: int | None = None
    stopped_by: str = ""
    head: str = ""
    labels: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    has_words: bool = False
    has_word_operator: bool = False
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
        if kind in _LITERALS:
            if len(token.plain) > _MAX_LITERAL:
                return False
            if not self.pieces:
                self.head = token.plain
            self.position += self._literal(token)
            self.wants = False
        elif kind == "currency":
            self.has_currency = True
            self.position += 1
        elif kind == "open":
            self._open("")
        elif kind in ("frac", "root"):
            self._take(r"\frac" if kind == "frac" else r"\sqrt")
            if not self._at(self.position, "open"):
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

    def _literal(self, token: Token) -> int:
        """Appends a number, a mixed number or a fraction that is a divisor; the count of tokens it took."""
        following = self.tokens[self.position + 1 : self.position + 4]
        if len(following) == 3 and _is_mixed(token, following):
            self.pieces.append(f"({token.plain}+{following[0].plain}/{following[2].plain})")
            return 4
        if following and following[0].kind == "constant" and "frac" in following[0].plain and token.plain.isdigit():
            self.pieces.append(token.plain + following[0].plain)
            return 2
        if len(following) > 1 and self._is_spaced_divisor() and _is_fraction(token, *following[:2]):
            # `6 / 1/2` divides by a half.
            self.pieces.append(f"({token.plain}/{following[1].plain})")
            return 3
        self.pieces.append(token.plain)
        return 1

    def _is_spaced_divisor(self) -> bool:
        before = self.tokens[self.position - 1]
        return self.position > self.first and before.plain == "/" and before.end < self.tokens[self.position].start

    def _after(self, token: Token) -> bool:
        """Takes `token` where a number is complete; False where the operand ends before it."""
        kind = token.kind
        if kind == "operator":
            if (
                token.plain == "/"
                and (end := self._unit_end(self.position + 1)) is not None
                and end > self.position + 1
            ):
                self._unit(end)  # $11/platter
            else:
                self._operator(token.plain)
        elif kind == "power":
            return self._power()
        elif kind == "superscript":
            return self._power(token.plain)
        elif kind == "close":
            return self._close()
        elif kind in ("open", "frac", "root", "constant"):
            return self._juxtaposed(token)
        elif kind == "percent":
            self._mark("%")
            self.position += 1
        elif kind == "currency" and not self._at(self.position + 1, "number"):
            self.position += 1
        elif kind == "word":
            return self._word(token)
        elif kind == "factorial" and self._is_glued(self.position):
            self._operator("!")
            self.wants = False
            self.is_doubtful = True
        else:
            return False
        return True

    def _operator(self, plain: str) -> None:
        self.operators += 1
        self.n_terms += plain in "+-"
        self._take(plain)
        self.wants = True

    def _power(self, exponent: str = "") -> bool:
        self.n_powers += 1
        if self.n_powers > _MAX_POWERS:
            return False
        if exponent:
            self.pieces.append("^")
        self._operator(exponent or "^")
        self.wants = not exponent
        return True

    def _open(self, kind: str) -> None:
        self.opened.append((self.position, kind))
        self._take("{" if kind else "(")
        self.wants = True

    def _close(self) -> bool:
        if not self.opened:
            return False
        _, kind = self.opened.pop()
        self._take("}" if kind else ")")
        self.operators += bool(kind)
        if kind == "frac":
            self.wants = True
            if not self._at(self.position, "open"):
                return False
            self._open("denominator")
        return True

    def _juxtaposed(self, token: Token) -> bool:
        """A bracket, fraction or root right behind a number: a product or a mixed number, as `evaluate` knows."""
        is_fraction = token.kind in ("constant", "frac")
        is_near = is_fraction or self._is_glued(self.position) or self._at(self.position - 1, "close")
        is_apart = self.unit_start is not None or self._at(self.position - 1, "currency")
        if not is_near or is_apart or self.pieces[-1] in self.names:
            self.stopped_by = "aside"
            return False
        self.operators += 1
        self.wants = True
        return True

    def _word(self, token: Token) -> bool:
        if self._multiplies(self.position):
            # `3x(4+1)` may hold an unknown, `3 x (4+1)` and `3x4` do not.
            following = self.tokens[self.position + 1]
            self.is_doubtful |= self._is_glued(self.position) and following.kind not in ("number", "currency")
            self._operator("*")
            return True
        word = token.plain.casefold()
        if self._starts(self.position + 1) and (
            word in ("times", "plus", "minus") or (word == "of" and self._is_share())
        ):
            self._operator({"plus": "+", "minus": "-"}.get(word, "*"))
            self.has_word_operator = True
            return True
        if word == "percent":
            self._mark("%")
            self.position += 1
            return True
        end = self._unit_end(self.position)
        if end is None:
            return False
        self._unit(end)
        return True

    def _multiplies(self, index: int) -> bool:
        """Whether a letter x there is a multiplication sign."""
        return self._at(index, "word") and self.tokens[index].plain in ("x", "X") and self._starts(index + 1)

    def _is_share(self) -> bool:
        """Whether the number just read is a percentage or a fraction, so that "of" multiplies."""
        last = self.pieces[-1]
        is_fraction = self.pieces[-2:-1] == ["/"] or (last == ")" and "/" in self.pieces)
        return last.endswith(("%)", "}")) or is_fraction

    def _unit_end(self, start: int) -> int | None:
        """The token after the unit that begins at `start`; None where the words there are no unit of this number."""
        index = start
        while self._at(index, "word") and index - start <= _MAX_UNIT_WORDS and not self._multiplies(index):
            is_first = index == start
            is_glued = is_first and start == self.position and self._is_glued(start)
            if not is_unit_word(self.tokens[index].plain, is_first=is_first, is_glued=is_glued):
                break
            index += 1
            if self._at(index, "operator") and self.tokens[index].plain == "/" and self._at(index + 1, "word"):
                index += 1
        if index > start and len(self.tokens[start].plain) > 1:
            index = self._exponent_end(index)
        if index == start or self._at(index, "number") or self._at(index, "numeral") or self._at(index, "constant"):
            return None
        if self._at(index, "power") or self._at(index, "superscript"):
            return None
        if self._at(index, "operator"):
            after = index + 1
            if self._at(after, "operator") and self.tokens[after].plain in "+-":
                after += 1
            return index if self._starts(after) else None
        return index

    def _exponent_end(self, index: int) -> int:
        """The token after the exponent of a unit (`cm^2`, `cm^{2}`, `cm²`) that may stand at `index`."""
        if self._at(index, "superscript"):
            return index + 1
        if self._at(index, "power") and self._at(index + 1, "number"):
            return index + 2
        if self._at(index, "power") and self._at(index + 1, "open") and self._at(index + 3, "close"):
            return index + 4
        return index

    def _unit(self, end: int) -> None:
        """Takes the words up to `end` as the unit of the number just read."""
        words = [token.plain for token in self.tokens[self.position : end] if token.kind == "word"]
        first = words[0].casefold()
        if len(first) == 1 and first.isascii() and first != "a":
            self.letters.add(words[0])
            self.n_lettered += 1
        elif first in SCALES:
            self._mark(f"@{SCALES[first]}")
        elif (unit := measure_of(words[0])) is None:
            # 3Papillon may be an unknown, 3 apples are not.
            is_word = self.tokens[self.position].kind == "word"
            self.is_doubtful |= is_word and first.isascii() and self._is_glued(self.position)
        elif unit.factor != 1:
            self._mark(f"@{unit.factor}")
        self.labels.update(label for word in words if (label := label_of(word)))
        self.is_doubtful |= self._ends_range()
        self.has_words = True
        self.unit_start = self.position
        self.position = end

    def _ends_range(self) -> bool:
        """Whether the number just read ends a range: `3-4 hours`."""
        last = [token.plain for token in self.tokens[max(0, self.position - 3) : self.position]]
        is_tight = self._is_glued(self.position - 1) and self._is_glued(self.position - 2)
        return (
            is_tight and last[1:2] == ["-"] and last[0].isdigit() and last[2].isdigit() and int(last[0]) < int(last[2])
        )

    def _mark(self, mark: str) -> None:
        """Puts a factor that may count on the number just read: all of `1/2` in `1/2 hour`."""
        last = self.tokens[max(self.first, self.position - 3) : self.position]
        if len(last) == 3 and _is_fraction(*last) and self.pieces[-2:-1] == ["/"]:
            self.pieces[-3:] = ["".join(self.pieces[-3:])]
        if self.pieces[-1][-1] in ")}":
            self.is_doubtful = True
        else:
            self.pieces[-1] = f"({self.pieces[-1]}{mark})"

    def _at(self, index: int, kind: str) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == kind

    def _starts(self, index: int) -> bool:
        return index < len(self.tokens) and self.tokens[index].kind in _STARTS

    def _is_glued(self, index: int) -> bool:
        return index > 0 and self.tokens[index - 1].end == self.tokens[index].start

    def _take(self, piece: str) -> None:
        self.pieces.append(piece)
        self.position += 1
        self.unit_start = None


def _is_mixed(whole: Token, following: Sequence[Token]) -> bool:
    return (
        whole.plain.isdigit()
        and whole.end < following[0].start
        and following[0].kind == "number"
        and _is_fraction(*following)
        and int(following[0].plain[:9]) < int(following[2].plain[:9])
    )


def _is_fraction(numerator: Token, over: Token, denominator: Token) -> bool:
    """Whether the three are a fraction of whole numbers, written without spaces."""
    return (
        over.plain == "/"
        and numerator.end == over.start
        and over.end == denominator.start
        and numerator.plain.isdigit()
        and denominator.plain.isdigit()
    )
