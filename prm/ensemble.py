"""Several step scorers as one: a rule's veto over a model's grade, the least of several, or their mean.

A member that says nothing of a step does not count there; where none says anything, nothing is said. The detail names
who decided. A step for which a member was out of reach (one of its `transient_rules`) has the rule `incomplete`,
whatever its value: a cache keeps no such row.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from ..errors import ArgumentError
from ..verifiers.arguments import number
from .base import StepRow, StepScore, StepScorer, step_scorers
from .scoring import step_scores

__all__ = ["MeanScorer", "Member", "MinScorer", "VetoScorer"]

Member = str | Mapping[str, Any] | StepScorer
"""A member: a registered name, its name and options as `{"scorer": "judge", "votes": 3, …}`, or a scorer."""

_INCOMPLETE = "incomplete"


class _Named(NamedTuple):
    """A member, the name that tells it from the others, and the options that it was built with here."""

    name: str
    scorer: StepScorer
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = f" {dict(self.options)}" if self.options else ""
        return f"{self.name} {self.scorer.version}{options}"


class _Ensemble(ABC):
    """Members with their names, asked one after the other about the same rows.

    Attributes:
        members: name -> scorer, in order; two of one name are told apart by a number.
        version: of the members, with their names.
        transient_rules: `incomplete` alone; the members' own rules never come out.
    """

    transient_rules = frozenset({_INCOMPLETE})

    def __init__(self, kind: str, members: Sequence["_Named"]) -> None:
        self.members = {one.name: one.scorer for one in members}
        self.version = f"1 {kind}({', '.join(map(str, members))})"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row, in order; every member is asked about every row."""
        answers = [step_scores(scorer, rows) for scorer in self.members.values()]
        return [
            [self._told([said[number][step] for said in answers]) for step in range(len(row.steps))]
            for number, row in enumerate(rows)
        ]

    def _told(self, said: Sequence[StepScore]) -> StepScore:
        score = self._combined(dict(zip(self.members, said, strict=True)))
        away = [
            f"{name}: {one.rule}"
            for (name, member), one in zip(self.members.items(), said, strict=True)
            if one.rule in getattr(member, "transient_rules", ())
        ]
        if not away:
            return score
        return StepScore(score.value, _INCOMPLETE, f"{', '.join(away)}; {score.detail}")

    @abstractmethod
    def _combined(self, said: Mapping[str, StepScore]) -> StepScore: ...


class MinScorer(_Ensemble):
    """The least of what its members say of a step.

    Args:
        scorers: at least two members.

    Raises:
        ArgumentError: fewer than two, or one that is no scorer.
        UnknownNameError: a name that nobody registered.
    """

    def __init__(self, scorers: Sequence[Member]) -> None:
        super().__init__("min", _told_apart(_built("scorers", scorers, at_least=2)))

    def _combined(self, said: Mapping[str, StepScore]) -> StepScore:
        values = _values(said)
        if not values:
            return _nothing_said(said)
        name = min(values, key=values.__getitem__)
        return StepScore(values[name], "min", _quoted(name, said[name]))


class MeanScorer(_Ensemble):
    """The weighted mean of what its members say of a step, over those that say something.

    Args:
        scorers: at least two members.
        weights: one above 0 a member; None weighs all the same.

    Raises:
        ArgumentError: fewer than two members, one that is no scorer, or weights that do not fit them.
        UnknownNameError: a name that nobody registered.
    """

    def __init__(self, scorers: Sequence[Member], *, weights: Sequence[float] | None = None) -> None:
        members = _told_apart(_built("scorers", scorers, at_least=2))
        self._weights = dict(zip([one.name for one in members], _checked(weights, len(members)), strict=True))
        super().__init__("mean", members)
        if weights is not None:
            self.version += f" weights {', '.join(f'{weight:g}' for weight in self._weights.values())}"

    def _combined(self, said: Mapping[str, StepScore]) -> StepScore:
        values = _values(said)
        if not values:
            return _nothing_said(said)
        total = sum(self._weights[name] for name in values)
        mean = sum(self._weights[name] * value for name, value in values.items()) / total
        parts = ", ".join(f"{name} {value:.3g}" for name, value in values.items())
        return StepScore(min(max(mean, 0.0), 1.0), "mean", f"of {parts}")


class VetoScorer(_Ensemble):
    """A model's grade, except where a rule proves the step wrong.

    A rule that finds nothing wrong does not grade: a step may hold true equalities and rest on a wrong idea, and
    three added "1 + 1 = 2" would lift any rollout. So its 1 never counts, and where the model says nothing, nothing is
    said.

    Args:
        rules: members that prove steps wrong; a value of 0 is a veto.
        model: the member that grades.

    Raises:
        ArgumentError: no rule, or a member that is no scorer.
        UnknownNameError: a name that nobody registered.

    Example:
        >>> class Model:
        ...     version = "1"
        ...     def score(self, rows):
        ...         return [[StepScore(0.9, "graded", "") for _ in row.steps] for row in rows]
        >>> scorer = VetoScorer(["arithmetic"], Model())
        >>> for score in scorer.score([StepRow("", ("1 + 1 = 3", "1 + 1 = 2"))])[0]:
        ...     print(score.value, score.rule, score.detail)
        0.0 veto arithmetic says 0, wrong_equality: "1 + 1 = 3": 2 on the left, 3 on the right
        0.9 grade Model says 0.9, graded
    """

    def __init__(self, rules: Sequence[Member], model: Member) -> None:
        members = _told_apart([*_built("rules", rules, at_least=1), _member("model", model)])
        self._grader = members[-1].name
        super().__init__("veto", members)

    def _combined(self, said: Mapping[str, StepScore]) -> StepScore:
        for name, score in said.items():
            if name != self._grader and score.value == 0:
                return StepScore(0.0, "veto", _quoted(name, score))
        grade = said[self._grader]
        if grade.value is None:
            return _nothing_said({self._grader: grade})
        return StepScore(grade.value, "grade", _quoted(self._grader, grade))


def _built(argument: str, members: object, *, at_least: int) -> list[_Named]:
    if isinstance(members, str | Mapping) or not isinstance(members, Iterable):
        raise ArgumentError(f"{argument}: expected a list of step scorers, got {members!r}")
    built = [_member(argument, member) for member in members]
    if len(built) < at_least:
        raise ArgumentError(f"{argument}: expected at least {at_least}, got {len(built)}")
    return built


def _member(argument: str, member: object) -> _Named:
    if isinstance(member, str):
        return _Named(member, step_scorers.create(member), {})
    if isinstance(member, Mapping):
        options = dict(member)
        name = options.pop("scorer", None)
        if not isinstance(name, str):
            raise ArgumentError(f'{argument}: expected {{"scorer": a name, …}}, got {member!r}')
        return _Named(name, step_scorers.create(name, **options), options)
    if isinstance(member, StepScorer) and not isinstance(member, type):
        return _Named(type(member).__name__, member, {})
    raise ArgumentError(f"{argument}: expected a name or an object with score and version, got {member!r}")


def _told_apart(members: Sequence[_Named]) -> list[_Named]:
    """`members`, of one name the second and later ones with a number."""
    taken: set[str] = set()
    told: list[_Named] = []
    for one in members:
        numbers = count(2)
        name = one.name
        while name in taken:
            name = f"{one.name} {next(numbers)}"
        taken.add(name)
        told.append(one._replace(name=name))
    return told


def _checked(weights: object, n_members: int) -> list[float]:
    if weights is None:
        return [1.0] * n_members
    if isinstance(weights, str) or not isinstance(weights, Sequence) or len(weights) != n_members:
        raise ArgumentError(f"weights: expected one a member ({n_members}), got {weights!r}")
    checked = [number("weights", weight) for weight in weights]
    if min(checked) <= 0:
        raise ArgumentError(f"weights: expected numbers above 0, got {weights!r}")
    return checked


def _values(said: Mapping[str, StepScore]) -> dict[str, float]:
    return {name: score.value for name, score in said.items() if score.value is not None}


def _quoted(name: str, score: StepScore) -> str:
    return f"{name} says {score.value:g}, {score.rule}{f': {score.detail}' if score.detail else ''}"


def _nothing_said(said: Mapping[str, StepScore]) -> StepScore:
    return StepScore(None, "nothing_said", ", ".join(f"{name}: {score.rule}" for name, score in said.items()))
