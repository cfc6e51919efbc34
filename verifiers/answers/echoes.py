r"""Answers that only repeat the task: `\boxed{12+8}` where the prompt asks for `12+8`."""

import re
from math import gcd

from ...rollouts.messages import Prompt, message_text
from ..base import Verdict

__all__ = ["is_echo"]

_COMPUTES = re.compile(r"[*/^]|(?<=[\w)}])\s*[-+]|\\(?:frac|[dt]frac|sqrt|cdot|times|binom|div)")
_FRACTION = re.compile(r"-?(?:\\[dt]?frac\{?(\d+?)\}?\{?(\d+)\}?|(\d+)/(\d+))")
_LAYOUT = re.compile(r"[\s$]|\\[,;:! ]")
_TRAILING = ".,;:"


def is_echo(verdict: Verdict, prompt: Prompt) -> bool:
    r"""Whether the answer of a verdict stands in the prompt as it is, with something left to compute.

    An answer that is the target itself is none: then the task names its answer, as one of its options does.

    Example:
        >>> from .. import get
        >>> verdict = get("math").verify(r"\boxed{12+8}", "20")
        >>> is_echo(verdict, "Compute $12 + 8$."), is_echo(verdict, "Add 12 and 8.")
        (True, False)
    """
    if verdict.rule == "identical_text" or not verdict.extracted or _COMPUTES.search(verdict.extracted) is None:
        return False
    answer = _LAYOUT.sub("", verdict.extracted).rstrip(_TRAILING)
    if _is_reduced(answer):
        return False
    # Whole numbers are whole: 1/2 does not stand in 11/25.
    pattern = re.compile(rf"(?<![\d.]){re.escape(answer)}(?!\.?\d)")
    said = (prompt,) if isinstance(prompt, str) else map(message_text, prompt)
    return any(pattern.search(_LAYOUT.sub("", text)) is not None for text in said)


def _is_reduced(answer: str) -> bool:
    """Whether `answer` is one fraction in lowest terms, with nothing left to compute: a task may mention it too."""
    found = _FRACTION.fullmatch(answer)
    if found is None:
        return False
    above, below = (int(part) for part in found.groups() if part)
    return gcd(above, below) == 1
