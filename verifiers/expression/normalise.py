r"""One spelling for one short mathematical answer: Unicode, LaTeX and plain-text variants on plain LaTeX.

Works on the extracted answer, not on prose. Nothing is evaluated. A comma followed by a space stays apart
from a bare one, because `32, 349` is a list and `32,349` a number; a space between two numbers stays,
because `7 3/4` is not `73/4`.
"""

import re

from ..patterns import lazy_pattern
from .characters import without_unicode
from .latex import without_latex_variants

__all__ = ["normalise", "plain_words", "without_group"]

_LEADING_WORDS = lazy_pattern(
    r"^(?:\\text\{)?\s*(?:(?:so|thus|hence|therefore),?\s+)?(?:the\s+)?(?:(?:final|correct)\s+)?"
    r"(?:answer|result|value)(?:\s+is\b|\s*[:=])\s*\}?\s*[:=]?\s*",
    re.IGNORECASE,
)
_DERIVATION = lazy_pattern(r"\A.*\\Rightarrow\s*(?=[A-Za-z](?:_\w+)?\s*=)", re.DOTALL)
"""The steps that lead to `x = 9`."""
_AFTERWORD = lazy_pattern(
    r"(?<=[^\s,])[\s,]*+\\text\{\s*,?\s*(?:because|since)\b.*\Z|"
    r"(?<=[^\s,])[\s,]*+(?:\\text\{\s*)?,?\s*\bfor\s+(?:all|any|every|each)\b[^=<>]*\Z|(?<=[^\s,])[\s,]*+\\forall\b[^=<>]*\Z"
)
"""What an identity holds for, or the reason for an answer, said after it."""
_LEADING_SENTENCE = lazy_pattern(
    r"^\\text\{(?![^{}]*\b(?:not|isn['’]t|if|wrong|incorrect|least|most|than|or)\b)[^{}\\]{2,60}?\s(?:is|are|equals)\s?:?\s?\}"
    r"|^\\text\{the(?![^{}]*\b(?:not|isn['’]t|if|wrong|incorrect|least|most|than|or|no|never)\b)[^{}\\]{2,60}\}(?=\s*\d+\Z)",
    re.IGNORECASE,
)
_PLAIN_NAME = lazy_pattern(
    r"(?<![\\a-zA-Z])(sqrt|pi|infinity|infty|inf|theta|alpha|beta|arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec"
    r"|csc|ln|log|exp|cup|union)(?![a-zA-Z])"
)
_PLAIN_NAMES = {"infinity": "infty", "inf": "infty", "union": "cup"}
_PLAIN_OPERATORS = (
    ("<=", r"\le "), (">=", r"\ge "), ("=<", r"\le "), ("!=", r"\ne "), ("==", "="), ("**", "^"), ("+/-", r"\pm "),
    ("+-", r"\pm "),
)  # fmt: skip
_TIMES_TEN = lazy_pattern(r"(\d) ?x ?10 ?(?:\^|\*\*)")
_ABS = lazy_pattern(r"(?<![\\a-zA-Z])abs ?\(([^()]*)\)")
_PLAIN_LOG = lazy_pattern(r"\\log ?(2|10)\(")
_DOTTED = lazy_pattern(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?(?![\d.,])")
"""Thousands with dots, at least two: `1.000` alone is a decimal number."""
_CONTINUED = lazy_pattern(r"(?<=\d\.\d{3})(\d*)\.{3}\Z")
_UNION_LETTER = lazy_pattern(r"(?<=[\])}])\s*[Uu]\s*(?=[\[({\\])")
_SPACES = lazy_pattern(r"\s+")
_IDLE_SPACE = lazy_pattern(r" ?(\\\\|\\[{}]|[()\[\]{}+*/^=<>|&;_:!-]) ?")
_SPACE_BEFORE_COMMAND = lazy_pattern(r"(?<![a-zA-Z]{2})(?<!,) (?=\\[a-zA-Z])")
_SPACE_AFTER_COMMAND = lazy_pattern(r"(\\[a-zA-Z]+) (?![a-zA-Z])")
_LIST_COMMA = lazy_pattern(r" ?, +| ,")
_WORDS_ONLY = lazy_pattern(r"\\text\{|[{}()\[\]\"'’.,;:!?`*$\\_-]")
_ENDS = " \t\n.,;:。`"
_MARKUP = ("**", "__", "*", "`")
_NEEDS_WORK = lazy_pattern(r"[^0-9.+-]|\+-|\..*\.")


def normalise(text: str) -> str:
    r"""The answer `text` in one spelling; linear in its length, and idempotent for ordinary answers.

    Example:
        >>> normalise(r"$\left( \dfrac12 ,\; −3³ \right)$")
        '(\\frac{1}{2},-3^3)'
        >>> normalise(r"900,\!000,\!000"), normalise("32, 349"), normalise("１，２３４"), normalise("-2*pi")
        ('900000000', '32, 349', '1,234', '-2*\\pi')
    """
    text = text.strip()
    if not _NEEDS_WORK.search(text):
        return text.rstrip(".")
    if not text.isascii():
        text = without_unicode(text)
    for mark in _MARKUP:
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            text = text[len(mark) : -len(mark)].strip()
    if "\\text" not in text:
        text = _PLAIN_NAME.sub(lambda name: f"\\{_PLAIN_NAMES.get(name.group(), name.group())} ", text)
    if "\\" in text or "$" in text or "{" in text or "~" in text:
        text = without_latex_variants(text)
    text = _AFTERWORD.sub("", _LEADING_WORDS.sub("", text))
    if "\\Rightarrow" in text:
        text = _DERIVATION.sub("", text)
    if text.startswith("\\text{"):
        text = _LEADING_SENTENCE.sub("", text)
    for plain, latex in _PLAIN_OPERATORS:
        if plain in text:
            text = text.replace(plain, latex)
    if "x" in text:
        text = _TIMES_TEN.sub(r"\1\\times 10^", text)
    if "abs" in text or "log" in text:
        text = _PLAIN_LOG.sub(r"\\log_{\1}(", _ABS.sub(r"|\1|", text))
    if ".." in text:
        text = _CONTINUED.sub(r"\1\\ldots", text)
    if "." in text:
        text = _DOTTED.sub(lambda number: number.group().replace(".", "").replace(",", "."), text)
    text = _UNION_LETTER.sub(r"\\cup ", text)
    text = _SPACES.sub(" ", text)
    text = _LIST_COMMA.sub(", ", text)
    text = _IDLE_SPACE.sub(r"\1", text)
    text = _SPACE_BEFORE_COMMAND.sub("", _SPACE_AFTER_COMMAND.sub(r"\1", text))
    return _without_ends(text)


def without_group(text: str, pair: str = "()") -> str:
    """`text` without one pair of brackets that encloses all of it; `text` itself where there is none.

    Example:
        >>> without_group("(1/3)"), without_group("(1)+(2)")
        ('1/3', '(1)+(2)')
    """
    if len(text) < 2 or text[0] != pair[0] or text[-1] != pair[1]:
        return text
    depth = 0
    for index, character in enumerate(text):
        depth += (character == pair[0]) - (character == pair[1])
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1].strip()


def plain_words(text: str) -> str:
    r"""`text` as lower-case words: `\text{}` opened, punctuation, brackets and a leading article gone.

    Example:
        >>> plain_words(r"\text{The Ellipse}.")
        'ellipse'
    """
    words = _WORDS_ONLY.sub(" ", text).casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in {"the", "a", "an"} else words)


def _without_ends(text: str) -> str:
    text = text.strip(" \t\n").rstrip(_ENDS).lstrip("`")
    return text[1:].lstrip() if text.startswith("=") else text
