"""Intermediate values that the target carries: a step that states one is right, one that contradicts one wrong.

Which shapes a target may have is told in `milestone_targets`. Only a milestone with a name can be contradicted, and
only by a statement about that very name: who states other numbers may have taken another way.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ...verifiers.expression.arithmetic import CostlyError
from ...verifiers.expression.results import shown
from ..arithmetic.equalities import Budget
from ..arithmetic.operands import Operand
from ..arithmetic.surroundings import MAX_AROUND, is_taken_back
from ..base import StepRow, StepScore
from .milestone_targets import Milestone, UnreadableTargetError, milestones_of
from .stated import prose_of, same_value, stated_texts, stated_values, value_behind

__all__ = ["MAX_CHARACTERS", "MilestonesScorer"]

MAX_CHARACTERS = 100_000
"""Characters of one row that are read."""

_MAX_EXPRESSIONS = 20
_TOO_COSTLY = StepScore(None, "too_costly", "more is written, or beside signs of equality, than is read")

_MAX_MENTIONS = 50
_LINK = re.compile(
    r"[*_`\"'$)\s]{0,4}(?:\(in [^()\n0-9=]{1,30}\)\s{0,2})?"
    r"(?:=|:|\\approx\b|≈"
    r"|(?:is|are|was|were|equals?|comes? to|amounts? to|will be)\b(?:\s+(?:now|then|therefore|thus))?)"
    r"(?![=:])[*_`\"'$\s]{0,4}",
    re.IGNORECASE,
)
_UNIT_BEHIND = re.compile(r"\s*[0-9][0-9,.]*+\s?(?P<unit>[^\W\d_][^\s,;=]{0,20})")
_SIGN = re.compile(r"[=≈]|\\approx\b")
_LINE = re.compile(r"[\n;]|\.(?=\s|\Z)")
# What may stand between the beginning of a clause and the name: "Hence the total number of [pens left]".
_LEAD_IN = re.compile(
    r"(?:\s|[*_`\"'$(•–-]|[0-9]{1,2}[.)]|\b(?:so|thus|hence|therefore|then|now|and|finally|next|the|total|number|amount|of|we"
    r"|have|get|find|that|means|there|is|are|this|gives|which|makes|leaves)\b)*",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.;:!?\n,]")
_COUNT_BEFORE = re.compile(
    r"(?P<before>.{0,3})(?P<number>(?<![\w.,])\$?[0-9][0-9,]{0,20}(?:\.[0-9]{1,10})?)[ \t*_]{1,3}\Z"
)
_OPERATORS = ("+", "-", "*", "/", "×", "÷", "−", "^")
_BEHIND_COUNT = re.compile(r"[*_]{0,2}(?:[.,;!?)\n]|\s*\Z|\s+(?:and|so|now|in total|altogether)\b)")
_TENTATIVE = re.compile(
    r"\b(?:if|suppos\w*|assum\w*|let|would|should|could|might|may|before|initially|originally|at first|first|unless|per"
    r"|each|every|another|other|more|less|fewer|than|at least|at most|about|roughly|estimat\w*|guess\w*|expect\w*"
    r"|needs?|or|either|case|goal|after|yesterday|last|ago|earlier|previous\w*"
    r"|(?:on|by|at|in) (?:day|week|month|year|step|round|stage|hour))\b|≈|\\approx",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[ \t]*\n\s*[-+*/×÷=]\s?[0-9$]")


class MilestonesScorer:
    """Compares what steps state with the milestones of the row's target.

    Example:
        >>> target = {"answer": "24", "milestones": [{"name": "pens left", "value": "12"}]}
        >>> row = StepRow("", ("15 - 3 = 12", "So pens left = 15 - 2 = 13.", "Then we stop."), target)
        >>> for score in MilestonesScorer().score([row])[0]:
        ...     print(score.value, score.rule, score.detail)
        1.0 states_milestone states 12 (milestone pens left = 12)
        0.0 contradicts_milestone states 13 (milestone pens left = 12)
        None nothing_to_check no statement of a milestone
    """

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        A step scores 0 where it gives a named milestone another value, which no step of the row gives its own value
        (`contradicts_milestone`), 1 where it states the value of a milestone, by its name or as the result of an
        equality (`states_milestone`), else None: also
        where the target carries no milestones (`no_milestones`) or one that cannot be read (`bad_target`). A milestone
        that is an expression (`2\\pi`) can be stated, by our parser alone, and not contradicted.
        """
        return [_row_scores(row) for row in rows]


def _row_scores(row: StepRow) -> list[StepScore]:
    try:
        milestones = milestones_of(row.target)
    except UnreadableTargetError as error:
        return [StepScore(None, "bad_target", str(error)) for _ in row.steps]
    if not milestones:
        return [StepScore(None, "no_milestones", "the target carries no milestones") for _ in row.steps]
    budget = Budget(2_000, 80_000)
    reads: list[_Read | None] = []
    n_characters = 0
    for step in row.steps:
        n_characters += len(step)
        reads.append(_read(step, milestones, budget) if n_characters <= MAX_CHARACTERS else None)
    # A row that gives a name its value too speaks of two cases, or of two moments.
    settled = {
        milestone.name for read in reads if read is not None for milestone, said in read.said if any(h for _, h in said)
    }
    followings = [*row.steps[1:], ""]
    return [
        _TOO_COSTLY if read is None else _score(read, following, milestones, settled, budget)
        for read, following in zip(reads, followings, strict=False)  # one following too many where there is no step
    ]


class _Read(NamedTuple):
    """A step and what it says of each milestone by its name, with whether that holds."""

    prose: str
    said: list[tuple[Milestone, list[tuple["_Statement", bool | None]]]]


def _read(step: str, milestones: Sequence[Milestone], budget: Budget) -> _Read | None:
    """None where more is written than is read."""
    prose = prose_of(step)
    said: list[tuple[Milestone, list[tuple[_Statement, bool | None]]]] = []
    try:
        for milestone in milestones:
            if milestone.number is not None:
                statements = list(_statements(prose, milestone, budget))
                said.append((milestone, [(one, same_value(milestone.number, one.operand)) for one in statements]))
    except CostlyError:
        return None
    return _Read(prose, said)


def _score(
    read: _Read, following: str, milestones: Sequence[Milestone], settled: Collection[str], budget: Budget
) -> StepScore:
    context = f"{read.prose}\n{following[:MAX_AROUND]}"
    right: StepScore | None = None
    for milestone, said in read.said:
        for one, holds in said:
            if holds:
                right = right or _states(milestone, read.prose, one.operand)
            elif (
                holds is False
                and milestone.name not in settled
                and one.is_plain
                and not is_taken_back(context, one.start, one.end)
            ):
                value = shown(read.prose[one.operand.start : one.operand.end])
                return StepScore(0.0, "contradicts_milestone", f"states {value} (milestone {milestone.shown})")
    try:
        return right or _stated_result(read.prose, milestones, budget)
    except CostlyError:
        return _TOO_COSTLY


def _stated_result(prose: str, milestones: Sequence[Milestone], budget: Budget) -> StepScore:
    """The score of a step that calls nothing by its name: what it states as results may be a milestone's value."""
    for one in stated_values(prose, budget):
        for milestone in milestones:
            if milestone.number is not None and same_value(milestone.number, one.operand):
                return _states(milestone, prose, one.operand)
    expressions = [milestone for milestone in milestones if milestone.number is None]
    for text in islice(stated_texts(prose), _MAX_EXPRESSIONS) if expressions else ():
        for milestone in expressions:
            if milestone.is_expression(text):
                return StepScore(1.0, "states_milestone", f"states {shown(text)} (milestone {milestone.shown})")
    return StepScore(None, "nothing_to_check", "no statement of a milestone")


def _states(milestone: Milestone, prose: str, value: Operand) -> StepScore:
    written = shown(prose[value.start : value.end])
    return StepScore(1.0, "states_milestone", f"states {written} (milestone {milestone.shown})")


class _Statement(NamedTuple):
    """A number said of a name; `is_plain` where nothing around it supposes, compares or limits it."""

    operand: Operand
    start: int
    end: int
    is_plain: bool


def _statements(prose: str, milestone: Milestone, budget: Budget) -> Iterator[_Statement]:
    if milestone.named is None:
        return
    for number, mention in enumerate(milestone.named.finditer(prose)):
        if number == _MAX_MENTIONS:
            return
        link = _LINK.match(prose, mention.end())
        if link is not None and (value := _chain_end(prose, link.end(), milestone.unit, budget)) is not None:
            yield _Statement(value, mention.start(), value.end, _is_plain(prose, mention.start(), value.end))
        elif " " in milestone.name and (value := _count_before(prose, mention, budget)) is not None:
            yield _Statement(value, value.start, mention.end(), _is_plain(prose, value.start, mention.end()))


def _chain_end(prose: str, start: int, unit: str, budget: Budget) -> Operand | None:
    """The last number of the chain of equalities that begins at `start`; None where it is not read to its end."""
    found = _LINE.search(prose, start)
    stop = len(prose) if found is None else found.start()
    while True:
        sign = _SIGN.search(prose, start, stop)
        end = stop if sign is None else sign.start()
        # A unit such as km/h is a quotient to the reader, and the name of one to who writes the target.
        measured = _UNIT_BEHIND.match(prose, start, end) if unit else None
        if measured is not None and measured["unit"].strip() == unit:
            end = measured.start("unit")
        value = value_behind(prose, start, budget, end=end)
        # "x = 12, so y = 5": the next sign is another's.
        if sign is None or (value is not None and not value.reaches_end) or end < sign.start():
            return value
        start = sign.end()


def _count_before(prose: str, mention: re.Match[str], budget: Budget) -> Operand | None:
    """The number of "13 pens left", where nothing goes on with the name."""
    start = max(0, mention.start() - 40)
    count = _COUNT_BEFORE.search(prose, start, mention.start())
    if (
        count is None
        or _BEHIND_COUNT.match(prose, mention.end()) is None
        or count["before"].rstrip()[-1:] in set("+-*/×−^")
    ):
        return None
    return value_behind(prose, count.start("number"), budget, end=count.end("number"))


def _is_plain(prose: str, start: int, end: int) -> bool:
    clause_start = max((found.end() for found in _CLAUSE_END.finditer(prose, max(0, start - 80), start)), default=0)
    if (clause_start == 0 and start > 80) or _GOES_ON.match(prose, end):
        return False
    lead = prose[clause_start:start]
    if _LEAD_IN.fullmatch(lead) is None and not _ends_with_equality(lead):
        return False
    sentence_start = max(prose.rfind(mark, max(0, start - 200), start) for mark in (".", "\n", "?", "!")) + 1
    return _TENTATIVE.search(prose, sentence_start, min(len(prose), end + 20)) is None


def _ends_with_equality(lead: str) -> bool:
    return re.search(r"[=≈]\s*\$?$", lead) is not None
