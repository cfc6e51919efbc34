"""What the words around an answer do to it: attribute, retract or join it. What denies it: `denials`.

Every rule reads a bounded stretch before or after the answer, and each is narrow on purpose: a careful
reader's plain cases, nothing inferred.
"""

import re

from ..patterns import lazy_pattern
from .denials import MATH_OPENING

_BEFORE_CHARS = 80
_AFTER_CHARS = 240

_ATTRIBUTION = lazy_pattern(
    r"\b(?:according\s+to\s+(?:the\s+)?(?:reference|ground[\s_-]?truth|gold|answer\s+key|solution\s+manual|grader"
    r"|rubric)[^.\n]{0,24}"
    r"|(?:reference(?:[\s_-]+(?:answer|solution|value))?|ground[\s_-]?truth|gold(?:en)?(?:\s+(?:answer|label"
    r"|target))?|answer\s+key"
    r"|solution\s+manual|prompt|problem\s+statement|question|user|teacher|grader|rubric|expected\s+answer|label|target)"
    r"(?:\s+(?:clearly|also|itself))?\s*(?:says?|said|states?|stated|gives?|gave|reads?|is|was|shows?|lists?|has"
    r"|contains?|expects?|tells?\s+us"
    r"|claims?|claimed|[:=])(?:\s+(?:that|it\s+is|the\s+answer\s+is))?)" + MATH_OPENING,
    re.IGNORECASE,
)
SOMEBODY = (
    "reference", "truth", "gold", "key", "manual", "prompt", "statement", "question", "user", "teacher", "grader",
    "rubric", "expected", "label", "target",
)  # fmt: skip
"""One word of every attribution; cheap to look for."""
_RETRACTION = lazy_pattern(
    r"\A\W{0,3}\?\W{0,3}(?:no|nope|wrong|incorrect)\b"
    r"|(?:\A|[.!?…\n,—–-]|\$)\s*(?:\b(?:wait|no|hmm+|actually|oops|sorry|hold\s+on|but|however|oh|I\s+(?:think|see"
    r"|realize)(?:\s+that)?)\b[,.!…\s—–-]*){0,4}"
    r"(?:\b(?:that|this|it|the\s+above|my\s+answer|that\s+answer|this\s+answer)(?:['’]s|\s+(?:is|was|must\s+be|looks"
    r"|seems|can['’]t\s+be|cannot\s+be))\s+"
    r"(?:(?:clearly|obviously|actually|also|just|all|probably)\s+)?(?:wrong|incorrect|not\s+(?:right|correct|it\b"
    r"|the\s+(?:right|correct)?\s*answer)|a\s+mistake|an\s+error|right\?)"
    r"|\bscratch\s+that|\bignore\s+(?:that|the\s+above|my\s+(?:previous\s+)?answer)|\bI\s+(?:made|have\s+made)\s+(?:a"
    r"|an)\s+(?:\w+\s+)?(?:mistake|error)"
    r"|\b(?:I\s+take|taking)\s+(?:that|it)\s+back)",
    re.IGNORECASE,
)
_LIST_GAP = lazy_pattern(
    r"(?:[\s$,;.&|*、，；。]|(?<=\n)[-•](?=\s)|\\[\[\]()\\,;:! ]|\\q?quad(?![a-z])"
    r"|(?:\\text\{\s*)?\b(?:and|as\s+well\s+as|und|et|y|e|и)\b(?:\s*\})?|[和与及])*"
    r"(?P<label>[A-Za-z](?:_\{?\w{1,4}\}?)?\s*=\s*(?:\\[(\[])?[\s$]*)?"
)
_OR_GAP = lazy_pattern(
    r"\b(?:or|oder|ou|alternatively|could\s+(?:also\s+)?be|might\s+(?:also\s+)?be|may\s+(?:also\s+)?be|maybe|perhaps"
    r"|possibly)\b|或者?",
    re.IGNORECASE,
)
_CORRECTION_GAP = lazy_pattern(
    r"\b(?:wait|actually|correct\w*|no|not|instead|rather|redo|sorry|oops|equivalently|equal|i\.?e|that\s+is"
    r"|simplif\w+|but\s+then|in\s+other\s+words)\b|=|≈",
    re.IGNORECASE,
)
_LONGEST_GAP_CHARS = 80

PLACEHOLDERS = frozenset(
    {
        "...", "?", "??", "???", "\\box", "\\cdot", "\\cdots", "\\dots", "\\ldots", "\\square", "\\text{}", "_",
        "__", "___", "above", "answer", "answer here", "correct answer", "expected", "expected answer",
        "final answer", "gold", "ground truth", "insert answer here", "my answer", "n/a", "na", "nan", "nil",
        "no answer", "none", "null", "placeholder", "reference", "reference answer", "result", "same", "see above",
        "solution", "target", "tbd", "the answer", "the final answer", "todo", "unknown", "value", "x.xx", "xxx",
        "your answer", "your answer here", "{}", "…",
    }
)  # fmt: skip
"""What stands where an answer should, after casefolding and without wrappers."""

_DEFERRING = lazy_pattern(
    r"(?:the\s+)?(?:same|equal|identical)\s+(?:as|to|with)\s+(?:the\s+)?(?:reference|gold|ground|target|expected"
    r"|correct|label|given)|(?:insert|put|write|fill\s+in)\s+(?:your\s+|the\s+)?(?:final\s+)?answer"
    r"|(?:the\s+)?(?:reference|ground\s+truth|gold|expected|correct|target)\s+(?:answer|solution|value)\Z|as\s+(?:in"
    r"|per)\s+the\s+(?:reference|key)",
    re.IGNORECASE,
)


def is_attributed(text: str, start: int) -> bool:
    """Whether the words just before `start` put the answer into somebody else's mouth (the reference's, the prompt's).

    Example:
        >>> text = r"The reference says \\boxed{5}"
        >>> is_attributed(text, text.index("\\\\boxed"))
        True
    """
    before = text[start - _BEFORE_CHARS if start > _BEFORE_CHARS else 0 : start]
    lowered = before.lower()
    for word in SOMEBODY:
        if word in lowered:
            return _ATTRIBUTION.search(before) is not None
    return False


def retraction_end(text: str, end: int) -> int:
    """Where a later retraction ("wait, that is wrong") of an answer that ends at `end` ends; -1 for none."""
    match = _RETRACTION.search(text[end : end + _AFTER_CHARS])
    return -1 if match is None else end + match.end()


def is_placeholder(answer: str) -> bool:
    """Whether `answer`, without its wrappers, only stands for an answer (`?`, `\\ldots`, `your answer`).

    Example:
        >>> is_placeholder("same as the reference"), is_placeholder("0")
        (True, False)
    """
    if len(answer) > _LONGEST_GAP_CHARS:
        return False
    folded = " ".join(answer.casefold().split()).strip("[]<>() ")
    return folded in PLACEHOLDERS or _DEFERRING.match(folded) is not None


def junction(gap: str) -> str | None:
    """How two answers with `gap` between them belong together: `", "`, `" or "`, or None when they do not.

    Example:
        >>> junction(" and "), junction("$ or maybe $"), junction(". No, the corrected value is ")
        (', ', ' or ', None)
    """
    if len(gap) > _LONGEST_GAP_CHARS:
        return None
    if _LIST_GAP.fullmatch(gap) is not None:
        return ", "
    if _OR_GAP.search(gap) is not None and _CORRECTION_GAP.search(gap) is None:
        return " or "
    return None
