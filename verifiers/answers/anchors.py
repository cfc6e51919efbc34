"""The answer that a box or an answer tag commits to.

Spans are relative to the text that is read. What the words around an anchor do to it is decided here, by
the rules of `commitment`, `denials` and `beside_boxes`.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from ..base import Extracted, Outcome
from .beside_boxes import Beside, beside
from .boxes import Box, find_boxes
from .commitment import is_attributed, is_placeholder, junction, retraction_end
from .denials import is_denied, is_denied_inside, is_negated, is_negated_inside
from .prose_numbers import NUMBER
from .wrappers import unwrapped

_ANNOUNCED_AGAIN = re.compile(
    r"[\s$.,;)*\]\\]*+(?:so|thus|hence|therefore|and|the|my|our|final|correct|\s|\*|,)*+"
    r"answer\s*+(?:is|:|=)?[\s:$*(\[\\]*+",
    re.IGNORECASE,
)
_MAX_REJECTED = 32
_LABEL = re.compile(r"(?P<label>[A-Za-z](?:_\{?\w{1,4}\}?)?)\s*=\s*(?:\\[(\[])?[\s$]*\Z")
_FRACTION_COMMAND = re.compile(r"\\[dtc]?frac\s?\{\Z")
_FRACTION_GAP = re.compile(r"\s?/\s?|(?P<braces>\}\s?\{)")
_TAG = re.compile(r"<\s{0,2}(?P<close>/?)\s{0,2}(?:final_?)?answer\b[^<>]{0,120}>", re.IGNORECASE)


class Found(NamedTuple):
    """An anchor's answer, and where the anchor as a whole stands."""

    answer: Extracted
    start: int
    end: int

    @property
    def is_rejected(self) -> bool:
        return self.answer.outcome is not None


def boxed_answer(text: str) -> Found | None:
    """The answer of the last committed box, or of the last boxes together if nothing is said between them."""
    closed, unclosed_start = find_boxes(text)
    if unclosed_start >= 0 and (not closed or unclosed_start > closed[-1].start):
        return Found(_none("boxed", "unclosed_box"), unclosed_start, len(text))
    rejected = None
    for index in range(len(closed) - 1, max(-1, len(closed) - 1 - _MAX_REJECTED), -1):
        box = closed[index]
        start, end = unwrapped(text, box.inner_start, box.inner_end)
        answer = text[start:end]
        around = beside(text, box.start, box.end, answer)
        if not answer:
            rejection = _none("boxed", "empty_box")
        elif is_negated(text, around.start) or is_denied(text, around.end) or is_negated_inside(answer):
            rejection = Extracted(answer, (start, end), "boxed", Outcome.INCORRECT, "negated")
        elif is_attributed(text, around.start):
            rejection = Extracted(answer, (start, end), "boxed", Outcome.NO_ANSWER, "quoted")
        elif around.is_part:
            part = Extracted(answer, (start, end), "boxed", Outcome.UNSUPPORTED, "part_of_a_term")
            return _fraction(text, closed, index) or Found(part, box.start, box.end)
        else:
            found = _together(text, closed, index, (start, end), around)
            if rejected is not None and denies(text, rejected, found):
                return rejected
            return _stacked(text, closed, index, found) or found
        if rejected is None:
            rejected = Found(rejection, box.start, box.end)
    return rejected


def tag_answer(text: str) -> Found | None:
    """What stands in the last `<answer>` tag: its span, not yet read further.

    A closing tag alone closes an answer that the prompt opened.
    """
    opening = closing = None
    before: list[tuple[re.Match[str], re.Match[str]]] = []
    for tag in _TAG.finditer(text):
        if not tag.group("close"):
            if opening is not None and closing is not None:
                before.append((opening, closing))
            opening, closing = tag, None
        elif closing is None:
            closing = tag
    if opening is None and closing is None:
        return None
    if closing is None and opening is not None:
        return Found(_none("answer_tag", "unclosed_answer_tag"), opening.start(), len(text))
    assert closing is not None
    anchor_start = 0 if opening is None else opening.start()
    start, end = unwrapped(text, 0 if opening is None else opening.end(), closing.start())
    if start >= end:
        return Found(_none("answer_tag", "empty_answer"), anchor_start, closing.end())
    answer = text[start:end]
    later_start = anchor_start
    for earlier_opening, earlier_closing in reversed(before if opening is not None else []):
        if text[earlier_closing.end() : later_start].strip(" \n\t,;"):
            break
        earlier = text[earlier_opening.end() : earlier_closing.start()].strip()
        if earlier and not same_answer(earlier, answer):
            return Found(stacked_answers("answer_tag", earlier, answer), earlier_opening.start(), closing.end())
        later_start = earlier_opening.start()
    return Found(Extracted(answer, (start, end), "answer_tag"), anchor_start, closing.end())


def retracted(text: str, found: Found) -> Found:
    """`found` itself, or NO_ANSWER if the text takes it back afterwards; its end is then that of the retraction."""
    if len(text) - found.end < 4:
        return found
    taken_back = retraction_end(text, found.end)
    if taken_back < 0:
        return found
    answer = found.answer
    return Found(
        Extracted(answer.text, answer.span, answer.method, Outcome.NO_ANSWER, "retracted"), found.start, taken_back
    )


def decided(found: Found) -> Found:
    """`found`, with NO_ANSWER where its text is a placeholder, INCORRECT where it denies itself."""
    answer = found.answer
    if answer.outcome is not None:
        return found
    if is_placeholder(answer.text):
        answer = Extracted(answer.text, answer.span, answer.method, Outcome.NO_ANSWER, "placeholder")
    elif is_negated_inside(answer.text) or is_denied_inside(answer.text):
        answer = Extracted(answer.text, answer.span, answer.method, Outcome.INCORRECT, "negated")
    return Found(answer, found.start, found.end)


def denies(text: str, rejected: Found, found: Found) -> bool:
    """Whether the later `rejected` denies the very answer of `found`, not yet retracted ("It is 1. It is not 1.")."""
    return (
        rejected.answer.rule == "negated"
        and same_answer(rejected.answer.text, found.answer.text)
        and retraction_end(text, found.end) < 0
    )


def same_answer(left: str, right: str) -> bool:
    """Whether two answers are the same text, or hold one number each and the same.

    Example:
        >>> same_answer("$1/2$", "0.5"), same_answer("5", "6")
        (True, False)
    """
    if _folded(left) == _folded(right):
        return True
    one, other = _only_number(left), _only_number(right)
    if one is None and other is None:
        return False
    return one == other


def stacked_answers(method: str, earlier: str, later: str) -> Extracted:
    """HEDGED: two answers that differ, with nothing said between them."""
    return Extracted(f"{earlier}, {later}", None, method, Outcome.HEDGED, "stacked_answers", (earlier, later))


def _none(method: str, rule: str) -> Extracted:
    return Extracted("", None, method, Outcome.NO_ANSWER, rule)


def _fraction(text: str, closed: list[Box], last: int) -> Found | None:
    r"""`\boxed{3}/\boxed{4}` and `\frac{\boxed{3}}{\boxed{4}}`, read whole since both of its parts are boxes."""
    if last == 0:
        return None
    above, below = closed[last - 1], closed[last]
    gap = _FRACTION_GAP.fullmatch(text, above.end, below.start)
    command = _FRACTION_COMMAND.search(text, max(0, above.start - 8), above.start)
    if gap is None or (gap["braces"] is not None) != (command is not None):
        return None
    start = above.start if command is None else command.start()
    parts = [text[slice(*unwrapped(text, box.inner_start, box.inner_end))] for box in (above, below)]
    around = beside(text, start, above.end, parts[0])
    if not all(parts) or around.lead:
        return None
    answer = Extracted(f"\\frac{{{parts[0]}}}{{{parts[1]}}}", None, "boxed")
    return Found(answer, start, below.end + (command is not None))


def _together(text: str, closed: list[Box], last: int, span: tuple[int, int], around: Beside) -> Found:
    """The box at `last` and those before it that nothing is said between, as one answer."""
    neighbours, parts, joins = [around], [around.answer(text[slice(*span)])], []
    for before in reversed(closed[:last]):
        start, end = unwrapped(text, before.inner_start, before.inner_end)
        around = beside(text, before.start, before.end, text[start:end])
        join = junction(text[around.end : neighbours[-1].start])
        if join is None:
            break
        neighbours.append(around)
        if start < end:
            parts.append(around.answer(text[start:end]))
            joins.append(join)
    first, around = neighbours[-1], neighbours[0]
    restated = " or " in joins and all(same_answer(parts[0], part) for part in parts)
    if restated or all(part == parts[0] for part in parts):
        return decided(Found(Extracted(parts[0], around.span(*span), "boxed"), around.start, around.end))
    labels = [_LABEL.search(text, max(0, one.start - 24), one.start) for one in neighbours]
    if len(labels) == len(parts) and all(label is not None for label in labels):
        parts = [
            f"{label.group('label')} = {part}" for label, part in zip(labels, parts, strict=True) if label is not None
        ]
    parts.reverse()
    joins.reverse()
    joined = parts[0] + "".join(join + part for join, part in zip(joins, parts[1:], strict=True))
    return Found(Extracted(joined, None, "boxed", alternatives=tuple(parts)), first.start, around.end)


def _stacked(text: str, closed: list[Box], last: int, found: Found) -> Found | None:
    """HEDGED, where the boxes before `found` are announced in its very words, one after the other, and differ."""
    later_start = found.start
    for box in reversed(closed[max(0, last - _MAX_REJECTED) : last]):
        if box.end > later_start:
            continue
        if _ANNOUNCED_AGAIN.fullmatch(text, box.end, later_start) is None:
            return None
        answer = text[slice(*unwrapped(text, box.inner_start, box.inner_end))]
        if answer and not same_answer(answer, found.answer.text):
            return Found(stacked_answers("boxed", answer, found.answer.text), box.start, found.end)
        later_start = box.start
    return None


def _folded(answer: str) -> str:
    return "".join(answer.casefold().split()).strip("$.*\\()[]{}")


def _only_number(answer: str) -> Fraction | None:
    found = [match.group() for match in NUMBER.finditer(answer[:200])]
    if len(found) != 1:
        return None
    plain = (
        re.sub(r"[\s,，$€£¥₹￥%％+]|\\[dt]?frac|\{,\}", "", found[0]).replace("−", "-").replace("}{", "/").strip("{}\\")
    )
    try:
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):
        return None
