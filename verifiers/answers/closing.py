"""What a text without any anchor commits to: itself when it is short, else the number it closes with.

A text that breaks off in the middle of a sentence, an equation or an annotation commits to nothing.
"""

import re

from ..patterns import lazy_pattern
from .letters import LETTERS
from .prose_numbers import (
    COUNTED,
    NUMBER_IN_CJK,
    SCALES_CJK,
    Closing,
    compound_span,
    joined_start,
    last_number,
    widened_start,
)
from .tasks import is_task
from .wrappers import unwrapped

_LONGEST_BARE_CHARS = 160
_LONGEST_DECIMALS = 24
"""More decimals than this at a broken-off end are a loop, not an answer."""

_SENTENCE_CLOSED = lazy_pattern(r"[.!?。！？।)\]}$”\"'*`>|]\Z")
_FUNCTION_WORD = lazy_pattern(
    r"\b(?:a|an|the|of|for|to|and|or|in|on|at|by|with|from|both|is|are|was|that|this|if|as|so|we|he|she|it|they|his"
    r"|her|per|which|then|be|into|each)\Z",
    re.IGNORECASE,
)
_OPERATOR_BEFORE = lazy_pattern(
    r"[\w)}\]]\s*(?:[-+*×·÷^−]|\\times|\\cdot)\s*\$?\Z|\*\*\s*\Z(?<=\d\*\*)|[*×·÷^]\s*\Z(?<!\*\*)(?<!\s\*)"
)
_WORD = lazy_pattern(r"(?<![\\\w])[^\W\d_]{2,}")
_OPENS_SENTENCE = lazy_pattern(
    r"(?:maybe|perhaps|probably|possibly|i|we|so|thus|hence|therefore|it|it['’]s|that|this|either)\s", re.IGNORECASE
)
_LABEL = lazy_pattern(r"[A-Za-z][A-Za-z ]{2,40}[*_]{0,3}:[*_]{0,3}\s+")
# "Thus, 42" is a sentence with one value and no list of two.
_CONNECTIVE = lazy_pattern(r"(?:so|thus|hence|then|therefore|consequently|finally)\s?,\s+", re.IGNORECASE)
_AFTERTHOUGHT = lazy_pattern(r"\s?,\s+(?:I\s+(?:think|believe|guess|suppose)|probably)\W*\Z", re.IGNORECASE)
_LIST_ITEM = lazy_pattern(r"\d{1,2}[.)]\s+(?=[^\W\d_]{2,})")
_BULLET = lazy_pattern(r"[-*•]\s+(?=[$A-Za-z\\(])")
_GIVEN = lazy_pattern(r"\b(?:since|as|because|if|when|for|where|given|with)\s\Z", re.IGNORECASE)
_CHAIN = lazy_pattern(r"[^$\n]*=\s*(?P<right>[^$=\n]*\\[a-z][^$=\n]*)")
_DIFFERENTIAL_OR_NAME = lazy_pattern(r"d[a-z]|[A-Z]{2,4}")
_REFERENCE_BEFORE = lazy_pattern(
    r"\b(?:(?:see|cf\.|refer\s+to|consult|turn\s+to)\s+(?:the\s+)?(?:page|p\.|line|step|part|chapter|exercise|problem"
    r"|question|example|note|footnote|fig\.|eq\.|equation|theorem|lemma|figure|section|table|appendix)"
    r"|(?:by|from|using)\s+(?:equation|theorem|lemma|figure|section|table|appendix))\s+\(?\Z",
    re.IGNORECASE,
)
_SENTENCE_BREAK = lazy_pattern(r"[.!?。！？](?=\s)|\n")
_ANNOUNCING = lazy_pattern(r"\A[#*\s]*(?:(?:the\s+)?(?:final\s+)?answer(?:\s+is)?[\s:*]*)?", re.IGNORECASE)
_REFUSAL = lazy_pattern(
    r"\b(?:I|we)(?:\s+(?:cannot|can\s?not|could\s+not|do\s+not|am\s+(?:not\s+able|unable)\s+to)|\s+(?:ca|could|do)n['’]t"
    r"|['’]m\s+(?:not\s+able|unable)\s+to)\s+(?:help|answer|solve|assist|determine|know|provide|tell|understand)\b"
    r"|\bI(?:\s+am|['’]m)\s+not\s+(?:sure|certain)\b",
    re.IGNORECASE,
)
_YET = lazy_pattern(r"\b(?:but|so|yet|however|guess|still|though)\b", re.IGNORECASE)
_NO_ANSWER = lazy_pattern(r"\W{0,4}no\s+answer\b", re.IGNORECASE)
_ARITHMETIC = lazy_pattern(r"[\s\d.,()$€£+*/×·÷−%=-]+")
_OPERATOR = lazy_pattern(r"[\d)%]\s*[-+*/×·÷−]")
_NAMED_VALUE = lazy_pattern(r"[A-Za-z](?:_\{?\w{1,4}\}?)?(?:\([a-z]\))?\s*=")
_CJK_RUN = lazy_pattern(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][^a-zA-Z\d]{5,}[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_EQUATION = lazy_pattern(r"=\s*(?P<right>[^=≈]{1,200})\Z")
_ENVIRONMENT_END = lazy_pattern(r"\\end\{(?:aligned|align\*?|gathered|split)\}\s*\Z")
_LAST_FORMULA = lazy_pattern(
    r"(?:\$\$?(?P<a>[^$]{1,400})\$\$?|\\\((?P<b>[^\n]{1,400}?)\\\)"
    r"|\\\[(?P<c>.{1,400}?)\\\])(?P<after>[^$\\\d\n]{0,60})\Z",
    re.DOTALL,
)
_FORMULA = lazy_pattern(r"\$[^$\n]{1,80}\$|\\\([^\n]{1,80}?\\\)")
_FORMULA_JOIN = lazy_pattern(r"\s?,?\s(?:and|or)\s|\s?,\s?|\s")
_BEFORE_CHARS = 200


def bare_answer(text: str) -> Closing | None:
    """The whole text, when it is one short line that is an answer and not a sentence.

    Example:
        >>> bare_answer("42"), bare_answer("So we end up with 42 apples.")
        (Closing(start=0, end=2, method='bare'), None)
    """
    if len(text) > 2 * _LONGEST_BARE_CHARS:
        return None
    start, end = unwrapped(text, 0, len(text))
    for lead in (_LABEL, _CONNECTIVE, _LIST_ITEM):
        if (led := lead.match(text, start, end)) is not None:
            start, end = unwrapped(text, led.end(), end)
    if (behind := _AFTERTHOUGHT.search(text, start, end)) is not None:
        start, end = unwrapped(text, start, behind.start())
    start, end = unwrapped(text, result_start(text, start, end), end)
    start, end = unwrapped(text, _chain_start(text, start, end), end)
    answer = text[start:end]
    if not answer.isascii():
        if (counted := COUNTED.fullmatch(answer)) is not None:
            return Closing(start, start + counted.end("number"), "bare")
        if NUMBER_IN_CJK.search(answer) is not None:
            return None
    return Closing(start, end, "bare") if _is_bare(answer, text.rstrip()[-1:]) else None


def result_start(text: str, start: int, end: int) -> int:
    """Where the result of a computation begins (`5 * 3 = 15`); `start` where `text[start:end]` is none.

    `421 = 420` computes nothing and stays an equation.

    Example:
        >>> result_start("5 * 3 = 15", 0, 10), result_start("421=420", 0, 7)
        (8, 0)
    """
    equals = text.rfind("=", start, end)
    if (
        equals < 0
        or _ARITHMETIC.fullmatch(text, start, equals) is None
        or _OPERATOR.search(text, start, equals) is None
    ):
        return start
    after = equals + 1
    while after < end and text[after] == " ":
        after += 1
    return after if after < end else start


def _chain_start(text: str, start: int, end: int) -> int:
    r"""Where the last side of a chain in LaTeX begins, whose sides hold no words: `AC = \sqrt{12} = 2\sqrt{3}`."""
    if "\\" not in text[start:end] or text.count("=", start, end) == 0:
        return start
    chain = _CHAIN.fullmatch(text, start, end)
    if chain is None or not (text.count("=", start, end) > 1 or "\\int" in text[start:end]):
        return start
    words = _WORD.findall(text, start, end)
    return chain.start("right") if all(map(_DIFFERENTIAL_OR_NAME.fullmatch, words)) else start


def last_line(text: str) -> Closing | None:
    """The last line, when it is nothing but a number, a formula or a choice letter."""
    body = text.rstrip()
    line_start = body.rfind("\n") + 1
    if line_start == 0 or len(body) - line_start > _LONGEST_BARE_CHARS:
        return None
    found = bare_answer(body[line_start:])
    if found is None:
        return None
    start, end = line_start + found.start, line_start + found.end
    if (bullet := _BULLET.match(body, start, end)) is not None:
        start, end = unwrapped(body, bullet.end(), end)
    answer = body[start:end]
    is_letter = answer.strip("()") in LETTERS and len(answer.strip("()")) == 1
    is_value = any(mark.isdigit() or mark == "\\" for mark in answer) and answer[0] not in "+*/=×"
    return Closing(start, end, "last_line") if is_letter or is_value else None


def _is_bare(answer: str, last: str) -> bool:
    """Whether a short text is a name, a number or a formula: not a sentence, not a question, not arithmetic."""
    if not answer or len(answer) > _LONGEST_BARE_CHARS or "\n" in answer:
        return False
    if _OPENS_SENTENCE.match(answer) is not None:
        return False
    words = _WORD.findall(answer)
    if len(words) > 3 or (len(words) > 1 and (last in ".!" or _FUNCTION_WORD.search(answer) is not None)):
        return False
    if "=" in answer and words and _NAMED_VALUE.match(answer) is None:
        return False
    return "?" not in answer and not answer.startswith(("<", "\\boxed", "#")) and _CJK_RUN.search(answer) is None


def committed_number(text: str) -> Closing | None:
    """The last number or formula, if the text comes to an end and closes with it; None where it breaks off.

    Example:
        >>> committed_number("So it takes 5 + 3 = 8 hours for an"), committed_number("that makes $41 + $8 = $<<41+8.")
        (None, None)
    """
    body = text.rstrip()
    if body.endswith("```") and "print" in body[body.rfind("```", 0, -3) :]:
        return None  # what a program prints is not said
    if not body or body.endswith("?") or body.rfind("<<") > body.rfind(">>") or _refuses(body):
        return None
    formula = _LAST_FORMULA.search(body, max(0, len(body) - 1_000))
    if formula is not None:
        return None if _is_asked(body, formula.start(), formula.end("after")) else _formula_value(body, formula)
    found = last_number(body)
    if found is None or _is_asked(body, found.start, found.end):
        return None
    if _SENTENCE_CLOSED.search(body) is None and not _ends_with(body, found):
        return None
    if _OPERATOR_BEFORE.search(body, max(0, found.start - 12), found.start) is not None:
        return None
    if _REFERENCE_BEFORE.search(body, max(0, found.start - 40), found.start) is not None:
        return None
    start, end = compound_span(body, found.start, found.end)
    if start < found.start:
        return Closing(start, end, found.method)
    while end < len(body) and body[end] in SCALES_CJK:
        end += 1
    return Closing(widened_start(body, found.start), end, found.method)


def _is_asked(body: str, start: int, end: int) -> bool:
    """Whether the sentence that holds `body[start:end]` asks for an answer, or a question follows it."""
    if body.find("?", end) >= 0:
        return True
    before = max(0, start - 300)
    sentence_start = max((found.end() for found in _SENTENCE_BREAK.finditer(body, before, start)), default=before)
    stop = _SENTENCE_BREAK.search(body, start)
    sentence_end = len(body) if stop is None else stop.start()
    sentence = _ANNOUNCING.sub("", body[sentence_start:sentence_end])
    return is_task(sentence, body[sentence_end : sentence_end + 1])


def _refuses(body: str) -> bool:
    """Whether the last sentence says that there is no answer ("Sorry, I cannot help with 4.")."""
    if _NO_ANSWER.match(body) is not None:
        return True
    if "not" not in body and "n't" not in body and "n’t" not in body and "unable" not in body:
        return False
    tail = body[-400:]
    start = max((found.end() for found in _SENTENCE_BREAK.finditer(tail, 0, len(tail) - 1)), default=0)
    refusal = _REFUSAL.search(tail, start)
    return refusal is not None and _YET.search(tail, refusal.end()) is None


def _ends_with(body: str, found: Closing) -> bool:
    """Whether an unpunctuated text ends with the number and at most three words that can end a sentence."""
    tail = body[found.end :]
    if "\n" in tail or len(tail.split()) > 3 or _FUNCTION_WORD.search(tail) is not None:
        return False
    number = body[found.start : found.end]
    return len(number.partition(".")[2]) <= _LONGEST_DECIMALS


def _formula_value(body: str, formula: re.Match[str]) -> Closing | None:
    """The formula's content, or what stands right of its last `=` unless the left is only a name."""
    earlier = [
        match.span()
        for match in _FORMULA.finditer(body, max(0, formula.start() - _BEFORE_CHARS), formula.start())
        if _GIVEN.search(body, max(0, match.start() - 12), match.start()) is None
    ]
    joined = joined_start(body, earlier, formula.start(), last_join=_FORMULA_JOIN)
    if joined < formula.start():
        return Closing(joined, formula.start("after"), "formula")
    group = next(name for name in "abc" if formula.group(name) is not None)
    start, end = unwrapped(body, *formula.span(group))
    if (environment := _ENVIRONMENT_END.search(body, start, end)) is not None:
        start, end = unwrapped(body, start, environment.start())
    equation = _EQUATION.search(body, start, end)
    if equation is not None and body.count("=", start, end) + body.count("≈", start, end) >= 1:
        left = body[start : equation.start()].strip()
        if not (left.isalpha() and len(left) == 1):
            start, end = unwrapped(body, *equation.span("right"))
    return Closing(start, end, "formula") if end > start else None
