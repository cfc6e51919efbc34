r"""The two sides of an equality in running text, rewritten into the plain language that `evaluate` computes.

What cannot be read for certain is not read: a letter that may be an unknown, a word that may be one more
term, an operator without its other side. Nothing is computed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .arithmetic_tokens import Token, measure_of, tokens_of
from .operand_words import CHANGING, SCALES, continues, is_bound, is_unit_word

__all__ = ["Operand", "read_left", "read_right"]

_MAX_UNIT_WORDS = 5
_STARTS = frozenset({"number", "constant", "numeral", "frac", "root", "open", "currency"})


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of an equality.

    Args:
        plain: the expression in the language of `evaluate`, with two marks that may follow a number and may
            count or not: `%`, and `@3600` where a word beside it is worth that factor (an hour, a dozen).
        start, end: where it stands in the text, in characters.
        is_number: it is one literal, not an expression.
        head: the first literal of `plain`.
        labels: what the words beside its numbers name: dimensions of units, stems of other words.
        letters: letters beside its numbers that may be units or unknowns (`2L`).
        names: capital letters that stand for values (`A * B`); `plain` holds them.
        is_doubtful: another reading is possible; it may confirm an equality but not refute one.
        is_truncated: its last digits are left out (`0.333...`).
    """

    plain: str
    start: int
    end: int
    is_number: bool
    head: str = ""
    labels: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    is_doubtful: bool = False
    is_truncated: bool = False


def read_right(text: str, start: int, end: int) -> Operand | None:
    """The operand with which `text[start:end]` begins; None where none does, or where it may go on unread.

    Example:
        >>> read_right("3*4 + 1, so", 0, 11).plain, read_right("3x + 1", 0, 6)
        ('3*4+1', None)
    """
    reader = _Reader(tokens_of(text, start, end), 0)
    reader.run()
    if reader.wants or continues(reader.tokens, reader.position, reader.stopped_by):
        return None
    return reader.operand(len(reader.opened))


def read_left(text: str, start: int, end: int, *, is_cut: bool = False) -> Operand | None:
    """The operand with which `text[start:end]` ends; None where none does, or where it may have begun unread.

    Args:
        text, start, end: what stands before the sign of equality.
        is_cut: text before `start` belongs to it and was left out.

    Example:
        >>> read_left("she pays 2 * $3", 0, 15).plain, read_left("tax + 2 * 3", 0, 11)
        ('2*3', None)
    """
    tokens = tokens_of(text, start, end)
    reader = None
    position = 0
    while position < len(tokens):
        reader = _Reader(tokens, position)
        reader.run()
        if position == 0 and reader.stopped_by == "close" and all(t.kind == "close" for t in tokens[reader.position :]):
            break
        position = max(reader.position, position + 1)
    if reader is None or reader.wants or (reader.position < len(tokens) and reader.stopped_by != "close"):
        return None
    # An unclosed bracket belongs to the sentence where nothing of the operand stands before it.
    first = reader.first + len(reader.opened)
    is_number = not reader.operators
    if (is_number and reader.has_words) or (is_cut and reader.first == 0):
        return None
    # A letter may be named after any word: "we calculate A = ...".
    if is_bound(tokens, reader.first, is_number=is_number and not reader.names):
        return None
    return reader.operand(first - reader.first)


@dataclass(slots=True)
class _Reader:
    """Reads one operand from `first` on and remembers what is still open."""

    tokens: Sequence[Token]
    first: int
    position: int = 0
    pieces: list[str] = field(default_factory=list)
    opened: list[tuple[int, str]] = field(default_factory=list)  # (token, kind) of every bracket still open
    labels: set[str] = field(default_factory=set)
    letters: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    head: str = ""
    operators: int = 0
    n_terms: int = 1
    n_lettered: int = 0
    wants: bool = True  # a number must come next
    has_words: bool = False
    is_doubtful: bool = False
    stopped_by: str = ""  # the kind of the token that ended the reading; "" where the tokens ended

    def run(self) -> None:
        self.position = self.first
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if not (self._number(token) if self.wants else self._after(token)):
                self.stopped_by = self.stopped_by or token.kind
                return

    def operand(self, leading: int) -> Operand | None:
        """What was read, without `leading` unclosed brackets at its beginning; None where others are open."""
        if self.opened and self.opened[-1][0] != self.first + leading - 1:
            return None
        # `2L + 8L` counts in L whatever L is; `2L + 8` and `2L * 8L` do not.
        if self.letters and (len(self.letters) > 1 or self.n_lettered != self.n_terms):
            return None
        return Operand(
            "".join(self.pieces[leading:]),
            self.tokens[self.first + leading].start,
            self.tokens[self.position - 1].end,
            is_number=not self.operators,
            head=self.head,
            labels=frozenset(self.labels),
            letters=frozenset(self.letters),
            names=frozenset(self.names),
            is_doubtful=self.is_doubtful,
            is_truncated=self.stopped_by == "ellipsis",
        )

    def _number(self, token: Token) -> bool:
        """Takes `token` where a number must come; False where it cannot."""
        kind = token.kind
        if kind in ("number", "numeral", "constant"):
            self.head = self.head or token.plain
            self.position += self._literal(token)
            self.wants = False
        elif kind == "currency":
            self.position += 1
        elif kind == "open":
            self._open("")
        elif kind in ("frac", "root"):
            self._take(rf"\{'frac' if kind == 'frac' else 'sqrt'}")
            if not self._at(self.position, "open"):
                return False
            self._open(kind)
        elif kind == "operator" and token.plain in "+-":
            # One sign may follow an operator, a second may not: `5 - -2`, never `5 - - -2`.
            if len(self.pieces) > 1 and all(piece in "+-" for piece in self.pieces[-2:]):
                return False
            self._take(token.plain)
        elif kind == "word" and len(token.plain) == 1 and token.plain.isupper():
            self.names.add(token.plain)
            self._take(token.plain)
            self.wants = False
        else:
            return False
        return True

    def _literal(self, token: Token) -> int:
        """Appends a number, a mixed number or a fraction written without spaces; the count of tokens it took."""
        following = self.tokens[self.position + 1 : self.position + 4]
        if len(following) == 3 and _is_mixed(token, following):
            self.pieces.append(f"({token.plain}+{following[0].plain}/{following[2].plain})")
            return 4
        if following and following[0].kind == "constant" and token.plain.isdigit() and "frac" in following[0].plain:
            self.pieces.append(token.plain + following[0].plain)
            return 2
        if len(following) > 1 and self._divides() and _is_tight(token, following):
            # `6 / 1/2` divides by a half.
            self.pieces.append(f"({token.plain}/{following[1].plain})")
            return 3
        self.pieces.append(token.plain)
        return 1

    def _divides(self) -> bool:
        previous = self.tokens[self.position - 1] if self.position > self.first else None
        return previous is not None and previous.plain == "/" and previous.end < self.tokens[self.position].start

    def _after(self, token: Token) -> bool:
        """Takes `token` where a number is complete; False where the operand ends before it."""
        kind = token.kind
        if kind == "operator":
            self._operator(token.plain)
        elif kind == "power":
            self._operator("^")
        elif kind == "superscript":
            self._operator("^")
            self.pieces.append(token.plain)
            self.wants = False
        elif kind == "close":
            return self._close()
        elif kind in ("open", "frac", "root", "constant"):
            return self._juxtaposed(token)
        elif kind == "percent":
            self._mark("%")
        elif kind == "currency" and not self._at(self.position + 1, "number"):
            self.position += 1
        elif kind == "word":
            return self._word(token)
        elif kind == "factorial" and self._is_glued():
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
            if not self._at(self.position, "open"):
                self.wants = True
                return False
            self._open("denominator")
        return True

    def _juxtaposed(self, token: Token) -> bool:
        before = self.pieces[-1]
        if before.isalpha():
            return False
        is_fraction = "frac" in token.plain
        if self._at(self.position - 1, "currency") or not (is_fraction or self._is_glued() or before[-1] in ")}"):
            self.stopped_by = "aside"
            return False
        # A whole number before a fraction is a mixed number, which `evaluate` knows; anything else is a product.
        if not (is_fraction and before.isdigit()):
            self.pieces.append("*")
        self.operators += 1
        self.wants = True
        return True

    def _word(self, token: Token) -> bool:
        word = token.plain.casefold()
        following = self.tokens[self.position + 1] if self.position + 1 < len(self.tokens) else None
        if following is not None and following.kind in _STARTS:
            if word == "x":
                # `3x(4+1)` may hold an unknown, `3 x (4+1)` and `3x4` do not.
                self.is_doubtful |= self._is_glued() and following.kind not in ("number", "currency")
                self._operator("*")
                return True
            if word in ("times", "plus", "minus") or (word == "of" and self._is_share()):
                self._operator({"plus": "+", "minus": "-"}.get(word, "*"))
                return True
        end = self._unit_end()
        if end is None:
            return False
        self._unit(end)
        return True

    def _is_share(self) -> bool:
        """Whether the number just read is a percentage or a fraction, so that "of" multiplies."""
        last = self.pieces[-1]
        return (
            last.endswith(("%)", "}"))
            or "frac" in last
            or self.pieces[-2:-1] == ["/"]
            or (last == ")" and "/" in self.pieces)
        )

    def _unit_end(self) -> int | None:
        """The token after the unit that begins here; None where the words are no unit of this number."""
        index = self.position
        while self._at(index, "word") and index - self.position <= _MAX_UNIT_WORDS:
            word = self.tokens[index].plain
            is_glued = index == self.position and self._is_glued()
            if not is_unit_word(word, is_first=index == self.position, is_glued=is_glued):
                return None
            index += 1
            if self._at(index, "operator", "/") and self._at(index + 1, "word"):
                index += 1
        if index == len(self.tokens) or (self._at(index, "close") and self.opened):
            return index
        if not self._at(index, "operator"):
            return None
        after = index + 1
        if self._at(after, "operator", "-") or self._at(after, "operator", "+"):
            after += 1
        return index if after < len(self.tokens) and self.tokens[after].kind in _STARTS else None

    def _unit(self, end: int) -> None:
        words = [token.plain for token in self.tokens[self.position : end] if token.kind == "word"]
        first = words[0]
        if len(first) == 1 and first != "a":
            self.letters.add(first)
            self.n_lettered += 1
        elif first.casefold() in ("percent", "percents"):
            self._mark("%")
        elif first.casefold() in SCALES:
            self._mark(f"@{SCALES[first.casefold()]}")
        elif (unit := measure_of(first)) is not None:
            self.labels.add(unit.dimension)
            if unit.factor != 1:
                self._mark(f"@{unit.factor}")
        else:
            self.is_doubtful |= self._is_glued()
        self.labels.update(word.casefold().rstrip("s") for word in words if len(word) > 2 and measure_of(word) is None)
        self.has_words = True
        self.position = end

    def _mark(self, mark: str) -> None:
        if self.pieces[-1][-1] in ")}":
            self.is_doubtful = True
        else:
            self.pieces[-1] = f"({self.pieces[-1]}{mark})"
        self.position += 1

    def _at(self, index: int, kind: str, plain: str = "") -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == kind and plain in self.tokens[index].plain

    def _is_glued(self) -> bool:
        return self.position > 0 and self.tokens[self.position - 1].end == self.tokens[self.position].start

    def _take(self, piece: str) -> None:
        self.pieces.append(piece)
        self.position += 1


def _is_mixed(whole: Token, following: Sequence[Token]) -> bool:
    numerator, _over, denominator = following
    return (
        whole.plain.isdigit()
        and whole.end < numerator.start
        and numerator.kind == "number"
        and _is_tight(numerator, following[1:])
        and int(numerator.plain[:9]) < int(denominator.plain[:9])
    )


def _is_tight(numerator: Token, following: Sequence[Token]) -> bool:
    """Whether a fraction of whole numbers is written without spaces."""
    over, denominator = following[:2]
    return (
        over.plain == "/"
        and numerator.end == over.start
        and over.end == denominator.start
        and numerator.plain.isdigit()
        and denominator.plain.isdigit()
    )
