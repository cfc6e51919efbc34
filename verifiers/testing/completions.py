r"""Completions that commit to one answer: an *anchor* says how, a *surrounding* what stands around it.

A completion may hold a decoy too: another answer that it does not commit to (thought, or corrected).
"""

from collections.abc import Callable
from dataclasses import dataclass

from .rewrites import Rewrite

__all__ = ["ANCHORS", "SURROUNDINGS", "Anchor", "Wrapped", "wrapped"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """How a completion commits to an answer.

    Args:
        name: a key of `ANCHORS`.
        template: with one `%s`.
        within: what the answer stands in: `"math"` (an open math mode), `"stars"` (markdown's bold).
    """

    name: str
    template: str
    within: frozenset[str] = frozenset()

    def can_hold(self, rewrite: Rewrite) -> bool:
        return not self.within & rewrite.not_within


_MATH, _STARS = frozenset({"math"}), frozenset({"stars"})

ANCHORS: dict[str, Anchor] = {
    anchor.name: anchor
    for anchor in (
        Anchor("boxed", r"\boxed{%s}"),
        Anchor("boxed_in_dollars", r"So it is $\boxed{%s}$.", _MATH),
        Anchor("boxed_in_display", "We get\n\\[ \\boxed{%s} \\]", _MATH),
        Anchor("boxed_with_full_stop", r"Therefore it is \boxed{%s.}"),
        Anchor("hash", "#### %s"),
        Anchor("answer_is", "The answer is %s."),
        Anchor("answer_is_in_dollars", "The final answer is $%s$.", _MATH),
        Anchor("answer_line", "Answer: %s"),
        Anchor("answer_tag", "<answer>%s</answer>"),
        Anchor("answer_tag_on_lines", "<answer>\n%s\n</answer>"),
        Anchor("bold", "The answer is **%s**.", _STARS),
        Anchor("bold_heading", "**Final Answer:** %s"),
    )
}
"""Every anchor by name, the plainest first."""

_LONG_BEFORE = (
    "Let us go through it slowly. The first part follows from the definition, the second from the first.\n\n"
    "Putting both together and keeping track of what was given, nothing else can happen here. "
) * 8
_LONG_BEHIND = "Each step can be checked by going backwards, and nothing was left out on the way. " * 8

SURROUNDINGS: dict[str, Callable[[Anchor, str, str], str]] = {
    "alone": lambda anchor, answer, decoy: anchor.template % answer,
    "prose_before": lambda anchor, answer, decoy: "We work it out step by step.\n\n" + anchor.template % answer,
    "prose_behind": lambda anchor, answer, decoy: anchor.template % answer + "\n\nThis completes the solution.",
    "long_before": lambda anchor, answer, decoy: _LONG_BEFORE + "\n\n" + anchor.template % answer,
    "long_behind": lambda anchor, answer, decoy: anchor.template % answer + "\n\n" + _LONG_BEHIND,
    "newline_behind": lambda anchor, answer, decoy: anchor.template % answer + "\n\n",
    "carriage_returns": lambda anchor, answer, decoy: ("We work it out.\n\n" + anchor.template % answer + "\n").replace(
        "\n", "\r\n"
    ),
    "end_of_sequence": lambda anchor, answer, decoy: anchor.template % answer + "<|im_end|>",
    "thought": lambda anchor, answer, decoy: (
        f"<think>\nIs it \\boxed{{{decoy}}}? Let me see.\n</think>\n\n" + anchor.template % answer
    ),
    "corrected": lambda anchor, answer, decoy: (
        f"First I get {anchor.template % decoy}\n\nWait, that is wrong: I made a mistake. Corrected:\n\n"
        + anchor.template % answer
    ),
}
"""Every surrounding by name, the plainest first."""


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A completion that commits to `answer`, and by which anchor and surrounding."""

    text: str
    answer: str
    anchor: str
    surrounding: str


def wrapped(answer: str, *, anchor: str = "boxed", surrounding: str = "alone", decoy: str = "1") -> Wrapped:
    r"""The completion that commits to `answer` in that way.

    Example:
        >>> wrapped("5", anchor="hash").text
        '#### 5'
        >>> wrapped("5", surrounding="thought", decoy="6").text
        '<think>\nIs it \\boxed{6}? Let me see.\n</think>\n\n\\boxed{5}'
    """
    return Wrapped(SURROUNDINGS[surrounding](ANCHORS[anchor], answer, decoy), answer, anchor, surrounding)
