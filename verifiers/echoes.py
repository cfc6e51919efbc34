r"""Answers that only repeat the task: `\boxed{12+8}` where the prompt asks for `12+8`."""

import re

from ..rollouts.messages import Prompt, message_text
from .base import Verdict

__all__ = ["is_echo"]

_COMPUTES = re.compile(r"[+*/^=]|(?<=[\w)}])\s*-|\\(?:frac|[dt]frac|sqrt|cdot|times|binom|div)")
_LAYOUT = re.compile(r"[\s$]|\\[,;:! ]")
_TRAILING = ".,;:"


def is_echo(verdict: Verdict, prompt: Prompt) -> bool:
    r"""Whether the answer of a verdict stands in the prompt as it is, with something left to compute.

    An answer that is the target itself is none: then the task names its answer, as one of its options does.

    Example:
        >>> from . import get
        >>> verdict = get("math").verify(r"\boxed{12+8}", "20")
        >>> is_echo(verdict, "Compute $12 + 8$."), is_echo(verdict, "Add 12 and 8.")
        (True, False)
    """
    if verdict.rule == "identical_text" or not verdict.extracted or _COMPUTES.search(verdict.extracted) is None:
        return False
    answer = _LAYOUT.sub("", verdict.extracted).rstrip(_TRAILING)
    said = (prompt,) if isinstance(prompt, str) else map(message_text, prompt)
    return any(answer in _LAYOUT.sub("", text) for text in said)
