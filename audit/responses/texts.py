"""What the audit reads off a response once, so that the response itself need not be kept."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ...rollouts.messages import completion_text
from ...rollouts.records import Rollout
from ...rollouts.values import truncated_value
from ...verifiers.base import Extracted, Extractor, Outcome, Verdict, extractors
from .forms import Form, commitment_form
from .tool_calls import ToolCalls, tool_calls

__all__ = ["ANSWER_CHARS", "TextFacts", "breaks_off", "clipped", "text_facts"]

EXCERPT_CHARS = 240
ANSWER_CHARS = 300

_ENDS_WELL = re.compile(r"(?:[.!?。！？…:;)\]}>$”\"'*`|~]|\d%?)\Z")
_OPEN_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_TRAILING_TOKENS = re.compile(r"(?:\s|<\|[a-z_]{1,24}\|>|</s>|<eos>|<pad>)+\Z")
_READ_FROM_END = 4_096
_DECIDED = frozenset({Outcome.CORRECT, Outcome.INCORRECT})
_MARK_CHARS = 24
_MARK = re.compile(
    r"(?:(?P<boxed>\\boxed\{)|\n(?P<hash>####) ?|\n(?P<phrase>A|Answer): ?|(?P<answer_tag><answer>)\s*)\Z"
)


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Facts of one response.

    Args:
        n_characters: of the text that is judged (the last assistant message).
        form: where and how the committed answer stands.
        is_truncated: what the file says: its flag, else its finish reason; None where neither does.
        breaks_off: the text stops in the middle of something.
        calls: its tool calls.
        excerpt: the end of the text, clipped.
    """

    n_characters: int
    form: Form
    is_truncated: bool | None
    breaks_off: bool
    calls: ToolCalls
    excerpt: str

    @property
    def place(self) -> str:
        """Where the committed answer stands: `boxed`, `answer_tag`, `last_number`, …; empty where there is none."""
        return self.form.place


def text_facts(rollout: Rollout, verdict: Verdict | None = None) -> TextFacts | None:
    """The facts of a rollout's response; None where no response was logged.

    Args:
        rollout: any.
        verdict: on it, of a verifier that says where the answer stands; spares looking for it again.
    """
    response = rollout.response
    if response is None:
        return None
    text = completion_text(response)
    found = _as_marked(text, verdict) or _extractor().extract(response, prompt=rollout.prompt)
    return TextFacts(
        n_characters=len(text),
        form=commitment_form(text, found),
        is_truncated=truncated_value(rollout.truncated, rollout.finish_reason),
        breaks_off=breaks_off(text),
        calls=tool_calls(response),
        excerpt=_excerpt(text, found),
    )


def breaks_off(text: str) -> bool:
    r"""Whether `text` stops in the middle of a sentence, a formula, a box or a thought.

    Example:
        >>> breaks_off("so we get x ="), breaks_off(r"Hence \boxed{4"), breaks_off("It is 4."), breaks_off("<think>4.")
        (True, True, False, True)
    """
    end = text[-_READ_FROM_END:]
    if end.endswith(">") or end[-1:].isspace():  # else there is nothing to cut, and the pattern tries every blank
        end = _TRAILING_TOKENS.sub("", end)
    if not end:
        return False
    if _ENDS_WELL.search(end) is None:
        return True
    opening = _OPEN_THOUGHT.search(text, 0, 512)
    if opening is not None and text.rfind(f"</{opening.group(1)}>") < 0:
        return True
    box = end.rfind("\\boxed{")
    # Depth of braces from the last box on: a box that never closes is cut, whatever follows.
    return box >= 0 and end.count("{", box) > end.count("}", box)


def clipped(text: str, limit: int = ANSWER_CHARS) -> str:
    """`text` cut to `limit` characters, saying so.

    Example:
        >>> clipped("abcdef", 3)
        'abc… (6 characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


@lru_cache(maxsize=1)
def _extractor() -> Extractor:
    return extractors.create("auto")


def _as_marked(text: str, verdict: Verdict | None) -> Extracted | None:
    """What a verdict extracted, where a box or a mark stands right before it."""
    if verdict is None or verdict.outcome not in _DECIDED or verdict.span is None or not verdict.extracted:
        return None
    start, end = verdict.span
    if text[start:end] != verdict.extracted:
        return None
    mark = _MARK.search(text, max(0, start - _MARK_CHARS), start)
    method = None if mark is None else mark.lastgroup
    return None if method is None else Extracted(verdict.extracted, verdict.span, method)


def _excerpt(text: str, found: Extracted | None) -> str:
    """The text around the committed answer, else its end."""
    end = len(text)
    if found is not None and found.span is not None:
        end = min(end, found.span[1] + EXCERPT_CHARS // 4)
    start = max(0, end - EXCERPT_CHARS)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
