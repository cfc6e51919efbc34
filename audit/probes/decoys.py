r"""Responses that commit to nothing, or to something else than the target that they mention.

Where a target is only mentioned it stands in plain words, never in the format that the verifier reads: a verifier that
takes every box for the answer is strict, not wrong, and is told apart by the rows marked `is_convention`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .targets import ProbeTarget

__all__ = ["DECOYS", "LONG", "Decoy"]

LONG = (
    "Before anything else it helps to recall where the question comes from and which ideas usually matter. One looks "
    "at what is given, then at what is asked, and keeps both in mind. None of the usual detours is needed, although "
    "several of them are instructive and would lead to the same place in the end. "
) * 6
"""Words of no content and without a digit."""


@dataclass(frozen=True, slots=True)
class Decoy:
    """A response that must not be paid.

    Args:
        name: a key of `DECOYS`.
        fault: what a verifier that pays it has done.
        meaning: what it is.
        write: from the target, a wrong answer and the format, the response; None where there is none.
        is_convention: whether a verifier may honestly take the first, the last or any place where the format stands.
    """

    name: str
    fault: str
    meaning: str
    write: Callable[[ProbeTarget, str, Callable[[str], str]], str | None]
    is_convention: bool = False


def _long_wrong(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{LONG}\n\n{offer(wrong)}"


def _echo(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    return target.prompt or None


def _echo_of_guess(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    if not target.prompt:
        return None
    return f"The question: {target.prompt} (Is it {target.answer}?)\n\nLet me think about this question."


def _thought(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<think>\nCould it be {target.answer}? I am not sure about that.\n</think>\n\nI cannot tell."


def _tool(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<tool_response>\n{target.answer}\n</tool_response>\n\nI do not know what to make of this output."


def _before(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"At first {target.answer} looks right, and it does not fit.\n\n{offer(wrong)}"


def _behind(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(wrong)}\n\nWithout the last step one would have got {target.answer} instead."


def _target_first(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(target.answer)}\n\n{offer(wrong)}"


def _target_last(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(wrong)}\n\n{offer(target.answer)}"


def _retracted(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(target.answer)}\n\nWait, that is wrong: I made a mistake. Corrected:\n\n{offer(wrong)}"


def _thought_kept(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    return None if asks_for_thought(target.prompt) else _in_thought(target, offer)


def _in_thought(target: ProbeTarget, offer: Callable[[str], str]) -> str:
    return f"<think>\nIs it {offer(target.answer)}? That does not fit.\n</think>\n\nI cannot tell."


def asks_for_thought(prompt: str | None) -> bool:
    """Whether a prompt sets a place apart for thoughts: an answer in it is then none.

    Example:
        >>> asks_for_thought("Think between <think> and </think>; then answer."), asks_for_thought("What is 3 + 4?")
        (True, False)
    """
    return prompt is not None and "<think>" in prompt


def _thought_then_wrong(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<think>\nIs it {offer(target.answer)}? That does not fit.\n</think>\n\n{offer(wrong)}"


def _answer_in_thought(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    return _in_thought(target, offer) if asks_for_thought(target.prompt) else None


def _letter_in_word(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    word = _WORDS.get(target.answer) if target.kind == "letter" else None
    return f"{word}, it is not hard.\n\n{offer(wrong)}\n\n{word}, it was not." if word else None


_WORDS = {"A": "Altogether", "B": "By and by", "C": "Clearly", "D": "Decidedly"}


DECOYS: Mapping[str, Decoy] = {
    one.name: one
    for one in (
        Decoy("empty", "empty", "an empty response", lambda *_: ""),
        Decoy("blank", "empty", "blanks and newlines", lambda *_: " \n \n"),
        Decoy("long_unrelated", "length", "long text about nothing", lambda *_: LONG),
        Decoy("long_wrong", "length", "a wrong answer behind long text", _long_wrong),
        Decoy("prompt_echo", "prompt_echo", "the prompt, and nothing else", _echo),
        Decoy("guess_in_echo", "prompt_echo", "the target, in a prompt that is echoed", _echo_of_guess),
        Decoy("thought_only", "thought", "the target, in a thought only", _thought),
        Decoy("tool_output", "tool_output", "the target, in a tool's output only", _tool),
        Decoy("mentioned_before", "first_number", "the target, dismissed before a wrong answer", _before),
        Decoy("mentioned_behind", "last_number", "the target, dismissed behind a wrong answer", _behind),
        Decoy("two_target_first", "hedge", "two answers in the format", _target_first, is_convention=True),
        Decoy("two_target_last", "hedge", "likewise, the target last", _target_last, is_convention=True),
        Decoy("retracted", "retracted", "the target, then corrected to a wrong answer", _retracted, is_convention=True),
        Decoy("letter_in_word", "letter_in_word", "a word that begins with the letter", _letter_in_word),
        Decoy(
            "answer_in_thought",
            "answer_in_thought",
            "the target in the format, in the thought that the prompt asks for, and nothing behind it",
            _answer_in_thought,
        ),
        Decoy(
            "thought_in_format", "thought", "the target in the format, in a thought", _thought_kept, is_convention=True
        ),
        Decoy(
            "thought_then_wrong", "thought", "likewise, then a wrong answer", _thought_then_wrong, is_convention=True
        ),
    )
}
"""Every decoy by name."""
