r"""Arithmetic as it is written in prose and LaTeX: `$5 x 3 boxes`, `20% of 50`, `3 1/2`, `\frac{3}{4}\cdot 8`.

An operand is rewritten into the plain language of `verifiers.expression.arithmetic`, which alone computes.
What cannot be read for certain is not read: a letter that may be an unknown, a word that may be one more
term, an operator without its other side.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Operand", "Token", "read_left", "read_right", "tokens_of"]


class Token(NamedTuple):
    """A piece of text: its kind, its place, and for numbers and operators their plain spelling."""

    kind: str
    start: int
    end: int
    plain: str


class Operand(NamedTuple):
    """One side of an equality.

    Args:
        plain: the expression in the language of `evaluate`, with marks of `_MARK` behind numbers whose
            percent sign or word may count as a factor or as a mere label.
        start, end: where it stands in the text.
        is_number: it is a single literal, not an expression.
        is_doubtful: another reading exists that the marks do not express; it can hold but not be refuted.
    """

    plain: str
    start: int
    end: int
    is_number: bool
    is_doubtful: bool = False
    is_truncated: bool = False


_TOKEN = re.compile(
    r"""
    (?P<bullet>(?:\n\s*|\A\s*)(?:[-–*•+]|[0-9]{1,2}[.)]|\([0-9]{1,2}\))[ \t]+)
  | (?P<gap>[ \t\r\f\v\u00a0\u2009\u202f]+|\\[,;:!>\ ]|\\q?quad(?![a-zA-Z])|~|&)
  | (?P<stop>\n|\\\\|\.(?![0-9])|,(?![0-9])|[;:"“”?]|\\\[|\\\]|\\\(|\\\)|[→⇒∴<>≤≥≠—]|->
      |\\(?:Rightarrow|implies|to|rightarrow|therefore|because|le|leq|ge|geq|ne|neq|iff|Longrightarrow)(?![a-zA-Z]))
  | (?P<currency>\\?\$|[€£¥₹])
  | (?P<ellipsis>(?:\.\.\.+|…|\\[cl]?dots(?![a-zA-Z])))
  | (?P<ratio>[0-9]+(?::[0-9]+|\s:\s[0-9]+))
  | (?P<fraction>\\[dtc]?frac\s*[0-9]\s*[0-9])
  | (?P<frac>\\[dtc]?frac(?=\s*\{))
  | (?P<root>\\sqrt(?=\s*\{)|√(?=\())
  | (?P<number>(?:[0-9]{1,3}(?:(?:,|\{,\}|\\,|\\!,?|,\\!)[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
      (?:[eE][+-]?[0-9]{1,4}(?![0-9a-zA-Z]))?)
  | (?P<vulgar>[¼½¾⅐-⅞])
  | (?P<superscript>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<percent>\\?%|[％])
  | (?P<power>\^|(?<=[0-9)])\*\*(?=[0-9(]))
  | (?P<markup>\*\*+|__+|`)
  | (?P<times>\\times(?![a-zA-Z])|\\cdot(?![a-zA-Z])|\\ast(?![a-zA-Z])|[*×✕⋅·∙•])
  | (?P<over>\\div(?![a-zA-Z])|[/÷∕⁄])
  | (?P<plus>\+)
  | (?P<minus>[-−–])
  | (?P<open>(?:\\left\s*|\\[bB]igg?l?\s*|\\boxed\s*|\\mathbf\s*|\\fbox\s*)?(?:[(\[{]|\\\{))
  | (?P<close>(?:\\right\s*|\\[bB]igg?r?\s*)?(?:[)\]}]|\\\}))
  | (?P<words>\\(?:text|mathrm|mbox|textrm|textbf|textit)\s*\{[^{}0-9\\]{0,60}\})
  | (?P<factorial>!)
  | (?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SILENT = frozenset({"gap", "markup"})
_OPERATORS = {"times": "*", "over": "/", "plus": "+", "minus": "-", "power": "^"}
_WORD_OPERATORS = {"times": "*", "plus": "+", "minus": "-"}
_VULGAR = {
    "¼": "1/4", "½": "1/2", "¾": "3/4", "⅐": "1/7", "⅑": "1/9", "⅒": "1/10", "⅓": "1/3", "⅔": "2/3", "⅕": "1/5",
    "⅖": "2/5", "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_GROUPING = re.compile(r"\{,\}|[,\\!]")
_STARTS = frozenset({"number", "fraction", "frac", "root", "open", "vulgar", "currency"})


def tokens_of(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of `text[start:end]`, spaces left out; linear in its length."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup or "other"
        if kind in _SILENT:
            continue
        piece = match.group()
        if kind == "bullet":
            kind = "stop"
        elif kind == "number":
            piece = _plain_number(piece)
        elif kind == "fraction":
            piece = _plain_fraction(piece)
        elif kind == "vulgar":
            piece = f"({_VULGAR[piece]})"
        elif kind == "words":
            piece = piece[piece.index("{") + 1 : -1].strip()
            if not piece:
                continue
            kind = "word" if any(map(str.isalpha, piece)) else "stop"
        elif kind in _OPERATORS:
            piece = _OPERATORS[kind]
            kind = "power" if kind == "power" else "operator"
        found.append(Token(kind, match.start(), match.end(), piece))
    return found


def _plain_number(text: str) -> str:
    if "e" in text or "E" in text:
        mantissa, exponent = re.split("[eE]", text)
        return f"({_GROUPING.sub('', mantissa)}*10^{exponent})"
    return _GROUPING.sub("", text)


def _plain_fraction(text: str) -> str:
    digits = [character for character in text if character.isdigit()]
    return f"\\frac{{{digits[0]}}}{{{digits[1]}}}"


def read_right(tokens: Sequence[Token]) -> Operand | None:
    """The operand with which `tokens` begin; None where none does, or where it may go on unread.

    Example:
        >>> read_right(tokens_of(" 3*4 = 12")).plain, read_right(tokens_of("3x + 1"))
        ('3*4', None)
    """
    reader = _Reader(tokens, 0)
    reader.run()
    if reader.wants or _goes_on(reader):
        return None
    leading = len(reader.opened)
    if reader.opened and reader.opened[-1][0] != leading - 1:
        return None
    return _operand(reader, leading)


def read_left(tokens: Sequence[Token], *, is_cut: bool = False) -> Operand | None:
    """The operand with which `tokens` end; None where none does, or where it may have begun unread.

    Args:
        tokens: what stands before the sign of equality.
        is_cut: text before the first token was left out.
    """
    position = 0
    reader = None
    while position < len(tokens):
        reader = _Reader(tokens, position)
        reader.run()
        if position == 0 and reader.stopped_by == "close" and all(t.kind == "close" for t in tokens[reader.position :]):
            break
        position = max(reader.position, position + 1)
    if reader is None or reader.wants or (reader.position < len(tokens) and reader.stopped_by != "close"):
        return None
    leading = len(reader.opened)
    if reader.opened and reader.opened[-1][0] != reader.first + leading - 1:
        return None
    if (is_cut and reader.first == 0) or _began_before(reader, leading):
        return None
    return _operand(reader, leading)


def _operand(reader: "_Reader", leading: int) -> Operand | None:
    plain = "".join(reader.pieces[leading:])
    if not plain:
        return None
    return Operand(
        plain,
        reader.tokens[reader.first + leading].start,
        reader.tokens[reader.position - 1].end,
        is_number=reader.operators == 0,
        is_doubtful=reader.doubtful,
        is_truncated=reader.stopped_by == "ellipsis",
    )


def _goes_on(reader: "_Reader") -> bool:
    """Whether what follows the operand may belong to its value."""
    if reader.stopped_by in ("", "stop", "close", "ellipsis"):
        return False
    tokens, index = reader.tokens, reader.position
    if reader.stopped_by == "aside":
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        return following is None or following.kind != "word" or following.plain.casefold() in ("mod", "base", "modulo")
    if reader.stopped_by != "word":
        return True
    for token in tokens[index : index + _MAX_UNIT_WORDS]:
        if token.kind != "word":
            return token.kind in ("operator", "power", "superscript", "ratio", "other")
        word = token.plain.casefold()
        if word in _CHANGING or (len(word) == 1 and (word not in ("a", "i") or tokens[index - 1].end == token.start)):
            return True
    return False


def _began_before(reader: "_Reader", leading: int) -> bool:
    """Whether what stands before the operand may belong to its value."""
    tokens, first = reader.tokens, reader.first
    is_number = reader.operators == 0
    if is_number and reader.words:
        return True
    if first == 0:
        return False
    before = tokens[first - 1]
    if before.kind in ("stop", "open"):
        return False
    if before.kind == "currency":
        return first > 1 and tokens[first - 2].kind not in ("stop", "open", "word")
    if before.kind != "word" or is_number or before.end == tokens[first].start:
        return True
    if tokens[first].kind == "operator":
        return True
    word = before.plain.casefold()
    if word == "of" and first > 1 and tokens[first - 2].plain.casefold() in _SUMS:
        return False
    return word in _BINDING or (len(word) == 1 and word not in ("a", "i"))


# Words that turn the number beside them into another one, or make it something that is not a value.
_CHANGING = frozenset(
    ["squared", "cubed", "factorial", "half", "halves", "third", "thirds", "quarter", "quarters", "fourth", "fourths", "fifth", "fifths", "twice", "double", "triple", "thrice", "less", "more", "fewer", "mod", "modulo", "choose", "am", "pm", "a.m", "p.m", "o'clock", "th", "st", "nd", "rd", "remainder", "r", "log", "ln", "sin", "cos", "tan", "exp", "sqrt", "max", "min", "gcd", "lcm", "root"]
)
# Words after which a number is only part of what is meant: "half of 8 + 2", "3 less than 5 * 2", "not 2 + 2 = 5".
_BINDING = _CHANGING | frozenset(
    ["of", "by", "than", "per", "over", "times", "plus", "minus", "negative", "not", "average", "mean", "median", "base", "to"]
)
_SUMS = frozenset(["total", "sum", "cost"])
_MAX_UNIT_WORDS = 5


class _Reader:
    """Reads one operand, token by token, into plain language; remembers what is still open."""

    def __init__(self, tokens: Sequence[Token], first: int) -> None:
        self.tokens = tokens
        self.first = first
        self.position = first
        self.pieces: list[str] = []
        self.opened: list[tuple[int, int, str]] = []  # (token, piece, kind) of every bracket still open
        self.wants = True
        self.operators = 0
        self.words = 0
        self.doubtful = False
        self.stopped_by = ""  # why the reading ended; "" at the end of the tokens

    def run(self) -> None:
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if not (self._operand(token) if self.wants else self._after(token)):
                return

    def _operand(self, token: Token) -> bool:
        if token.kind == "number":
            self._number(token)
        elif token.kind in ("fraction", "vulgar"):
            self._take(token.plain)
            self.wants = False
        elif token.kind == "currency":
            self.position += 1
        elif token.kind == "open":
            self._open(token)
        elif token.kind in ("frac", "root"):
            self._take("\\frac" if token.kind == "frac" else "\\sqrt")
            if not (self._peek("open")):
                return self._stop("dangling")
            self._open(self.tokens[self.position], token.kind)
        elif token.kind == "operator" and token.plain in "+-" and self._is_sign():
            self._take(token.plain)
        else:
            return self._stop("dangling")
        return True

    def _is_sign(self) -> bool:
        # One sign may follow an operator, a second one may not: `5 - -2`, never `5 - - -2`.
        return len(self.pieces) < 2 or not all(piece in "+-" for piece in self.pieces[-2:])

    def _number(self, token: Token) -> None:
        following = self.tokens[self.position + 1 : self.position + 4]
        if len(following) == 3 and _is_mixed(token, following):
            _, over, denominator = following
            self.pieces.append(f"({token.plain}+{following[0].plain}/{denominator.plain})")
            self.position += 4
        elif following and following[0].kind == "vulgar":
            self.pieces.append(f"({token.plain}+{following[0].plain})")
            self.position += 2
        else:
            self._take(token.plain)
        self.wants = False

    def _open(self, token: Token, kind: str = "") -> None:
        self.opened.append((self.position, len(self.pieces), kind))
        self._take("{" if kind else "(")
        self.wants = True

    def _after(self, token: Token) -> bool:
        kind = token.kind
        if kind == "operator":
            self.operators += 1
            self._take(token.plain)
            self.wants = True
        elif kind == "power":
            self._take("^")
            self.operators += 1
            self.wants = True
        elif kind == "superscript":
            self._take("^" + token.plain.translate(_SUPERSCRIPTS))
            self.operators += 1
        elif kind == "close":
            if not self.opened:
                return self._stop("close")
            _, _, opened_by = self.opened.pop()
            self._take("}" if opened_by else ")")
            if opened_by == "frac":
                if not self._peek("open"):
                    return self._stop("dangling")
                self._open(self.tokens[self.position], "denominator")
            elif opened_by:
                self.operators += 1
        elif kind in ("open", "frac", "root", "fraction"):
            return self._juxtaposed(token)
        elif kind == "currency" and not self._at(self.position + 1, "number"):
            self.position += 1
        elif kind == "percent":
            self._mark("%")
            self.position += 1
        elif kind == "word":
            return self._words(token)
        elif kind == "factorial" and self._glued():
            self._take("!")
            self.operators += 1
            self.doubtful = True
        else:
            return self._stop(kind)
        return True

    def _juxtaposed(self, token: Token) -> bool:
        before = self.pieces[-1]
        is_fraction = token.kind in ("frac", "fraction")
        if self._at(self.position - 1, "currency") or not (is_fraction or self._glued() or before[-1] in ")}"):
            return self._stop("aside")
        # A whole number before a fraction is a mixed number, which `evaluate` knows; anything else is a product.
        if not (is_fraction and before.isdigit()):
            self.pieces.append("*")
        self.operators += 1
        self.wants = True
        return True

    def _words(self, token: Token) -> bool:
        word = token.plain.casefold()
        following = self.tokens[self.position + 1] if self.position + 1 < len(self.tokens) else None
        if word in ("x", "times", "plus", "minus") and following is not None and following.kind in _STARTS:
            if word == "x" and self._glued() and following.kind not in ("number", "currency"):
                self.doubtful = True
            self._take(_WORD_OPERATORS.get(word, "*"))
            self.operators += 1
            self.wants = True
            return True
        if word == "of" and following is not None and following.kind in _STARTS and self._is_share():
            self._take("*")
            self.operators += 1
            self.wants = True
            return True
        end = self._unit_end()
        if end < 0:
            return self._stop("word")
        self.position = end
        self.words += 1
        return True

    def _is_share(self) -> bool:
        return (
            self.pieces[-1].endswith(("%)", "}"))
            or (self.pieces[-1][-1] == ")" and "/" in self.pieces[-1])
            or (len(self.pieces) >= 3 and self.pieces[-2] == "/" and self.pieces[-1].isdigit())
        )

    def _unit_end(self) -> int:
        """The token after the unit that starts here, or -1 where the words are no unit."""
        index = self.position
        while (
            index < len(self.tokens) and self.tokens[index].kind == "word" and index - self.position < _MAX_UNIT_WORDS
        ):
            word = self.tokens[index].plain
            if word.casefold() in _CHANGING or (len(word) == 1 and (word != "a" or self._glued())):
                return -1
            index += 1
            if self._at(index, "operator", "/") and self._at(index + 1, "word"):
                index += 1
        if index == len(self.tokens):
            return index
        token = self.tokens[index]
        if token.kind == "operator":
            return index if self._operand_follows(index + 1) else -1
        return index if token.kind == "close" and self.opened else -1

    def _operand_follows(self, index: int) -> bool:
        if self._at(index, "operator") and self.tokens[index].plain in "+-":
            index += 1
        return index < len(self.tokens) and self.tokens[index].kind in _STARTS

    def _at(self, index: int, kind: str, plain: str = "") -> bool:
        return index < len(self.tokens) and self.tokens[index].kind == kind and plain in self.tokens[index].plain

    def _mark(self, mark: str) -> None:
        if self.pieces[-1][-1] in ")}":
            self.pieces.append(mark)
            self.doubtful = True
        else:
            self.pieces[-1] = f"({self.pieces[-1]}{mark})"

    def _peek(self, kind: str) -> bool:
        return self._at(self.position, kind)

    def _glued(self) -> bool:
        return self.position > 0 and self.tokens[self.position - 1].end == self.tokens[self.position].start

    def _take(self, piece: str) -> None:
        self.pieces.append(piece)
        self.position += 1

    def _stop(self, reason: str) -> bool:
        self.stopped_by = reason
        return False


def _is_mixed(whole: Token, following: Sequence[Token]) -> bool:
    numerator, over, denominator = following
    return (
        numerator.kind == denominator.kind == "number"
        and over.plain == "/"
        and numerator.end == over.start
        and over.end == denominator.start
        and whole.end < numerator.start
        and all(token.plain.isdigit() for token in (whole, numerator, denominator))
        and int(numerator.plain[:9]) < int(denominator.plain[:9])
    )
