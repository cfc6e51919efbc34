r"""The verifier of multiple-choice answers: letters A to J against a letter, or against several."""

import re
from time import perf_counter

from ..rollouts.messages import Completion, Prompt, is_completion, prompt_text
from .answers.letters import named_letters
from .base import Extractor, Outcome, Target, Verdict, as_extractor
from .expression.results import shown
from .rows import unreadable
from .target_texts import target_texts
from .unicode_text import ascii_forms

__all__ = ["ChoiceVerifier"]

_OPTION_LINE = re.compile(r"(?:^|\n)[ \t*(\[-]{0,6}([A-J])[).:\]*]{1,3}[ \t]{1,4}([^\n]{1,300})")


class ChoiceVerifier:
    r"""Judges which choice letter a completion commits to.

    A completion that names several letters for a target of one is HEDGED, whether or not one of them is
    right. A target of several letters (`"A, C"`) wants exactly these, in any order. An answer that spells an
    option out instead of its letter counts as that letter when the prompt lists the options.

    Args:
        extractor: what finds the committed answer: a registered name, or an extractor.

    Raises:
        ArgumentError: `extractor` is neither a name nor an extractor.
        UnknownNameError: nobody registered `extractor`.

    Example:
        >>> ChoiceVerifier().verify(r"so \boxed{E: A polygenic risk score}", "E").outcome
        <Outcome.CORRECT: 'correct'>
        >>> ChoiceVerifier().verify("A, B, C, D", "A").outcome
        <Outcome.HEDGED: 'hedged'>
    """

    version = "1"

    def __init__(self, extractor: str | Extractor = "choice") -> None:
        self._extractor = as_extractor(extractor)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        wanted = [letters for letters in map(_letters, target_texts(target)) if letters]
        if not wanted:
            detail = f"expected a target with a letter A to J, got {shown(target)!r}"
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=detail, seconds=perf_counter() - started)
        if not is_completion(completion):
            return unreadable(completion)
        extracted = self._extractor.extract(completion, prompt=prompt)
        if extracted is None:
            detail = "no choice letter found"
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_answer", detail=detail, seconds=perf_counter() - started)
        text, span = extracted.text, extracted.span
        if extracted.outcome is not None:
            detail = f"decided by the extractor ({extracted.method})"
            return Verdict(extracted.outcome, 0.0, text, span, extracted.rule, detail, perf_counter() - started)
        given = _letters(text) or _letter_of_option(text, prompt)
        outcome, rule = _compared(given, wanted)
        reward = 1.0 if outcome is Outcome.CORRECT else 0.0
        detail = f"{_shown(given) or repr(text[:80])} against {' or '.join(map(_shown, wanted))}"
        return Verdict(outcome, reward, text, span, rule, detail, perf_counter() - started)


def _compared(given: frozenset[str], wanted: list[frozenset[str]]) -> tuple[Outcome, str]:
    if not given:
        return Outcome.INCORRECT, "not_a_choice"
    if given in wanted:
        return Outcome.CORRECT, "choice_letter"
    if len(given) > max(map(len, wanted)):
        return Outcome.HEDGED, "several_letters"
    return Outcome.INCORRECT, "choice_letter"


def _letters(text: str) -> frozenset[str]:
    return frozenset(letter.name for letter in named_letters(text))


def _letter_of_option(answer: str, prompt: Prompt | None) -> frozenset[str]:
    """The letter of the one option that the prompt lists with exactly this text; empty where none or several are."""
    if prompt is None:
        return frozenset()
    wanted = _folded(answer)
    named = {letter for letter, option in _OPTION_LINE.findall(prompt_text(prompt)) if _folded(option) == wanted}
    return frozenset(named) if len(named) == 1 else frozenset()


def _folded(text: str) -> str:
    return " ".join(ascii_forms(text).casefold().split()).strip(" .*$;,")


def _shown(letters: frozenset[str]) -> str:
    return ", ".join(sorted(letters))
