r"""What stands right beside a box and belongs to its answer: a sign, a bound, a unit, the rest of a term.

`x = -\boxed{12}` answers -12, `x < \boxed{42}` an inequality and `\boxed{12}\text{ m}` metres; `\boxed{3}\pi`
and `\boxed{3}^2` are read whole. A box that is a part of something larger (`2\boxed{3}`, `\sqrt{\boxed{4}}`)
does not say which of the two is the answer; only the blank of an equation (`7 + \boxed{3} = 10`) does.
"""

import re
from typing import NamedTuple

from ..expression.units import read_unit
from ..patterns import lazy_pattern

_IDLE = " \t\n$~"
_LEAD_SIGNS = "-−–+±*/^√<>≤≥{}0123456789"
_LEAD_WORDS = (
    "\\,", "\\;", "\\!", "\\:", "\\times", "\\cdot", "\\div", "\\pm", "\\mp", "\\pi", "\\le", "\\leq", "\\ge", "\\geq",
    "\\lt", "\\gt", "\\leqslant", "\\geqslant", "least", "most", "than", "exceed",
)  # fmt: skip
_LEAD_ENDINGS = {sign: (sign,) for sign in _LEAD_SIGNS} | {
    last: tuple(word for word in _LEAD_WORDS if word[-1] == last) for last in {word[-1] for word in _LEAD_WORDS}
}
"""What the text before a box ends with where anything there may belong to its answer, by the last character."""
_LEAD_CHARS = 16
"""How far the cheap looks reach."""
_BEFORE_CHARS = 80

_SPACE = r"(?:[ \t~]|\\[,;!: ])*"
_GAP = r"(?:[ \t\n~$]|\\[,;!: (\[])*"
_RELATION = r"(?:[<>]=?|[≤≥]|\\(?:le|leq|ge|geq|lt|gt|leqslant|geqslant)(?![a-z]))"
_BOUND = lazy_pattern(
    r"(?P<words>\b(?:at\s+(?:least|most)|(?:less|fewer|smaller|lower|greater|more|larger|higher|bigger)\s+than"
    r"|(?:(?:does|do|can|will)\s?not|n['’]t)\s+exceed))" + _GAP + r"\Z"
    rf"|(?P<sides>(?:[^\s=$<>≤≥]{{1,24}}\s*{_RELATION}\s*)?[^\s=$<>≤≥\\]{{1,24}}\s*(?:\$\s*)?{_RELATION}){_GAP}\Z",
    re.IGNORECASE,
)
_MARKUP = lazy_pattern(r"(?:<[^<>]{1,60}|(?:[-=]|\A|\n)[ \t]*)>[ \t$]*\Z")
"""A tag, an arrow or a quoted line, whose `>` is no relation."""
_SIGN = lazy_pattern(rf"(?P<sign>[-−–+±]|\\[pm][mp](?![a-z]))(?P<gap>{_GAP})\{{?\s*\Z")
_OPENS_TERM = lazy_pattern(
    r"(?:[=<>≈≤≥(\[{,&:]|\\(?:le|leq|ge|geq|lt|gt|approx|to|implies|[Rr]ightarrow|therefore|quad|qquad)|\\\\"
    r"|\\[(\[,;]|\\text\{[^{}]*\})\s*\Z"
)
_OPERATOR = lazy_pattern(
    rf"(?:\d\s?\*|[\d)}}]\s?/|\^|√|\\(?:times|cdot|div)|\\sqrt(?:\[\w\])?"
    rf"|\\[dtc]?frac(?:\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})?){_SPACE}\{{?\s*\Z"
)
_FACTOR = lazy_pattern(
    rf"(?:\d|\\[dtc]?frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|\\sqrt\{{[^{{}}]*\}}|\\pi)(?P<gap>{_SPACE})\{{?\s*\Z"
)
_ASKED_IN_PERCENT = lazy_pattern(r"percent|per cent|%", re.IGNORECASE)
_SOLUTION_CHARS = 2_000
_NO_TAIL = frozenset(".\n,;:)*")
_CLOSED_FORMULA = ("\\)", "\\]")
_TERM_BEHIND = lazy_pattern(
    rf"(?P<space>{_SPACE})(?:(?P<rest>!(?!=)|\^(?:\{{-?\d+\}}|\d)|/\d+|\\pi(?![a-z])|\\sqrt\{{[^{{}}]*\}}|√\d+)"
    r"(?=\s*(?:\Z|[$.,;)]|\\[)\]]))"
    r"|(?P<operator>\^(?!\{?\s*\\circ|\{?\s*\\text)|/(?=[\d\\({])|\\(?:cdot|times|div|sqrt|[dtc]?frac)(?![a-z])"
    r"|[-−+](?=\s*[\d\\(a-z])))"
)
_RELATION_BEHIND = lazy_pattern(rf"[^$\n.;]{{0,60}}?(?:=|≈|\\(?:approx|neq?)(?![a-z])|{_RELATION})")
_UNIT = lazy_pattern(
    r"(?:[ \t~$]|\\[,;!: )\]]){0,6}"
    r"(?P<unit>\\(?:text|mathrm|textrm|mbox)\s?\{[^{}]{1,40}\}(?:\^\{?\d\}?)?|\^\{?\\circ\}?|°|\\?%"
    r"|(?:(?:square|cubic|sq\.?)\s)?(?P<word>[A-Za-z]{1,12})(?:\^\{?\d\}?|/[a-z]{1,3})?)"
    r"(?![\w-]|\s*(?:/|per\b|\\(?:cdot|times|text|mathrm)|[CFK]\b|Celsius|Fahrenheit))"
    r"(?P<closed>(?=\s*(?:[.,;:!?$)\]\n]|\\[)\]]|\Z)))?"
)
_LONGEST_ABBREVIATION_CHARS = 3
"""Words as short as this are units only where a clause ends behind them: "12 m." but not "12 in all"."""
_STYLE = lazy_pattern(r"\\(?:mathrm|textrm|mbox)")
_HOLDS_UNIT = lazy_pattern(r"\\(?:text|math|mbox|circ|%)|[%°$€£=]|,(?!\d{3})|(?<![\\A-Za-z])[A-Za-z]{2,}|\A[A-Za-z]\Z")
_ONE_TERM = lazy_pattern(r"[\d.,\s]+|\\[dt]?frac\s?\{[^{}]*\}\s?\{[^{}]*\}|\\?[A-Za-z]+|\d*\\sqrt\{[^{}]*\}|\d+/\d+")


class Beside(NamedTuple):
    """What belongs to a box: it answers `lead + inside + tail`, and `text[start:end]` is all of it."""

    lead: str
    tail: str
    start: int
    end: int
    is_part: bool = False

    def answer(self, inside: str) -> str:
        """The answer of the box that holds `inside`."""
        if self.lead == "-" or self.tail[:1] not in ("", " "):
            inside = inside if _ONE_TERM.fullmatch(inside) is not None else f"({inside})"
        return f"{self.lead}{inside}{self.tail}"

    def span(self, inner_start: int, inner_end: int) -> tuple[int, int] | None:
        """From a sign to a unit, with what of the box stands between them; None where a bound is brought in."""
        if self.lead not in ("", "-"):
            return None
        return self.start if self.lead else inner_start, self.end if self.tail else inner_end


def has_lead(text: str, start: int) -> bool:
    r"""Whether what stands before a box at `start` may belong to its answer: cheap, and true rather too often.

    Example:
        >>> has_lead(r"x = -\boxed{1}", 5), has_lead(r"The answer is $\boxed{1}$", 15)
        (True, False)
    """
    before = text[start - _LEAD_CHARS if start > _LEAD_CHARS else 0 : start].rstrip(_IDLE)
    endings = _LEAD_ENDINGS.get(before[-1:])
    return endings is not None and before.endswith(endings)


def has_tail(text: str, end: int) -> bool:
    r"""Whether what stands behind a box that ends at `end` may belong to its answer: cheap, and true rather too often.

    Example:
        >>> has_tail(r"\boxed{1}$.", 9), has_tail(r"\boxed{1} m", 9)
        (False, True)
    """
    behind = text[end : end + _LEAD_CHARS].lstrip(_IDLE)
    if behind.startswith(_CLOSED_FORMULA):
        behind = behind[2:].lstrip(_IDLE)
    return behind != "" and behind[0] not in _NO_TAIL


def beside(text: str, start: int, end: int, inside: str) -> Beside:
    r"""What belongs to the answer of the box `text[start:end]` that holds `inside`.

    Example:
        >>> beside(r"so $x = -\boxed{12}\text{ m}$", 9, 19, "12")
        Beside(lead='-', tail=' \\text{ m}', start=8, end=28, is_part=False)
        >>> beside(r"$2\boxed{3}$", 2, 11, "3").is_part, beside(r"2 + \boxed{3} = 5", 4, 13, "3").is_part
        (True, False)
    """
    lead, lead_start, is_part = _lead(text, start) if has_lead(text, start) else ("", start, False)
    tail, tail_end = "", end
    if has_tail(text, end):
        tail, tail_end, is_factor = _tail(text, start, end, inside)
        is_part = is_part or is_factor
    if is_part and _RELATION_BEHIND.match(text, end) is not None:
        is_part = False
    return Beside(lead, tail, lead_start, tail_end, is_part)


def _lead(text: str, start: int) -> tuple[str, int, bool]:
    """(what leads, where it begins, whether the box is a part of what it leads up to)."""
    floor = max(0, start - _BEFORE_CHARS)
    sign = _SIGN.search(text, max(floor, start - _LEAD_CHARS), start)
    if sign is not None:
        return _signed(text, floor, start, sign)
    ending = text[floor:start].rstrip(_IDLE)[-1:]
    if ending in "<>≤≥" or ending.isalpha():
        bound = _BOUND.search(text, floor, start)
        if bound is not None and _MARKUP.search(text, floor, start) is None:
            lead = text[bound.start() : start].replace("$", "").replace("\\(", "")
            return lead.rstrip() + " ", bound.start(), False
    if ending == "}" and text.find("\\frac", floor, start) < 0 and text.find("\\sqrt", floor, start) < 0:
        return "", start, False
    operator, factor = _OPERATOR.search(text, floor, start), _FACTOR.search(text, floor, start)
    is_part = operator is not None or (factor is not None and (not factor["gap"] or _is_in_formula(text, start)))
    return "", start, is_part


def _signed(text: str, floor: int, start: int, sign: re.Match[str]) -> tuple[str, int, bool]:
    """A sign, an operator with another term before it, or (a bullet, a dash) nothing."""
    at = sign.start()
    before = text[floor:at].rstrip(" \t~")
    is_spaced = len(before) < at - floor
    is_touching = not sign["gap"].strip("$")
    is_formula = _is_in_formula(text, start)
    if not before or before[-1] == "\n":
        is_sign = is_touching  # else the bullet of a list
    elif before[-1] == "$" or _OPENS_TERM.search(before) is not None:
        is_sign = is_touching or is_formula
    else:
        is_behind_term = before[-1] in "0123456789)}" and (sign["sign"] == "+" or (is_touching and not is_spaced))
        if is_formula or is_behind_term:
            return "", start, True
        # "it is -5"; "it is - 5" and "it is –5" may be dashes
        is_sign = is_touching and is_spaced and sign["sign"] != "–"
    if not is_sign or sign["sign"] == "+":
        return "", start, False
    return {"−": "-", "–": "-", "±": "\\pm "}.get(sign["sign"], sign["sign"]), at, False


def _tail(text: str, start: int, end: int, inside: str) -> tuple[str, int, bool]:
    """(what follows, where it ends, whether the box is a part of what goes on behind it)."""
    term = _TERM_BEHIND.match(text, end)
    if term is not None:
        is_formula = _is_in_formula(text, start)
        mark = text[term.end("space")]
        if term["rest"] is not None and (mark != "!" or is_formula):
            return term["rest"], term.end(), False
        is_operator = term["operator"] is not None and (
            is_formula if mark in "-−+" else is_formula or not term["space"] or mark == "\\"
        )
        if term["rest"] is not None or is_operator:
            return "", end, is_operator
    unit = _UNIT.match(text, end)
    if unit is None or _HOLDS_UNIT.search(inside) is not None:
        return "", end, False
    word = unit["word"] or ""
    if word and len(word) <= _LONGEST_ABBREVIATION_CHARS and unit["closed"] is None:
        return "", end, False
    known = read_unit(_STYLE.sub(r"\\text", unit["unit"]).replace("°", "^\\circ").replace("\\%", "%"))
    if known is None or known.dimension == "label":
        return "", end, False
    if known.dimension == "percent" and _ASKED_IN_PERCENT.search(text, max(0, start - _SOLUTION_CHARS), start):
        return "", end, False  # the sign may be the question's, as in "what per cent": \boxed{12}\%
    return f" {unit['unit']}", unit.end(), False


def _is_in_formula(text: str, at: int) -> bool:
    paragraph = text[max(text.rfind("\n\n", 0, at), at - 600, 0) : at]
    opening = max(paragraph.rfind(mark) for mark in ("\\(", "\\[", "\\begin{"))
    closing = max(paragraph.rfind(mark) for mark in ("\\)", "\\]", "\\end{"))
    return opening > closing or paragraph.replace("\\$", "").replace("$$", "$").count("$") % 2 == 1
