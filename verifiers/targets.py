r"""A mathematical target, read once: its normalised text, what it is made of, and where it was found.

A target may be a worked solution (`… #### 18`, `\boxed{}`, `Answer:`); its final answer is what counts. A
mapping is taken by its usual key; of a list any one is right.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .base import Target, extractors
from .expression.arithmetic import CostlyError
from .expression.nodes import Node
from .expression.normalise import normalise
from .expression.results import shown
from .expression.structures import read
from .target_texts import ANSWER_KEYS, target_texts

__all__ = [
    "INTEGER",
    "MAX_ANSWER_CHARACTERS",
    "ReadTarget",
    "integer_text",
    "is_too_long",
    "read_target",
    "read_targets",
]

MAX_ANSWER_CHARACTERS = 8_000
"""Longer answers are compared as digits or as identical text only."""

INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
"""A plain integer that equals another exactly when the texts are the same."""
_GROUPED_INTEGER = re.compile(r"-?[1-9]\d{0,2}(?:,\d{3}){1,5}")

_DIGITS = re.compile(r"[+-]?[\d,]*(?:\.\d*)?")
_WORKED_SOLUTION = re.compile(r"####|\\(?:boxed|fbox)\s*\{|^\s*(?:A:\s|(?:[Ff]inal )?[Aa]nswer\s*:)", re.MULTILINE)


def integer_text(text: str) -> str | None:
    """`text` without its thousands separators when it is a plain integer; None when it is anything else.

    Example:
        >>> integer_text("1,234"), integer_text("12,34")
        ('1234', None)
    """
    if INTEGER.fullmatch(text):
        return text
    return text.replace(",", "") if _GROUPED_INTEGER.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class ReadTarget:
    """One acceptable answer, read once.

    Args:
        raw: the answer as the caller gave it, or as it stood in the worked solution.
        text: the same normalised; empty where nothing can be read (then `note` says why).
        node: what it is made of; None where reading it alone costs too much.
        note: said at the end of every detail; empty in the ordinary case.
    """

    raw: str
    text: str
    node: Node | None
    note: str


def is_too_long(answer: str) -> bool:
    """Whether `answer` may be compared as identical text only."""
    return len(answer) > MAX_ANSWER_CHARACTERS and not _DIGITS.fullmatch(answer)


def read_targets(target: Target) -> list[ReadTarget]:
    """Every acceptable answer that `target` names; those that cannot be read have an empty `text`.

    Example:
        >>> [one.text for one in read_targets(["1/2", 0.5])], [one.text for one in read_targets({"answer": 5})]
        (['1/2', '0.5'], ['5'])
    """
    texts = target_texts(target)
    if not texts and isinstance(target, Mapping):
        return [ReadTarget("", "", None, f"expected a mapping with one of {', '.join(ANSWER_KEYS)}")]
    return [read_target(text) for text in texts]


@lru_cache(maxsize=4096)
def read_target(target: str) -> ReadTarget:
    """`target` read, from a bounded cache.

    Example:
        >>> read_target("He has 9 * 2 = 18. #### 18").text
        '18'
    """
    raw, note = target.strip(), ""
    if _WORKED_SOLUTION.search(raw):
        found = extractors.create("auto").extract(raw)
        if found is None or found.outcome is not None or not found.text.strip():
            return ReadTarget(raw, "", None, "the target is a worked solution without a final answer")
        raw, note = found.text.strip(), f"; target read from a worked solution ({found.method})"
    text = normalise(raw)
    if not any(map(str.isalnum, text)):
        return ReadTarget(raw, "", None, f"expected a target with a readable answer, got {shown(target)!r}")
    try:
        node = None if is_too_long(text) else read(text)
    except CostlyError:
        node = None
    return ReadTarget(raw, text, node, note)
