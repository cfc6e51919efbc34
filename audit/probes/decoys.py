r"""Responses that commit to nothing, or to something else than the target that they mention.

Where a target is only mentioned it stands in plain words, never in the format that the verifier reads: a verifier that
takes every box for the answer is strict, not wrong, and is told apart by the rows marked `is_convention`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .targets import ProbeTarget

__all__ = ["DECOYS", "LONG", "Decoy"]

LONG = (
    "Before anything else it helps to recall where the question comes from and which ideas usually matter. One looks at "
    "what is given, then at what is asked, and keeps both in mind. None of the usual detours is needed, although several "
    "of them are instructive and would lead to the same place in the end. "
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
        holds_target: whether the target's text stands in it.
        is_convention: whether a verifier may honestly take the first, the last or any place where the format stands.
    """

    name: str
    fault: str
    meaning: str
    write: Callable[[ProbeTarget, str, Callable[[str], str]], str | None]
    holds_target: bool = False
    is_convention: bool = False


def _echo(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    return target.prompt or None


def _echo_of_guess(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str | None:
    if not target.prompt:
        return None
    return f"The question: {target.prompt} (Is it {target.answer}?)\n\nLet me think about this question."


def _thought(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<think>\nCould it be {target.answer}? I am not sure about that.\n</think>\n\nI cannot tell."


def _tool(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<tool_response>\n{target.answer}\n</tool_response>\n\nI do not know what to make of what the tool has printed."


def _before(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"At first {target.answer} looks right, and it does not fit.\n\n{offer(wrong)}"


def _behind(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(wrong)}\n\nWithout the last step one would have got {target.answer} instead."


def _two(target: ProbeTarget, wrong: str, offer: Callable[[str], str], *, target_first: bool) -> str:
    both = (target.answer, wrong) if target_first else (wrong, target.answer)
    return "\n\n".join(map(offer, both))


def _retracted(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"{offer(target.answer)}\n\nWait, that is wrong: I made a mistake. Corrected:\n\n{offer(wrong)}"


def _thought_in_format(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<think>\nIs it {offer(target.answer)}? That does not fit.\n</think>\n\nI cannot tell."


def _thought_then_wrong(target: ProbeTarget, wrong: str, offer: Callable[[str], str]) -> str:
    return f"<think>\nIs it {offer(target.answer)}? That does not fit.\n</think>\n\n{offer(wrong)}"


DECOYS: Mapping[str, Decoy] = {
    one.name: one
    for one in (
        Decoy("empty", "empty", "an empty response", lambda *_: ""),
        Decoy("blank", "empty", "blanks and newlines", lambda *_: " \n \n"),
        Decoy("long_unrelated", "length", "long text about nothing", lambda *_: LONG),
        Decoy("long_wrong", "length", "a wrong answer behind long text", lambda _, wrong, offer: f"{LONG}\n\n{offer(wrong)}"),
        Decoy("prompt_echo", "prompt_echo", "the prompt, and nothing else", _echo),
        Decoy("guess_in_echo", "prompt_echo", "the target, in a prompt that is echoed", _echo_of_guess, True),
        Decoy("thought_only", "thought", "the target, in a thought only", _thought, True),
        Decoy("tool_output", "tool_output", "the target, in a tool's output only", _tool, True),
        Decoy("mentioned_before", "first_mention", "the target, dismissed before a wrong answer", _before, True),
        Decoy("mentioned_behind", "last_mention", "the target, dismissed behind a wrong answer", _behind, True),
        Decoy("two_target_first", "hedge", "two answers in the format", lambda *at: _two(*at, target_first=True), True, True),
        Decoy("two_target_last", "hedge", "likewise, the target last", lambda *at: _two(*at, target_first=False), True, True),
        Decoy("retracted", "retracted", "the target, then corrected to a wrong answer", _retracted, True, True),
        Decoy("thought_in_format", "thought", "the target in the format, in a thought only", _thought_in_format, True, True),
        Decoy("thought_then_wrong", "thought", "likewise, then a wrong answer", _thought_then_wrong, True, True),
    )
}  # fmt: skip
"""Every decoy by name."""
