"""The votes of a judge to a score of each step."""

from collections.abc import Sequence

from ...verifiers.expression.results import shown
from ..base import StepScore
from .answers import Answer

__all__ = ["vote_scores"]


def vote_scores(answers: Sequence[Answer], n_steps: int, *, n_asked: int) -> list[StepScore]:
    """The score of each step: the share of the votes that hold it right, among those that speak of it.

    A judge that names step e as the first wrong one holds the steps before e right and e wrong; of those behind e it
    says nothing, since they rest on a mistake. So a vote for e is silent there, and does not count there, neither for
    nor against. Where no more than half of the votes speak of a step, it has no score: the few that see no mistake
    before it would be all of its evidence.

    Args:
        answers: the readable votes, at least one.
        n_asked: votes that were asked for.

    Source:
        ours. ProcessBench takes the mode of the votes, which is an index and no probability.

    Example:
        >>> votes = [Answer(1), Answer(1), Answer(2), Answer(-1)]
        >>> [score.value for score in vote_scores(votes, 4, n_asked=4)]
        [1.0, 0.5, None, None]
    """
    return [_score(answers, step, n_asked) for step in range(n_steps)]


def _score(answers: Sequence[Answer], step: int, n_asked: int) -> StepScore:
    speaking = [answer for answer in answers if answer.first_error in (-1, step) or answer.first_error > step]
    against = [answer for answer in speaking if answer.first_error == step]
    value = None
    if 2 * len(speaking) > len(answers):
        value = 1 - len(against) / len(speaking)
    lost = n_asked - len(answers)
    counted = f"{len(speaking) - len(against)} right, {len(against)} wrong, {len(answers) - len(speaking)} silent"
    detail = f"of {n_asked} votes {counted}{f', {lost} without a readable answer' if lost else ''}"
    if n_asked == 1:
        detail = _ONE_VOTE[_rule(value)]
        if value is None:
            detail += f" (step {answers[0].first_error})"
    reason = next((answer.reason for answer in against or speaking if answer.reason), "")
    if reason and value is not None and value < 1:
        detail += f": {shown(reason)}"
    return StepScore(value, _rule(value), detail)


def _rule(value: float | None) -> str:
    if value is None:
        return "after_error"
    return {1.0: "held_right", 0.0: "first_error"}.get(value, "split_votes")


_ONE_VOTE = {
    "held_right": "the judge finds no mistake up to here",
    "first_error": "the first wrong step for the judge",
    "after_error": "behind the first wrong step for the judge",
}
