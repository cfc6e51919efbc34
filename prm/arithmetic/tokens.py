r"""Arithmetic as it is written in prose and LaTeX, cut into tokens: `$5 x 3 boxes`, `20% of 50`, `\frac34\cdot 8`.

Numbers and operators come out in the plain spelling of `verifiers.expression.arithmetic`; offsets stay those
of the text.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from ...verifiers.expression.units import Unit, read_unit
from ...verifiers.expression.words import read_words

__all__ = ["Token", "measure_of", "tokens_of"]


class Token(NamedTuple):
    """A piece of text.

    Args:
        kind: `number`, `constant` (a whole fraction or root), `numeral` (a number word), `operator` (+ - * /),
            `power`, `superscript`, `factorial`, `percent`, `currency`, `frac` and `root` (before a brace),
            `open`, `close`, `word`, `stop` (a sentence or a line ends), `ellipsis` or `other`.
        start, end: where it stands in the text.
        plain: its plain spelling; the text itself where there is none.
    """

    kind: str
    start: int
    end: int
    plain: str


_TOKEN = re.compile(
    r"""
    (?P<bullet>(?:\n|\A)[ \t]*+(?:[-–*•+]|[0-9]{1,2}[.)]|\([0-9]{1,2}\))[ \t]+)
  | (?P<space>[ \t\r\f\v\u00a0\u2009\u202f]+)
  | (?P<superscript>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<vulgar>[¼½¾⅐-⅞])
  | (?P<word>¢|(?!sqrt\()[^\W\d_]+(?:['’-][^\W\d_]+)*)
  | (?P<coded>0[xXbBoO][0-9a-fA-F]+(?![0-9a-zA-Z])|[12][0-9]{3}-(?:0[1-9]|1[0-2])-[0-3][0-9](?![0-9])
      |[0-9]{1,2}/[0-9]{1,2}/[12][0-9]{3}(?![0-9]))
  | (?P<ratio>[0-9]+(?::[0-9]+|\s:\s[0-9]+))
  | (?P<number>(?:[1-9][0-9]{0,2}(?:(?:,|\{,\}|\\,|\\!,?|,\\!|[\u00a0\u2009\u202f])[0-9]{3})+(?:\.[0-9]+)?(?![0-9])
      |(?<=[$€£])[0-9]{1,3}(?:[ ][0-9]{3})+(?![0-9])|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
      (?:[eE][+-]?[0-9]{1,4}(?![0-9a-zA-Z]))?)
  | (?P<power>\^(?!\s*+\{?\s*+\\circ)|(?<=[0-9)])\*\*(?=-?[0-9(])|(?<=[0-9)][ ])\*\*(?=[ ]-?[0-9(]))
  | (?P<gap>\\[,;:!>\ ]|\\q?quad(?![a-zA-Z])|~|&|\*\*+|__+|`)
  | (?P<stop>\n|\\\\|,(?![0-9])|\.(?!\.\.|[0-9(]|\\(?:overline|dot|bar))|[;:?"“”—→⇒∴<>≤≥≠]|\\[][()]|->
      |\\(?:Rightarrow|implies|to|rightarrow|therefore|because|leq?|geq?|neq?|iff|Longrightarrow
      |begin|end|tag|label|checkmark|hfill|hline)(?![a-zA-Z]))
  | (?P<currency>\\?\$|[€£¥₹])
  | (?P<ellipsis>\.\.\.+|…|\\[cl]?dots(?![a-zA-Z]))
  | (?P<constant>\\[dtc]?frac\s*+[0-9]\s*+[0-9]|\\sqrt\s*+[0-9]|√[0-9]+)
  | (?P<frac>\\[dtc]?frac(?=\s*+\{))
  | (?P<root>\\sqrt(?=\s*+\{)|(?:√|sqrt)(?=\())
  | (?P<percent>\\?%|％)
  | (?P<degrees>\^\s*+\{?\s*+\\circ\s*+\}?|°)
  | (?P<times>\\(?:times|cdot|ast)(?![a-zA-Z])|[*×✕⋅·∙•])
  | (?P<over>\\div(?![a-zA-Z])|[/÷∕⁄])
  | (?P<plus>\+)
  | (?P<hyphen>(?<=[0-9])-(?=[^\W\d_]{2}))
  | (?P<minus>[-−–])
  | (?P<open>(?:\\(?:left|[bB]igg?l?|boxed|mathbf|fbox)\s*+)?(?:[(\[{]|\\\{))
  | (?P<close>(?:\\(?:right|[bB]igg?r?)\s*+)?(?:[)\]}]|\\\}))
  | (?P<text>\\(?:text|mathrm|mbox|textrm|textbf|textit)\s*+\{[^{}0-9\\]{0,60}\})
  | (?P<factorial>!)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {"times": "*", "over": "/", "plus": "+", "minus": "-"}
_VULGAR = {
    "¼": "1/4", "½": "1/2", "¾": "3/4", "⅐": "1/7", "⅑": "1/9", "⅒": "1/10", "⅓": "1/3", "⅔": "2/3", "⅕": "1/5",
    "⅖": "2/5", "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_GROUPING = re.compile(r"\{,\}|[^0-9.]")
_LETTERS = re.compile(r"[^\W\d_]+")
_EXPONENT = re.compile("[eE]")


def tokens_of(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of `text[start:end]`, spaces and markup left out; linear in its length.

    Example:
        >>> [token.plain for token in tokens_of("1,200 × $3½ ≈ two")]
        ['1200', '*', '$', '3', '\\\\frac{1}{2}', '≈', '2']
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup or "other"
        if kind == "space":
            continue
        kind, plain = _classified(kind, match.group(), match)
        if kind != "gap":
            found.append(Token(kind, match.start(), match.end(), plain))
    return found


@lru_cache(maxsize=4096)
def measure_of(word: str) -> Unit | None:
    """The unit of measure that `word` names; None where it is a label such as "apples", or no unit at all.

    Example:
        >>> measure_of("hours").name, measure_of("apples")
        ('h', None)
    """
    unit = read_unit(word)
    return None if unit is None or unit.dimension == "label" else unit


_number_word = lru_cache(maxsize=4096)(read_words)


def _classified(kind: str, text: str, match: re.Match[str]) -> tuple[str, str]:
    if kind in _OPERATORS:
        return "operator", _OPERATORS[kind]
    if kind == "number":
        return kind, _plain_number(text)
    if kind == "word" and not (text[0].isalpha() or text == "¢"):
        return "other", text  # a digit of another kind: ₈, ①
    if kind == "word":
        number = _number_word(text)
        return (kind, text) if number is None else ("numeral", str(number))
    if kind == "constant":
        return kind, _plain_constant(text)
    if kind == "vulgar":
        numerator, denominator = _VULGAR[text].split("/")
        return "constant", rf"\frac{{{numerator}}}{{{denominator}}}"
    if kind == "superscript":
        return kind, text.translate(_SUPERSCRIPTS)
    if kind == "text":
        words = text[text.index("{") + 1 : -1].strip()
        return ("word" if any(map(str.isalpha, words)) else "stop" if words else "gap"), words
    if kind == "hyphen":
        # `3-hour` is a number with its unit; `30-tax` is a difference.
        word = _LETTERS.match(match.string, match.end())
        return ("gap", "") if word and measure_of(word.group()) else ("operator", "-")
    if kind == "coded":
        return "other", text  # 0x1F, 2024-02-28
    if kind == "bullet":
        return "stop", text.strip()
    if kind == "degrees":
        return "word", "degrees"
    if kind == "other" and unicodedata.category(text) == "So":
        return "stop", text  # ✓ and other signs that count nothing
    return kind, "^" if kind == "power" else text


def _plain_number(text: str) -> str:
    mantissa, *exponent = _EXPONENT.split(text)
    digits = _GROUPING.sub("", mantissa)
    return f"({digits}*10^{exponent[0]})" if exponent else digits


def _plain_constant(text: str) -> str:
    digits = [character for character in text if character.isdigit()]
    return rf"\frac{{{digits[0]}}}{{{digits[1]}}}" if "frac" in text else rf"\sqrt{{{''.join(digits)}}}"
