"""The texts that a target names: itself, each of a sequence, or a mapping's under its usual key."""

from collections.abc import Collection, Mapping
from numbers import Integral
from typing import Any

from ..rollouts.values import number_text

__all__ = ["ANSWER_KEYS", "answer_key", "target_texts"]

ANSWER_KEYS = ("answer", "final_answer", "target", "ground_truth", "solution")


def answer_key(target: Mapping[str, Any]) -> str | None:
    """The key of a mapping that names its answer; None where none of the usual keys is in it.

    Example:
        >>> answer_key({"source": "gsm8k", "solution": "#### 18", "answer": "18"}), answer_key({"tests": []})
        ('answer', None)
    """
    return next((key for key in ANSWER_KEYS if key in target), None)


def target_texts(target: object) -> list[str]:
    """Every acceptable answer of `target` as text; empty where it names none. Never raises.

    A number is the text that a person would write for it; a bool is none.

    Example:
        >>> target_texts({"answer": ["Paris", "the capital"]}), target_texts([18, 0.5, 18.0, True])
        (['Paris', 'the capital'], ['18', '0.5', '18'])
    """
    if isinstance(target, str):  # the everyday case first: what comes below asks abstract classes
        return [target]
    if isinstance(target, Mapping):
        key = answer_key(target)
        named = None if key is None else target[key]
        return [] if isinstance(named, Mapping) else target_texts(named)
    if not isinstance(target, Collection) or isinstance(target, bytes | bytearray):
        text = _text(target)
        return [] if text is None else [text]
    return [text for one in target if (text := _text(one)) is not None]


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return None
    return number_text(int(value) if isinstance(value, Integral) else value)
