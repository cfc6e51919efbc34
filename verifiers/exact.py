r"""The verifier of words: names, yes and no, short phrases, compared as text after folding what does not matter."""

import re
from collections.abc import Set
from time import perf_counter

from ..rollouts.messages import Completion, Prompt, is_completion
from .answers.regions import answer_region
from .answers.wrappers import unwrapped, without_math_marks
from .base import Extracted, Extractor, Outcome, Target, Verdict, as_extractor
from .expression.results import shown
from .rows import unreadable
from .target_texts import target_texts
from .unicode_text import ascii_forms

__all__ = ["ExactVerifier"]

_TEXT_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|hbox|operatorname|emph|underline)\s{0,2}\{([^{}]*)\}"
)
_SPACING = re.compile(r"\\[,;:! ]|\\q?quad(?![a-zA-Z])|~")
_PUNCTUATION = re.compile(r"(?<!\d)[.,;:!?\"'`](?!\d)|[.,;:!?\"'`](?!\d)|(?<!\d)[,;:!?\"'`]")
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_YES_OR_NO = frozenset({"yes", "no", "true", "false"})
_FIRST_WORD = re.compile(
    r"[\s*_\"'`(]{0,16}(?P<word>yes|no|true|false)\b(?!\s+(?:one|matter|more|solution|such|other))", re.IGNORECASE
)


class ExactVerifier:
    r"""Judges whether the committed answer is the target's text.

    Always folded: LaTeX text commands, Unicode forms, white space, wrappers. Punctuation between digits
    and signs are never dropped, so that `1.5` is not `15` and `-5` not `5`.

    Args:
        extractor: what finds the committed answer: a registered name, or an extractor.
        ignore_case: `East` is `east`.
        ignore_punctuation: `Dr. Who` is `Dr Who`.
        ignore_article: `the ellipse` is `ellipse`.

    Raises:
        ArgumentError: `extractor` is neither a name nor an extractor.
        UnknownNameError: nobody registered `extractor`.

    Example:
        >>> ExactVerifier().verify(r"so it is $\boxed{\text{The Ellipse.}}$", r"\text{ellipse}").outcome
        <Outcome.CORRECT: 'correct'>
    """

    version = "1"

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        *,
        ignore_case: bool = True,
        ignore_punctuation: bool = True,
        ignore_article: bool = True,
    ) -> None:
        self._extractor = as_extractor(extractor)
        self._ignore_case = ignore_case
        self._ignore_punctuation = ignore_punctuation
        self._ignore_article = ignore_article

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        wanted = {folded: text for text in target_texts(target) if (folded := self._folded(text))}
        if not wanted:
            detail = f"expected a target with text in it, got {shown(target)!r}"
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=detail, seconds=perf_counter() - started)
        if not is_completion(completion):
            return unreadable(completion)
        extracted = self._extractor.extract(completion, prompt=prompt)
        if not wanted.keys().isdisjoint(_YES_OR_NO) and (extracted is None or extracted.method in _WEAK_METHODS):
            extracted = _first_word(completion, prompt) or extracted
        if self._ignore_case and (extracted is None or extracted.method in _WEAK_METHODS):
            extracted = _last_words(completion, prompt, list(wanted.values())) or extracted
        if extracted is None:
            detail = "no committed answer found"
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_answer", detail=detail, seconds=perf_counter() - started)
        given = self._folded(extracted.text)
        outcome, rule = self._judged(extracted, given, wanted.keys())
        reward = 1.0 if outcome is Outcome.CORRECT else 0.0
        detail = f"{given[:80]!r} against {' or '.join(repr(one[:80]) for one in wanted)}"
        return Verdict(outcome, reward, extracted.text, extracted.span, rule, detail, perf_counter() - started)

    def _judged(self, extracted: Extracted, given: str, accepted: Set[str]) -> tuple[Outcome, str]:
        if extracted.outcome is not None:
            # "None" stands for no answer, unless it is what the target says.
            if extracted.rule == "placeholder" and given in accepted:
                return Outcome.CORRECT, "same_text"
            return extracted.outcome, extracted.rule
        if given in accepted:
            return Outcome.CORRECT, "same_text"
        if any(len(parts := _parts(one)) > 1 and parts == _parts(given) for one in accepted):
            return Outcome.CORRECT, "same_parts"
        if any(self._folded(one) in accepted for one in extracted.alternatives):
            return Outcome.HEDGED, "several_answers"
        return Outcome.INCORRECT, "other_text"

    def _folded(self, text: str) -> str:
        text = ascii_forms(text)
        for _ in range(4):
            text, changes = _TEXT_COMMAND.subn(r"\1", text)
            if not changes:
                break
        text = without_math_marks(_SPACING.sub(" ", text))
        start, end = unwrapped(text, 0, len(text))
        text = text[start:end]
        if self._ignore_punctuation:
            text = _PUNCTUATION.sub("", text)
        if self._ignore_article:
            text = _ARTICLE.sub("", text.lstrip(), count=1) if _ARTICLE.match(text.lstrip()) else text
        text = " ".join(text.split())
        return text.casefold() if self._ignore_case else text


def _parts(text: str) -> list[str]:
    """What a list in words names, in no order: `I and III` names two."""
    return sorted(part for part in _AND.split(text) if part) if " and " in text else []


_AND = re.compile(r",? and |, ?")
_WEAK_METHODS = frozenset({"bare", "last_line", "last_number", "formula"})


_SAID_LAST = r"\b(?:is|are|was|be|on)\s+(?:(?:a|an|the)\s+)?(?P<said>{words})[.!\s]*\Z"
_DOUBTED = re.compile(
    r"\b(?:not|never|neither|nor|or|if|whether|wrong|false|unlikely|think|thought|claims?|maybe|perhaps|might|may|could"
    r"|suppose|assume|would|should|doubt|deny|denies|incorrect|impossible|cannot)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_TAIL_CHARS = 400
_LONGEST_WORDS_CHARS = 60


def _last_words(completion: Completion, prompt: Prompt | None, wanted: list[str]) -> Extracted | None:
    """The target's words, where a completion without any anchor ends by saying so: "The graph is an ellipse."."""
    region = answer_region(completion, prompt)
    if region.outcome is not None:
        return None
    text = region.text.rstrip()
    start = max(0, len(text) - _TAIL_CHARS)
    start = max((found.end() for found in _SENTENCE_END.finditer(text, start, len(text) - 1)), default=start)
    if _DOUBTED.search(text, start) is not None:
        return None
    for words in wanted:
        plain = _TEXT_COMMAND.sub(r"\1", words).strip(" .$")
        if not plain.replace(" ", "").isalpha() or len(plain) > _LONGEST_WORDS_CHARS:
            continue
        said = re.compile(_SAID_LAST.format(words=re.escape(plain)), re.IGNORECASE).search(text, start)
        if said is not None:
            begin, end = said.span("said")
            return Extracted(said["said"], (region.start + begin, region.start + end), "last_words")
    return None


def _first_word(completion: Completion, prompt: Prompt | None) -> Extracted | None:
    """`Yes, because …`: the word that a completion without any anchor begins with."""
    region = answer_region(completion, prompt)
    match = _FIRST_WORD.match(region.text)
    if match is None:
        return None
    start, end = match.span("word")
    return Extracted(match.group("word"), (region.start + start, region.start + end), "first_word")
