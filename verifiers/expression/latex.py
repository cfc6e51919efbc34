r"""LaTeX variants of one answer mapped onto one spelling: layout dropped, boxes, styles and phantoms resolved.

Rewriting of text only; nothing is parsed into meaning here, and every step is linear in the text's length
(nested groups cost their depth on top, which `MAX_DEPTH` bounds).
"""

import re
from collections.abc import Callable

from ..patterns import lazy_pattern

__all__ = ["closing_bracket", "without_latex_variants"]

MAX_DEPTH = 40

_LAYOUT = lazy_pattern(
    r"\\(?:left|right|middle|displaystyle|textstyle|scriptstyle|limits|nolimits|[bB]igg?[lr]?|bf|rm|it|sf|tt|boldmath"
    r"|hfill|strut|mathstrut|allowbreak|nobreak|centering)(?![a-zA-Z])|\\!"
)
_NO_DELIMITER = lazy_pattern(r"\\(?:left|right) ?\.(?!\d)")
_BRACED_SIGN = lazy_pattern(r"(?<![\^_a-zA-Z}])\{([:=+<>-])\}")
_DIGIT_GROUPING = lazy_pattern(r"(?<=\d)(?:\{,\} ?|,\\! ?|\{\\,\}|\\[,; ])(?=\d{3}(?!\d))")
_BRACED_COMMA = lazy_pattern(r"(?<=\d)\{,\}(?=\d)")
_SPACING = lazy_pattern(
    r"\\(?:quad|qquad|thinspace|medspace|thickspace|enspace|space|hspace\*?\{[^{}]*\})(?![a-zA-Z])|\\[,;:> ]|~"
)
_COMMAND = lazy_pattern(r"\\([a-zA-Z]+)")
_RENAMED = {
    "dfrac": r"\frac", "tfrac": r"\frac", "cfrac": r"\frac", "leq": r"\le ", "leqslant": r"\le ", "geq": r"\ge ",
    "geqslant": r"\ge ", "neq": r"\ne ", "lt": "<", "gt": ">", "lbrace": r"\{", "rbrace": r"\}", "ast": "*", "div": "/",
    "dots": r"\ldots ", "cdots": r"\ldots ", "dotsc": r"\ldots ", "degree": r"^\circ ", "lbrack": "[", "rbrack": "]",
    "colon": ":", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "tg": r"\tan ", "ctg": r"\cot ",
    "vee": r"\text{ or }", "lor": r"\text{ or }", "land": r"\text{ and }", "wedge": r"\text{ and }",
    "simeq": r"\approx ", "doteq": r"\approx ", "bullet": r"\cdot ", "implies": r"\Rightarrow ",
    "varnothing": r"\emptyset ", "Reals": r"\mathbb{R}", "reals": r"\mathbb{R}", "R": r"\mathbb{R}",
    "dbinom": r"\binom", "tbinom": r"\binom", "langle": "(", "rangle": ")",
    "varphi": r"\phi ", "varepsilon": r"\epsilon ", "dprime": "''", "prime": "'",
}  # fmt: skip
_STYLED = lazy_pattern(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|sl|up|md|normal)?|math(?:rm|bf|it|sf|tt|normal)|operatorname\*?|mbox|hbox|emph|bm"
    r"|boldsymbol|pmb|underline)\s*\{"
)
_WRAPPED = lazy_pattern(r"\\(?:boxed|fbox|framebox|smash|ensuremath)\s*\{")
_COLOURED = lazy_pattern(r"\\(?:text)?color\s*\{[^{}]*\}\s*")
_UNIT = r"\\(?:text|mathrm|rm)\s*\{\s*([A-Za-zΩμ]{1,4})\s*\}"
_DOT = r"\cdot"
_UNITS = lazy_pattern(r"[A-Za-z]{1,3}(?: ?\\cdot ?[A-Za-z]{1,3}(?:/[a-z]{1,3})?){1,3}")
_UNIT_FRACTION = lazy_pattern(rf"\\frac\s*\{{\s*{_UNIT}\s*\}}\s*\{{\s*{_UNIT}\s*(?:\^\s*\{{?(\d)\}}?)?\s*\}}")
_MICRO = lazy_pattern(r"\\mu\s*\\(?:text|mathrm)\s*\{\s*([A-Za-z]{1,3})\s*\}|(?<=\d)\s*\\mu\s*([mFsAHCVL])\s*\Z")
_UNIT_PRODUCT = lazy_pattern(r"\\(?:text|mathrm)\s*\{([A-Za-z/^0-9 -]{1,12})\}\s*\\cdot\s*\\(?:text|mathrm)\s*\{")
_CALLIGRAPHIC = lazy_pattern(r"\\math(?:cal|scr)\s*(?:\{([A-Z])\}|([A-Z]))")
_CIS = lazy_pattern(
    r"\\(?:text|operatorname|mathrm)\{ ?cis ?\}\s*(?:\(([^()]*)\)|(\\frac\{[^{}]*\}\{[^{}]*\}|\d+(?:\.\d+)?\^\\circ))"
)
_CASES = lazy_pattern(r"(?<=\{)[dr]cases\*?\}|(?<=\{)cases\*\}")
_BLACKBOARD = lazy_pattern(r"\\mathbb\s*([A-Z])(?![a-zA-Z])")
_REALS = lazy_pattern(r"\\mathbb\s+R(?![a-zA-Z])|\\bf\{R\}")
_ARROW = lazy_pattern(r"\\(?:hat|vec|overrightarrow|widehat)\s*(?:\{([^{}]*)\}|([a-zA-Z]))")
_PHANTOM = lazy_pattern(r"\\[hv]?phantom\s*\{")
_FRACTION = lazy_pattern(
    r"\\frac\s*(?:([0-9a-zA-Z]|\\(?!sqrt)[a-zA-Z]+)|(\{[^{}]*\}))\s*(?:([0-9a-zA-Z]|\\(?!sqrt)[a-zA-Z]+)|(?=\{))"
)
_BINOMIAL = lazy_pattern(r"\\binom\s*(?:([0-9a-zA-Z])|\{([^{}]*)\})\s*(?:([0-9a-zA-Z])|\{([^{}]*)\})")
_ROOT = lazy_pattern(r"\\sqrt\s*(\d+|[a-zA-Z])")
_ROOT_PARENTHESIS = lazy_pattern(r"\\sqrt\s*\(")
_SHORT_SCRIPT = lazy_pattern(r"([\^_])\s*\{\s*([0-9a-zA-Z])\s*\}(?!\s*\d)")
_DEGREES = lazy_pattern(r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ(?![a-zA-Z])|(?<=\d)\s*\\circ(?![a-zA-Z])")
_PARENTHESIS_DELIMITER = lazy_pattern(r"\\[()]|\\[\[\]]")
_FUNCTIONS = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot", "sinh", "cosh", "tanh", "ln",
     "log", "exp", "lim", "gcd", "lcm", "det")
)  # fmt: skip
_UNIT_LETTERS = frozenset("msghLlNJWVAKCFMT")
_WORD = lazy_pattern(r"[^\W\d_]{2,}")


def closing_bracket(text: str, opening: int, pair: str = "{}") -> int:
    """Index of the bracket that closes the one at `opening`, or -1 where none does.

    Example:
        >>> closing_bracket("{a{b}}c", 0)
        5
    """
    depth = 0
    for index in range(opening, len(text)):
        character = text[index]
        if character == pair[0]:
            depth += 1
        elif character == pair[1]:
            depth -= 1
            if depth == 0:
                return index
    return -1


def without_latex_variants(text: str) -> str:
    r"""`text` in plain LaTeX: `\frac`, `\sqrt{}`, `\text{}` for words only, no layout, no dollar delimiters.

    `\$` and a lone dollar sign before a digit are money and become a plain `$`.

    Example:
        >>> without_latex_variants(r"$\left(\dfrac12,\ \text{\$}3\right)$")
        '(\\frac{1}{2}, $3)'
    """
    if "cases}" in text:
        text = _CASES.sub("cases}", text)
    text = text.replace("\\\\", "\x03")  # a row break, not a backslash before what follows
    text = _BRACED_COMMA.sub(",", _DIGIT_GROUPING.sub("", text))
    text = _LAYOUT.sub("", _NO_DELIMITER.sub("", _BRACED_SIGN.sub(r"\1", text)))
    text = text.replace("\\$", "\x01").replace("\\%", "%")
    text = _PARENTHESIS_DELIMITER.sub(" ", text)
    if text.count("$") % 2:
        text = re.sub(r"\$(?=\s*[-\d.])", "\x01", text)
    text = text.replace("$", " ").replace("\x01", "$")
    text = _COMMAND.sub(lambda command: _RENAMED.get(command.group(1), command.group()), text)
    text = _SPACING.sub(" ", text)
    text = _DEGREES.sub(r"^\\circ ", text)
    text = _rewritten(text, _PHANTOM, lambda _inner, _before: "")
    text = _rewritten(_COLOURED.sub("", text), _WRAPPED, lambda inner, _before: f" {inner} ")
    if "\\text" in text or "\\mathrm" in text:
        text = _UNIT_FRACTION.sub(_unit_quotient, text)
        text = _UNIT_PRODUCT.sub(r"\\text{\1 ", text)
    if "\\mu" in text:
        text = _MICRO.sub(lambda found: rf"\text{{μ{found[1] or found[2]}}}", text)
    if "cis" in text:
        text = _CIS.sub(lambda found: f"e^{{i({found[1] or found[2]})}}", text)
    if "\\math" in text:
        text = _CALLIGRAPHIC.sub(lambda found: found[1] or found[2], text)
    text = _rewritten(text, _STYLED, _plain_or_text)
    text = _ARROW.sub(lambda found: found[1] or found[2], text)
    text = _ROOT.sub(r"\\sqrt{\1}", _braced_roots(text))
    text = _FRACTION.sub(_braced_fraction, text)
    if "\\binom" in text:
        text = _BINOMIAL.sub(lambda found: rf"\binom{{{found[1] or found[2]}}}{{{found[3] or found[4]}}}", text)
    text = _BLACKBOARD.sub(r"\\mathbb{\1}", _REALS.sub(r"\\mathbb{R}", text))
    text = _SHORT_SCRIPT.sub(r"\1\2", text).strip()
    for _ in range(MAX_DEPTH):
        if not (text.startswith("{") and closing_bracket(text, 0) == len(text) - 1):
            break
        text = text[1:-1].strip()
    return text.replace("\x03", "\\\\")


def _rewritten(text: str, opening: re.Pattern[str], rewrite: Callable[[str, str], str], depth: int = 0) -> str:
    pieces: list[str] = []
    position = 0
    while found := opening.search(text, position):
        end = closing_bracket(text, found.end() - 1)
        if end < 0 or depth > MAX_DEPTH:
            break
        pieces.append(text[position : found.start()])
        inner = _rewritten(text[found.end() : end], opening, rewrite, depth + 1)
        pieces.append(rewrite(inner, text[max(0, found.start() - 8) : found.start()].rstrip()[-1:]))
        position = end + 1
    pieces.append(text[position:])
    return "".join(pieces)


def _unit_quotient(found: re.Match[str]) -> str:
    power = f"^{found[3]}" if found[3] else ""
    return rf"\text{{{found[1]}/{found[2]}{power}}}"


def _plain_or_text(inner: str, before: str) -> str:
    """The content of a style command: bare where it is mathematics, `\text{}` where it is words."""
    stripped = inner.strip()
    if "\\cdot" in stripped and before and (before.isdigit() or before in "})") and _UNITS.fullmatch(stripped):
        return rf"\text{{{stripped.replace(_DOT, ' ')}}}"
    if stripped in _UNIT_LETTERS and (before.isdigit() or before in ("}", ")")):
        return rf"\text{{{stripped}}}"
    if stripped in _FUNCTIONS:
        return rf"\{stripped} "
    if stripped in {"and", "or"}:
        return f" {stripped} "
    if _WORD.search(_COMMAND.sub("", stripped)):
        return rf"\text{{{' '.join(inner.split())}}}"
    return inner


def _braced_roots(text: str) -> str:
    pieces: list[str] = []
    position = 0
    while found := _ROOT_PARENTHESIS.search(text, position):
        end = closing_bracket(text, found.end() - 1, "()")
        if end < 0:
            break
        pieces.append(text[position : found.start()])
        pieces.append(rf"\sqrt{{{text[found.end() : end]}}}")
        position = end + 1
    pieces.append(text[position:])
    return "".join(pieces)


def _braced_fraction(found: re.Match[str]) -> str:
    numerator, braced, denominator = found.group(1), found.group(2), found.group(3)
    top = braced or f"{{{numerator}}}"
    return rf"\frac{top}" + (f"{{{denominator}}}" if denominator else "")
