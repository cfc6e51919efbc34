"""The part of a completion in which an answer may stand: after the thought, before the next turn.

Cut off: everything up to the last closing thought tag (`</think>`, `</reasoning>`, `<|end_of_thought|>`,
a harmony `final` channel, …); everything from the first end-of-turn token on, or from a line in which the
model begins to play the user. Blanked out, so that offsets stay true: the prompt where it is echoed, HTML
comments, `\\phantom{…}`, white or struck-out text.

Only the last `TAIL_CHARS` characters are read: an answer is expected near the end, and an event loop must
not wait for a megabyte of prose. A single box that begins before them is read all the same.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ...rollouts.messages import Completion, Prompt, completion_text, message_text
from ..base import Outcome
from ..unicode_text import half_width
from .boxes import closing_brace

TAIL_CHARS = 32_768
"""How many characters from the end are read."""

_FARTHEST_BOX_CHARS = 1_000_000
_HEAD_CHARS = 512
_SHORTEST_ECHO_CHARS = 8

_THOUGHT_TAG = re.compile(
    r"<\s{0,2}(?P<close>/?)\s{0,2}(?:think|thinking|thought|thoughts|reasoning|reason|scratchpad|seed:think)\s{0,2}>"
    r"|<\|(?P<close2>end|begin)_of_thought\|>"
    r"|<\|channel\|>(?P<close3>final|analysis)\s{0,2}<\|message\|>"
    r"|\[(?P<close4>/?)THINK\]"
    r"|◁(?P<close5>/?)think▷",
    re.IGNORECASE,
)
_CLOSES = frozenset({"/", "end", "final"})
_TURN_END = re.compile(
    r"<\|(?!begin_of_|end_of_(?:thought|solution))[a-z_0-9]{1,24}\|>"
    r"|</s>|<eos>|<pad>|<(?:end|start)_of_turn>|<｜[^｜<>]{1,24}｜>|\[/?INST\]",
    re.IGNORECASE,
)
_OPENING_TURN = re.compile(
    r"\s*(?:<\|im_start\|>\s*assistant\s*|<\|start_header_id\|>assistant<\|end_header_id\|>\s*"
    r"|<start_of_turn>model\s*|<\|assistant\|>\s*|<s>\s*|<bos>\s*)"
)
_FOLLOW_UP = re.compile(r"\n(?:User|Human|### Instruction|Question|Q|Problem)\s?:")
_FOLLOW_UP_SIGNS = ("\nUser", "\nHuman", "\n### I", "\nQ", "\nProblem")
"""One of them begins every match of the pattern; cheap to look for."""
_FULL_WIDTH_SIGNS = ("＼", "＜", "＃", "ｎｓｗｅｒ")
_TAG_SIGNS = ("<", "◁", "THINK]", "INST]")
_ANSWER_SIGNS = ("nswer", "\\boxed", "####", "\nA:")
_THOUGHT_WORDS = ("hink", "HINK", "hought", "eason", "REASON", "scratch", "channel")
_TURN_WORDS = ("<|", "</s>", "<eos>", "<pad>", "_of_turn>", "<｜", "INST]")
_HIDING_COMMAND = re.compile(
    r"\\(?:[hv]?phantom|x?cancel|bcancel|sout|textcolor\{white\}|color\{white\}(?=\{))\{"
    r"|\\color\{white\}(?P<rest>[^{}$\n]*)"
)
_HIDDEN_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<tag>del|strike)>[^<]{0,400}</(?P=tag)>|~~[^~\n]{1,200}~~"
    r"|<(?P<styled>span|font|div|p)\s[^<>]{0,80}(?:white|#fff|display:\s?none"
    r"|font-size:\s?0)[^<>]{0,80}>[^<]{0,400}</(?P=styled)>",
    re.DOTALL,
)
_MARKUP_SIGNS = ("<!--", "</del>", "</strike>", "white", "#fff", "display:", "font-size:")


def last_match(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    """The last match of `pattern` in `text[start:end]`."""
    matches = deque(pattern.finditer(text, start, end), maxlen=1)
    return matches[0] if matches else None


class Region(NamedTuple):
    """What is left of a completion: `text[i]` is character `start + i` of the completion's text.

    `outcome` and `rule` are set where the cuts alone already decide that there is no answer.
    """

    text: str
    start: int
    outcome: Outcome | None = None
    rule: str = ""


def answer_region(completion: Completion, prompt: Prompt | None = None) -> Region:
    """The region of `completion` in which an answer may stand.

    Args:
        completion: a string or chat messages (the last assistant message is read).
        prompt: blanked out where the completion repeats it word for word.

    Returns:
        The region; with outcome NO_ANSWER and rule `unclosed_think` or `nothing_after_think` where the
        text is all thought, `empty_completion` where there is no text.

    Example:
        >>> answer_region("<think>41?</think> 42<|im_end|>").text
        ' 42'
    """
    text = completion if isinstance(completion, str) else completion_text(completion)
    start, end = _window(text)
    text_is_long = start > 0
    if prompt is not None:
        text = _without_echo(text, prompt)
    if not text.isascii() and any(sign in text for sign in _FULL_WIDTH_SIGNS):
        text = half_width(text)
    has_tags = _has_any(text, _TAG_SIGNS, start, len(text)) or (text_is_long and "<" in text[:_HEAD_CHARS])
    if has_tags:
        opening = _OPENING_TURN.match(text, start)
        if opening is not None:
            start = opening.end()
        if "<|channel|>" not in text:
            end = _turn_end(text, start, end)
        thought = _thought_end(text, start, end)
        if thought is None and text_is_long:
            thought = _early_thought(text, start)
        if thought is not None:
            if thought < 0:
                return Region("", start, Outcome.NO_ANSWER, "unclosed_think")
            start = thought
            end = _turn_end(text, start, end)
            if not text[start:end].strip():
                return Region("", start, Outcome.NO_ANSWER, "nothing_after_think")
    if may_follow_up(text, start, end):
        # Only after an answer: a completion may begin by restating the question.
        answered = min((at for sign in _ANSWER_SIGNS if (at := text.find(sign, start, end)) >= 0), default=end)
        follow_up = _FOLLOW_UP.search(text, answered, end)
        end = end if follow_up is None else follow_up.start()
    region = _without_hidden(text[start:end], has_tags)
    if not region or region.isspace():
        return Region("", start, Outcome.NO_ANSWER, "empty_completion")
    return Region(region, start)


def may_follow_up(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` may hold a line in which the model plays the user."""
    return text.find(":", start, end) >= 0 and _has_any(text, _FOLLOW_UP_SIGNS, start, end)


def _window(text: str) -> tuple[int, int]:
    end = len(text)
    if end <= TAIL_CHARS:
        return 0, end
    start = end - TAIL_CHARS
    # A flat box (no inner braces or commands) that begins earlier but ends in the tail is still one answer.
    box = text.rfind("\\boxed{", max(0, end - _FARTHEST_BOX_CHARS))
    if 0 <= box < start:
        close = text.find("}", box)
        if close >= start and text.find("{", box + 7, close) < 0 and text.find("\\", box + 7, close) < 0:
            return box, end
    return start, end


def _without_echo(text: str, prompt: Prompt) -> str:
    for said in (prompt,) if isinstance(prompt, str) else map(message_text, prompt):
        said = said.strip()
        if len(said) >= _SHORTEST_ECHO_CHARS and said in text:
            text = text.replace(said, " " * len(said))
    return text


def _turn_end(text: str, start: int, end: int) -> int:
    if not _has_any(text, _TURN_WORDS, start, end):
        return end
    match = _TURN_END.search(text, start, end)
    return end if match is None else match.start()


def _has_any(text: str, words: tuple[str, ...], start: int, end: int) -> bool:
    # A loop, not `any`: asked five times of every text, of which nearly none has any.
    for word in words:  # noqa: SIM110
        if text.find(word, start, end) >= 0:
            return True
    return False


def _thought_end(text: str, start: int, end: int) -> int | None:
    """Where the last thought ends; -1 if one is still open, None if there is none."""
    if not _has_any(text, _THOUGHT_WORDS, start, end):
        return None
    last = last_match(_THOUGHT_TAG, text, start, end)
    if last is None:
        return None
    kind = last.group(last.lastgroup) if last.lastgroup is not None else ""
    return last.end() if kind.lower() in _CLOSES else -1


def _early_thought(text: str, start: int) -> int | None:
    """For a long text without a thought tag in its tail: was one opened at its very beginning and never closed?"""
    opening = _THOUGHT_TAG.search(text, 0, _HEAD_CHARS)
    if opening is None or (opening.group(opening.lastgroup or 0) or "").lower() in _CLOSES:
        return None
    closing = opening.group().replace("<", "</", 1) if opening.group().startswith("<") else "[/THINK]"
    return None if text.rfind(closing, opening.end(), start) >= 0 else -1


def _without_hidden(text: str, has_tags: bool) -> str:
    """`text`, same length, with blanks for what a reader of the rendered text would not see or see struck out."""
    if "\\" in text and ("phantom" in text or "cancel" in text or "{white}" in text or "\\sout" in text):
        pieces, kept = [], 0
        for start, end in _hidden_spans(text):
            pieces += (text[kept:start], " " * (end - start))
            kept = end
        text = "".join((*pieces, text[kept:]))
    if "~~" in text or (has_tags and _has_any(text, _MARKUP_SIGNS, 0, len(text))):
        text = _HIDDEN_MARKUP.sub(lambda match: " " * len(match.group()), text)
    return text


def _hidden_spans(text: str) -> Iterator[tuple[int, int]]:
    last_end = 0
    for match in _HIDING_COMMAND.finditer(text):
        if match.start() < last_end:
            continue
        if match.group("rest") is not None:
            last_end = match.end()
        else:
            close = closing_brace(text, match.end())
            if close < 0:
                return
            last_end = close + 1
        yield match.start(), last_end
