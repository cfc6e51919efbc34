"""Whether the answer is what the reasoning ends with: a last result of 42 and an answer of 24 do not go together.

Only the step that holds the answer is judged, and only against the last result before it: a right answer to the
wrong computation passes, and so does every answer that some number of the text may lead to.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...rollouts.messages import Prompt, prompt_text
from ...verifiers.answers.letters import named_letters
from ...verifiers.base import Extracted, Extractor, as_extractor
from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.results import shown
from ..arithmetic.equalities import Budget, equalities
from ..arithmetic.operands import Operand
from ..arithmetic.readings import plain_value, readings
from ..arithmetic.surroundings import has_other_arithmetic, is_taken_back, may_be_rounded
from ..arithmetic.tokens import tokens_of
from ..base import StepRow, StepScore
from .stated import number_in, prose_of, same_value, stated_values

__all__ = ["MAX_CHARACTERS", "FinalConsistencyScorer"]

MAX_CHARACTERS = 60_000
"""Characters of a row, and of a prompt, in which numbers are looked for; nothing is refuted in a longer one."""

_MAX_NUMBERS = 400
_MAX_BETWEEN = 200
_OPTION = re.compile(r"(?:^|[\n(])[ \t*(\[-]{0,6}([A-J])[).:\]*]{1,3}[ \t]{1,4}([^\n]{1,200})")
# An answer's own marks, a tag, the number of a step; and what else may be computed between result and answer.
_NOT_BETWEEN = re.compile(r"#{4}|\bStep [0-9]+|\\boxed|<<[^<>]*>>|</?[A-Za-z]+>")
_NUMBER_BETWEEN = re.compile(r"[0-9=<>≤≥]|\\(?:frac|sqrt|times|cdot)")
_NUMBER_KINDS = frozenset({"number", "numeral", "constant"})
_NOT_FINAL = StepScore(None, "not_final", "the answer stands in another step")


class _Result(NamedTuple):
    """The last result before the answer, as written, and whether its left side is a computation between constants."""

    written: str
    operand: Operand
    is_computed: bool
    start: int
    end: int


class FinalConsistencyScorer:
    r"""Compares the committed answer with the last result that the steps state.

    Args:
        extractor: what finds the answer: a registered name, or an extractor.

    Raises:
        ArgumentError, UnknownNameError: as `verifiers.as_extractor`.

    Example:
        >>> row = StepRow("How many?", ("6 * 7 = 42 pens.", r"So the answer is \boxed{24}."))
        >>> FinalConsistencyScorer().score([row])[0][1]
        StepScore(value=0.0, rule='other_answer', detail='the last result is 42, the answer 24')
    """

    version = "1"

    def __init__(self, extractor: str | Extractor = "auto") -> None:
        self._extractor = as_extractor(extractor)

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        The step that holds the answer scores 1 where the answer is the last result before it (`answer_follows`), 0
        where it is another number that nothing in the row or the prompt leads to (`other_answer`) or the letter of
        another option than the one that was computed (`other_option`), else None; every other step None.
        """
        return [self._row_scores(row) for row in rows]

    def _row_scores(self, row: StepRow) -> list[StepScore]:
        starts, text = _joined(row.steps)
        answer = self._extractor.extract(text, prompt=row.prompt) if text.strip() else None
        if answer is None or answer.span is None or answer.outcome is not None or answer.alternatives:
            return [StepScore(None, "no_answer", "no single committed answer") for _ in row.steps]
        final = max(number for number, start in enumerate(starts) if start <= answer.span[0])
        try:
            score = _judged(text, starts, final, answer, row.prompt)
        except CostlyError:
            score = StepScore(None, "too_costly", "more is written beside signs of equality than is read")
        return [score if number == final else _NOT_FINAL for number in range(len(row.steps))]


def _joined(steps: Sequence[str]) -> tuple[list[int], str]:
    """Where each step begins in the text of all, lines apart where nothing else sets them apart."""
    starts, parts, at = [], [], 0
    for step in steps:
        if parts and not parts[-1][-1:].isspace():
            parts.append("\n")
            at += 1
        starts.append(at)
        parts.append(step)
        at += len(step)
    return starts, "".join(parts)


def _judged(text: str, starts: Sequence[int], final: int, answer: Extracted, prompt: Prompt) -> StepScore:
    assert answer.span is not None
    asked = prompt_text(prompt)
    result = _last_result(text, starts[: final + 1], answer.span[0])
    if result is None:
        return StepScore(None, "no_result", "no result is stated before the answer")
    number = number_in(answer.text)
    if number is None:
        return _judged_option(text, result, answer, asked)
    value, written = shown(result.written), shown(answer.text)
    same = same_value(number, result.operand)
    if same:
        return StepScore(1.0, "answer_follows", f"the last result is {value}, the answer {written}")
    doubt = StepScore(None, "may_follow", f"the last result is {value}, the answer {written}")
    if same is None or not _is_last_word(text, result, answer.span[0]):
        return doubt
    if len(text) > MAX_CHARACTERS or len(asked) > MAX_CHARACTERS or has_other_arithmetic(f"{asked}\n{text}"):
        return doubt
    others = _numbers(f"{asked}\n{text[: answer.span[0]]}")
    if others is None or _leads_to(number, result.operand, others):
        return doubt
    return StepScore(0.0, "other_answer", f"the last result is {value}, the answer {written}")


def _judged_option(text: str, result: _Result, answer: Extracted, asked: str) -> StepScore:
    letters = named_letters(answer.text)
    cannot_tell = StepScore(None, "not_a_number", f"the answer {shown(answer.text)} is not read as a number")
    if len(letters) != 1 or len(asked) > MAX_CHARACTERS:
        return cannot_tell
    options = {letter: number_in(option.strip(" .;,*$")) for letter, option in _OPTION.findall(asked)}
    chosen, value = options.get(letters[0].name), shown(result.written)
    if chosen is None:
        return cannot_tell
    same = same_value(chosen, result.operand)
    if same:
        return StepScore(1.0, "answer_follows", f"the last result is {value}, option {letters[0].name}")
    named = [letter for letter, one in options.items() if one is not None and same_value(one, result.operand)]
    assert answer.span is not None
    if same is None or len(named) != 1 or not _is_last_word(text, result, answer.span[0]):
        return StepScore(None, "may_follow", f"the last result is {value}, the answer {letters[0].name}")
    detail = f"the last result is {value}, which is option {named[0]}; the answer is {letters[0].name}"
    return StepScore(0.0, "other_option", detail)


def _last_result(text: str, starts: Sequence[int], end: int) -> _Result | None:
    """The last result before `end`, in the last step that states one."""
    budget = Budget(1_000, 40_000)
    stop = end
    for start in reversed(starts):
        prose = prose_of(text[start:stop])
        found = list(stated_values(prose, budget))
        if found:
            last = found[-1]
            # What the answer's own box holds is not there yet: "42 = \boxed{" ends before it.
            computed = {
                (one.right.start, one.right.end)
                for one in equalities(prose, budget)
                if not one.left.is_number or one.is_linked
            }
            is_computed = (last.operand.start, last.operand.end) in computed
            written = prose[last.operand.start : last.operand.end]
            return _Result(written, last.operand, is_computed, start + last.start, start + last.end)
        stop = start
    return None


def _is_last_word(text: str, result: _Result, answer_start: int) -> bool:
    """Whether the result is computed, stands, and only a few words without a number are between it and the answer."""
    between = text[result.end : answer_start]
    if not result.is_computed or len(between) > _MAX_BETWEEN or result.operand.is_doubtful:
        return False
    if _NUMBER_BETWEEN.search(_NOT_BETWEEN.sub("", between)):
        return False
    place = (text, result.start, result.end)
    return not (is_taken_back(*place) or may_be_rounded(*place))


def _numbers(text: str) -> list[Fraction] | None:
    """The numbers of `text`, each once; None where there are more than can be combined."""
    found: dict[Fraction, None] = {}
    for token in tokens_of(text):
        if token.kind in _NUMBER_KINDS:
            value = plain_value(token.plain)
            if value is not None:
                found[value] = None
            if len(found) > _MAX_NUMBERS:
                return None
    return list(found)


def _leads_to(answer: Operand, result: Operand, others: Sequence[Fraction]) -> bool:
    """Whether the answer stands among the numbers, or one step in the head leads to it from the last result."""
    wanted = {one.value for one in readings(answer)}
    known = [*others, *(Fraction(one) for one in (2, 3, 4, 5, 10, 100))]
    if any(reading.value.denominator > 1 for reading in readings(result)):
        known.append(Fraction(1))  # 1.21 times as much is 21 % more; of whole numbers the next one is another
    return any(
        abs(reached - value) <= abs(value) / 100 or abs(reached) == abs(value)
        for value in wanted
        for reading in readings(result)
        for other in known
        for reached in _reached(reading.value, other)
    )


def _reached(result: Fraction, other: Fraction) -> Iterator[Fraction]:
    yield from (other, result + other, result - other, result * other)
    if other:
        yield result / other
    if result:
        yield other / result
