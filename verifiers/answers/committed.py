r"""The last committed answer of a text, over all kinds of anchors.

1. The later of the last box and the last `<answer>` tag; a tag is read inside by the same rules.
2. Unless a `####` or an announcement ("Final Answer: …") comes after it, begins a sentence and holds a
   number, a formula or a letter: models box a step and then state the answer, and where both are given
   they are nearly always equal, so that the later one costs nothing and repairs the rest.
3. Without box and tag, the last `####` or announcement.
4. Without any anchor, a text that is one short line is its own answer, and a text that comes to an end
   commits to the line, formula or number that it ends with. A text that breaks off commits to nothing.

An answer that is corrected in words soon afterwards ("Wait, no, it should be 42") gives way to the correction.
A negated, retracted, quoted, placeholder, empty or unclosed anchor never falls through to rule 4: the
number near it is exactly what was not said.
"""

from dataclasses import replace

from ..base import Extracted, Outcome
from .anchors import Found, boxed_answer, decided, retracted, tag_answer
from .announced import announced_answer, corrected_answer
from .closing import bare_answer, committed_number, last_line
from .commitment import is_attributed
from .denials import is_denied, is_negated
from .letters import Letter, last_named, named_letters
from .prose_numbers import last_number
from .stated import stated_answer, statement_end
from .statements import RANKED_METHODS
from .wrappers import unwrapped, without_math_marks

_MAY_BE_OVERRULED = frozenset({"negated", "empty_box", "quoted"})


def committed_answer(use_last_number: bool, text: str) -> Extracted | None:
    """The committed answer by rules 1 to 4, without the endings of rule 4 when `use_last_number` is false."""
    found = _anchored(text)
    return _closing(text, use_last_number) if found is None else _kept(text, found)


def boxed_only(text: str) -> Extracted | None:
    """The answer of the last committed box or adjacent boxes."""
    found = boxed_answer(text)
    return None if found is None else _kept(text, found)


def tagged_only(text: str) -> Extracted | None:
    """The answer inside the last answer tag."""
    found = tag_answer(text)
    return None if found is None else _kept(text, _inside(found))


def announced(methods: frozenset[str], text: str) -> Extracted | None:
    """The last answer announced by one of `methods` (`hash`, `phrase`)."""
    found = announced_answer(text, methods=methods)
    return None if found is None else _kept(text, found)


def number_anywhere(text: str) -> Extracted | None:
    """The last number, whether or not the text commits to it."""
    found = last_number(text)
    return None if found is None else Extracted(text[found.start : found.end], (found.start, found.end), found.method)


def choice_answer(text: str) -> Extracted | None:
    """The letter, or letters, of the last anchor that holds one; else those that words name."""
    found = _anchored(text)
    answer = None if found is None else _kept(text, found)
    if answer is not None:
        if answer.outcome is not None:
            return answer
        letters = named_letters(answer.text)
        if letters:
            start = None if answer.span is None else answer.span[0]
            return _lettered(letters, start if start is not None and text.startswith(answer.text, start) else None)
    bare = bare_answer(text)
    letters: list[Letter] = [] if bare is None else named_letters(text[bare.start : bare.end])
    if letters and bare is not None:
        return _lettered(letters, bare.start)
    letters = last_named(text)
    return _lettered(letters, 0) if letters else answer


def _lettered(letters: list[Letter], offset: int | None) -> Extracted:
    names = tuple(letter.name for letter in letters)
    if len(names) > 1:
        return Extracted(", ".join(names), None, "choice", alternatives=names)
    if offset is None:
        return Extracted(letters[0].name, None, "choice")
    at = offset + letters[0].at
    return Extracted(letters[0].name, (at, at + 1), "choice")


def _anchored(text: str) -> Found | None:
    anchor = boxed_answer(text)
    if (
        "<" in text
        and "nswer" in text.lower()
        and (tag := tag_answer(text)) is not None
        and (anchor is None or tag.end > anchor.end)
    ):
        anchor = _inside(tag)
    if anchor is None:
        return announced_answer(text, methods=RANKED_METHODS)
    later = None
    if len(text) - anchor.end > 4:
        later = announced_answer(text, anchor.end, methods=RANKED_METHODS, firm=True)
    if later is None and anchor.is_rejected and anchor.answer.rule in _MAY_BE_OVERRULED:
        # "The answer is 6, not \boxed{5}": what the box denies was said before it.
        later = announced_answer(text[: anchor.start], methods=RANKED_METHODS, firm=True)
    return later or anchor


def _closing(text: str, use_last_number: bool) -> Extracted | None:
    closing = bare_answer(text)
    written = None
    if closing is None and use_last_number:
        said = text[: statement_end(text)]
        if (stated := stated_answer(said)) is not None:
            closing, written = stated
        else:
            closing = last_line(said) or committed_number(said)
    if closing is None:
        return None
    if written is None:
        written = text[closing.start : closing.end]
    answer = Extracted(
        without_math_marks(written) if "$" in written else written, (closing.start, closing.end), closing.method
    )
    if is_negated(text, closing.start) or is_denied(text, closing.end):
        return replace(answer, outcome=Outcome.INCORRECT, rule="negated")
    if is_attributed(text, closing.start):
        return replace(answer, outcome=Outcome.NO_ANSWER, rule="quoted")
    return decided(Found(answer, closing.start, closing.end)).answer


def _kept(text: str, found: Found) -> Extracted:
    """The answer, unless the text corrects it or takes it back; what follows a retraction is read afresh."""
    if not found.is_rejected or found.answer.rule == "negated":
        corrected = corrected_answer(text, found.end)
        if corrected is not None:
            return corrected.answer
    if found.is_rejected:
        return found.answer
    kept = retracted(text, found)
    if kept.answer.rule != "retracted":
        return kept.answer
    rest = text[kept.end :]
    denied = _anchored(rest)
    after = committed_number(rest)
    if after is None or (denied is not None and denied.is_rejected):
        return kept.answer
    start, end = after.start + kept.end, after.end + kept.end
    answer = Extracted(text[start:end], (start, end), after.method)
    if is_negated(text, start) or is_denied(text, end):
        return replace(answer, outcome=Outcome.INCORRECT, rule="negated")
    return answer


def _inside(tag: Found) -> Found:
    """A tag's answer, read further: a box or an announcement inside it, else all of it."""
    answer = tag.answer
    if answer.outcome is not None or answer.span is None:
        return tag
    content, offset = answer.text, answer.span[0]
    inner = boxed_answer(content) or announced_answer(content, methods=RANKED_METHODS)
    if inner is None:
        closing = committed_number(content) if "\n" in content else None
        if closing is None:
            return decided(tag)
        start, end = unwrapped(content, closing.start, closing.end)
        inner = Found(Extracted(content[start:end], (start, end), "answer_tag"), start, end)
    span = inner.answer.span
    moved = replace(
        inner.answer, span=None if span is None else (span[0] + offset, span[1] + offset), method="answer_tag"
    )
    return decided(Found(moved, tag.start, tag.end))
