"""Words that deny the answer beside them: "not 5", "5 is wrong", "the wrong answer is 5", "suppose it is 5".

Every rule reads a bounded stretch before or after the answer, and each is narrow on purpose: a careful
reader's plain cases, nothing inferred.
"""

import re

from ..patterns import lazy_pattern

_BEFORE_CHARS = 48
_AFTER_CHARS = 240

MATH_OPENING = r"[\s$*_\"'“(\[{:]*(?:\\[(\[]|\\displaystyle|\\text\{|\\mathbf\{)?[\s$*]*\Z"
_OPENING_MARKS = " \t\n\r\f\v\x1c\x1d\x1e\x1f$*_\"'([{:\\"
_OPENING_COMMANDS = ("\\displaystyle", "\\text", "\\mathbf")
_NEGATION = lazy_pattern(
    r"(?=[ncriodakнw\\≠!不并で])(?:\b(?:retract|withdraw|reject|discard)\w*\s+(?:my|the|that|this)\s+(?:\w+\s+)?answer\s+of|\b(?:not|never|cannot\s+be|rather\s+than|instead\s+of|neither|nor)|n['’]t(?:\s+(?:be|equal(?:\s+to)?))?"
    r"|\bnot\s+(?:be|equal(?:\s+to)?)|(?<!none\s)(?<!nothing\s)\bother\s+than|\bdifferent\s+from|\banything\s+but"
    r"|\\neq?|≠|!=|\\not\s*=|不是|不等于|并非|ではなく|\bnicht|\bn['’]est\s+pas|\bno\s+es|\bnon\s+è|\bnão\s+é"
    r"|\bне(?:\s+равн?[аоы]?(?:ен)?)?|\bkhông\s+phải(?:\s+là)?|\bnie\s+(?:jest|wynosi))" + MATH_OPENING,
    re.IGNORECASE,
)
_NEGATION_SIGNS = (
    "not", "n't", "nor", "never", "neither", "n'est", "nicht", "no es", "nie ", "than", "fferent",
    "anything", "instead", "\\ne", "!=", "answer of",
)  # fmt: skip
_ALL_NEGATION_SIGNS = (
    *_NEGATION_SIGNS,
    "n’t",
    "n’est",
    "no",
    "nie",
    "≠",
    "不",
    "并非",
    "ではなく",
    "não",
    "не",
    "không",
)
"""Cheap to look for; without one of them the pattern cannot match."""
_NOT_ONLY = lazy_pattern(r"(?:whether\s+or|why|if)\s+not\W*\Z", re.IGNORECASE)
_NEGATED_INSIDE = lazy_pattern(
    r"\s*(?:\\neq?(?![a-z])|≠|!=|\\not\s*=|(?:\\text\{\s*)?(?:not|isn['’]t"
    r"|is\s+not)\b\s*+(?:equal\s+to\b\s*+)?(?:\}\s*+)?(?=[-+\\$(]*(?:\d|[A-J]\W*\Z)|\\))",
    re.IGNORECASE,
)
_ANSWER = r"(?:answer|solution|value|result)"
_TRUE = r"(?:right|correct|final|true|actual|real)"
_FALSE = r"(?:wrong|incorrect|false|invalid)\b"
_DENIED = lazy_pattern(
    rf"[\s$*)\]}}]{{0,8}}or\s+not\b"
    rf"|[\s$*.)\]}}\"'”\\,]*(?:which\s+)?(?:(?:is|was|would\s+be|seems|turns\s+out\s+to\s+be)\s+"
    rf"(?:(?:clearly|definitely|obviously)\s+)?(?:(?:not|n['’]t)\s+(?:the\s+|a\s+)?(?:{_TRUE}\s+)?"
    rf"(?:{_ANSWER}|correct|right|true|valid)|{_FALSE}|(?:an?|the)\s+{_FALSE}\s+{_ANSWER})"
    rf"|(?:isn|wasn)['’]t\s+(?:the\s+)?(?:{_TRUE}\s+)?(?:{_ANSWER}|correct|right)"
    rf"|(?:cannot|can\s+not|can['’]t)\s+be\s+(?:(?:the|a)\s+)?(?:{_TRUE}|{_ANSWER}))"
    r"|[\s$*)\]}]{0,8}(?:değil|ではな|ではあり|じゃな|[이가]\s?아[니닙]|不对|不正确|是错|nicht\s+richtig|ist\s+falsch"
    r"|es\s+(?:falso|incorrect)|est\s+(?:faux|incorrect)|неверн|неправильн)",
    re.IGNORECASE,
)
_MARKS, _MARKS_CHARS = " \t\r\n$*.)]}\"'”\\,", 24
"""What may stand between an answer and the words that deny it."""
_DENIAL_LETTERS = frozenset("iIwWsStTcCoOnNeEdD")
"""What those words begin with, other scripts apart."""
LEADING = frozenset({"a", "an", "the", "my", "our", "your", "that", "final", "correct", "right", "true"})
"""What stands between such a word and the answer that it is about."""
DOUBTING = frozenset(
    {
        "wrong", "incorrect", "mistaken", "false", "whether", "if", "suppose", "supposing", "assume", "assuming",
        "imagine", "pretend", "think", "thinking", "believe", "believing", "say", "saying", "claim", "conclude",
        "concluding", "agree", "sure", "certain", "know", "convinced",
    }
)  # fmt: skip
_FALSE_ANSWER = lazy_pattern(r"(?:wrong|incorrect|mistaken|false)\Z", re.IGNORECASE)
_DENYING = lazy_pattern(
    r"(?:(?:n['’]t|\bnot)\s+(?:think|believe|say|claim|agree)"
    r"|\b(?:mistake|error|tempt\w+|trap|pitfall|wrong|incorrect)\b[^.!?\n]{0,30}\s\w+)\Z",
    re.IGNORECASE,
)
_SUPPOSING = lazy_pattern(
    r"(?:\b(?:whether|if|suppos(?:e|ing)|assum(?:e|ing)|imagine|pretend)"
    r"|(?:n['’]t|\bnot)\s+(?:\w+\s+)?(?:sure|certain|know|convinced|say)|\bcannot\s+(?:say|know)"
    r"|\b(?:one|some|people|many|students?|someone)\s+(?:might|may|could|would)\s+(?:\w+\s+)?(?:think|say|believe|assume))\Z",
    re.IGNORECASE,
)


def is_negated(text: str, start: int) -> bool:
    """Whether the words just before `start` deny what stands there (`not \\boxed{5}`, `≠ 5`).

    Example:
        >>> is_negated("The answer is not 5", 18), is_negated("I see why not: 5", 15)
        (True, False)
    """
    before = text[start - _BEFORE_CHARS if start > _BEFORE_CHARS else 0 : start]
    if before.isascii():
        near, signs = _last_words(before), _NEGATION_SIGNS
    else:
        near, signs = before.lower(), _ALL_NEGATION_SIGNS
    for sign in signs:
        if sign in near:
            return _NEGATION.search(before) is not None and _NOT_ONLY.search(before) is None
    return False


def _last_words(before: str) -> str:
    """The last three words, as many as a negation has, in front of the marks that may stand behind one."""
    stem = before.rstrip(_OPENING_MARKS)
    if stem.endswith(_OPENING_COMMANDS):
        stem = stem[: stem.rfind("\\")].rstrip(_OPENING_MARKS)
    return " ".join(stem.split()[-3:]).lower()


def is_negated_inside(answer: str) -> bool:
    """Whether the answer itself begins with a denial (`\\neq 5`); `x \\neq 5` is a statement, not a denial.

    Example:
        >>> is_negated_inside(r"\\neq 5"), is_negated_inside(r"x \\neq 5"), is_negated_inside("not prime")
        (True, False, False)
    """
    return _NEGATED_INSIDE.match(answer) is not None


def is_denied(text: str, end: int) -> bool:
    """Whether the words just after `end` say that this is not the answer."""
    first = text[end : end + _MARKS_CHARS].lstrip(_MARKS)[:1]
    if first.isascii() and first not in _DENIAL_LETTERS:
        return False
    return _DENIED.match(text, end, end + _AFTER_CHARS) is not None


def is_denied_inside(answer: str) -> bool:
    """Whether the answer goes on to deny its own first word (`42 is wrong`).

    Example:
        >>> is_denied_inside("42 is wrong"), is_denied_inside("42 is right"), is_denied_inside("42 m")
        (True, False, False)
    """
    if "\\text{" in answer:
        answer = answer.replace("\\text{", " ")
    space = answer.find(" ")
    return space > 0 and is_denied(answer, space)


def doubt_before(text: str, at: int) -> str:
    """What the words before "(the) answer is" at `at` make of it: `"negated"`, `"supposed"` or, as a rule, nothing.

    Example:
        >>> texts = "I don't think the answer is 5", "Suppose the answer is 5", "I think the answer is 5"
        >>> [doubt_before(text, text.index("answer")) for text in texts]
        ['negated', 'supposed', '']
    """
    words = text[max(0, at - _BEFORE_CHARS) : at].split()
    while words and words[-1].lower() in LEADING:
        words.pop()
    if not words or words[-1].lower() not in DOUBTING:
        return ""
    lead = " ".join(words)
    if _FALSE_ANSWER.search(lead) is not None or _DENYING.search(lead) is not None:
        return "negated"
    return "supposed" if _SUPPOSING.search(lead) is not None else ""
