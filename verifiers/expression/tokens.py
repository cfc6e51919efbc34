r"""Tokens of one normalised mathematical expression, or the reason why it is not read.

Only what has one reading becomes a token. Words, units, `\text{}`, unknown commands, differentials, a number
that may be in scientific notation, letters other than Latin and Greek: all are refused, never guessed.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["MAX_CHARACTERS", "MAX_TOKENS", "Token", "UnreadableError", "tokenise"]

MAX_CHARACTERS = 2_000
MAX_TOKENS = 400
MAX_DIGITS = 300
"""Longer numbers inside an expression are not read (alone they are: see `numbers`)."""

_TOKEN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<degree>\^ ?\\circ(?![a-zA-Z]))"
    r"|\\(?P<command>[a-zA-Z]+)"
    r"|(?P<letters>[a-zA-Z]+)"
    r"|(?P<mark>[-+*/^_(){}\[\]|!'])"
    r"|(?P<space> )"
)
_SCIENTIFIC = re.compile(r"\d[eE][+-]?\d")
_DIFFERENTIAL = re.compile(r"(?<![\\a-zA-Z])d(?:[xyztur](?![a-zA-Z])|(?=\}\{d)| ?\\theta)|\\partial")
_GREEK = frozenset(
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
     "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi",
     "Omega", "ell")
)  # fmt: skip
_COMMANDS = frozenset(
    ("frac", "sqrt", "binom", "times", "cdot", "lfloor", "rfloor", "lceil", "rceil",
     "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "sech",
     "csch", "ln", "log", "lg", "exp", "arranged", "gcd", "lcm", "max", "min", "mod", "sum", "prod")
)  # fmt: skip
_RENAMED = {"dbinom": "binom", "tbinom": "binom"}
_PLAIN_FUNCTIONS = {
    "abs": "abs",
    "floor": "floor",
    "ceil": "ceil",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}
_CONSTANTS = {"e": "e", "i": "i"}


class UnreadableError(Exception):
    """The text is not read; the message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Token:
    r"""One token.

    Args:
        kind: `"number"`, `"symbol"`, `"constant"`, `"command"`, `"plain"` (a function in plain letters, whose
            argument must stand in parentheses), `"mark"` or `"degree"`.
        text: the name or the mark; of a number, as written.
        spaced: whether a space stands before it.
        value: of a number, its exact value.
    """

    kind: str
    text: str
    spaced: bool = False
    value: Fraction | None = None


def tokenise(text: str) -> list[Token]:
    r"""The tokens of `text`, an expression as `normalise` spells it. Linear in its length.

    Raises:
        UnreadableError: it holds what is not certain to be read, or is too long.

    Example:
        >>> [token.text for token in tokenise(r"2ab+\frac{\pi}{3}")]
        ['2', 'a', 'b', '+', 'frac', '{', 'pi', '}', '{', '3', '}']
    """
    if len(text) > MAX_CHARACTERS:
        raise UnreadableError(f"more than {MAX_CHARACTERS} characters")
    if _SCIENTIFIC.search(text):
        raise UnreadableError("a number that may be in scientific notation")
    if _DIFFERENTIAL.search(text):
        raise UnreadableError("a differential")
    tokens: list[Token] = []
    position, spaced = 0, False
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise UnreadableError(f"the character {text[position]!r}")
        position = found.end()
        if found.lastgroup == "space":
            spaced = True
            continue
        tokens.extend(_tokens(found, spaced))
        spaced = False
        if len(tokens) > MAX_TOKENS:
            raise UnreadableError(f"more than {MAX_TOKENS} tokens")
    return tokens


def _tokens(found: re.Match[str], spaced: bool) -> list[Token]:
    kind, text = str(found.lastgroup), found.group(str(found.lastgroup))
    if kind == "number":
        if len(text) > MAX_DIGITS:
            raise UnreadableError(f"a number of more than {MAX_DIGITS} digits")
        return [Token("number", text, spaced, Fraction(text.replace(",", "")))]
    if kind == "command":
        return [_command(_RENAMED.get(text, text), spaced)]
    if kind == "letters":
        return _letters(text, spaced)
    return [Token(kind, text, spaced)]


def _command(name: str, spaced: bool) -> Token:
    if name == "pi":
        return Token("constant", "pi", spaced)
    if name in _GREEK:
        return Token("symbol", f"\\{name}", spaced)
    if name in _COMMANDS:
        return Token("command", name, spaced)
    raise UnreadableError(f"the command \\{name}")


def _letters(run: str, spaced: bool) -> list[Token]:
    """A run of letters as variables multiplied; longer runs are words, or names of points."""
    if run in _PLAIN_FUNCTIONS:
        return [Token("plain", _PLAIN_FUNCTIONS[run], spaced)]
    if len(run) > 4 or (len(run) > 2 and run.isupper()):
        raise UnreadableError(f"the word {run[:20]!r}")
    return [
        Token("constant" if letter in _CONSTANTS else "symbol", letter, spaced and index == 0)
        for index, letter in enumerate(run)
    ]
