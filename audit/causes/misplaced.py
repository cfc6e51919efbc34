"""Rewards that stand beside the wrong rollouts: a list that slipped by one, ran backwards, or was laid out transposed.

Asked of each step of a file, and of a file without steps as a whole: do the logged rewards fit the referee's verdicts
far better in another order than in the one they stand in? A grader that is merely bad fits in no order.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ...verifiers.base import Outcome
from ..judging import REFUSED, JudgedGroup, Judgement

__all__ = ["misplaced_rewards"]

LEAST_AGREEMENT = 0.97
"""Share of verdicts that the rewards must fit in the other order."""
MOST_AGREEMENT = 0.9
"""Share above which they fit well enough where they stand."""
LEAST_ROLLOUTS = 64

_Values = npt.NDArray[np.float64]


def misplaced_rewards(judgement: Judgement, *, correct_at: float) -> Mapping[str, str]:
    """Group id -> in which order the rewards of its step would fit; only groups of steps where another one does.

    Args:
        judgement: all rollouts, with their logged rewards.
        correct_at: reward from which a rollout counts as correct.
    """
    steps: defaultdict[int | None, list[JudgedGroup]] = defaultdict(list)
    for group in judgement.groups:
        steps[group.step].append(group)
    found: dict[str, str] = {}
    for step, groups in steps.items():
        if (order := _better_order(groups, correct_at)) is not None:
            where = "the file" if step is None else f"step {step}"
            found |= {group.group_id: f"the rewards of {where} fit the responses {order}" for group in groups}
    return found


def _better_order(groups: Sequence[JudgedGroup], correct_at: float) -> str | None:
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    if len(rollouts) < LEAST_ROLLOUTS:
        return None
    logged = np.array([np.nan if one.scored is None else float(one.scored >= correct_at) for one in rollouts])
    judged = np.array([_verdict(one.referee and one.referee.outcome) for one in rollouts])
    if _agreement(logged, judged) > MOST_AGREEMENT:
        return None
    sizes = [len(group.rollouts) for group in groups]
    for order, rearranged in _orders(sizes):
        if _agreement(rearranged(logged), judged) >= LEAST_AGREEMENT:
            return order
    return None


def _orders(sizes: Sequence[int]) -> Iterator[tuple[str, Callable[[_Values], _Values]]]:
    """Ways in which lists get mixed up, and what undoes each."""
    bounds = np.cumsum(sizes)[:-1]

    def within(change: Callable[[_Values], _Values]) -> Callable[[_Values], _Values]:
        return lambda values: np.concatenate([change(part) for part in np.split(values, bounds)])

    yield "in the reverse order within each group", within(lambda part: part[::-1])
    for shift in (1, -1):
        yield f"moved by {shift} within each group", within(lambda part, shift=shift: np.roll(part, shift))
        yield f"moved by {shift} rollout", lambda values, shift=shift: np.roll(values, shift)
    if len(set(sizes)) == 1 and len(sizes) > 1:
        n, size = len(sizes), sizes[0]
        for shift in (1, -1):
            yield f"moved by {shift} group", lambda values, shift=shift: np.roll(values, shift * size)
        yield "with rollouts and groups transposed", lambda values: values.reshape(size, n).T.ravel()
        yield "with groups and rollouts transposed", lambda values: values.reshape(n, size).T.ravel()


def _verdict(outcome: Outcome | None) -> float:
    return 1.0 if outcome is Outcome.CORRECT else 0.0 if outcome in REFUSED else np.nan


def _agreement(logged: _Values, judged: _Values) -> float:
    """Share of rollouts of which both are known that agree; 1 where there is none."""
    is_known = ~np.isnan(logged) & ~np.isnan(judged)
    return float((logged[is_known] == judged[is_known]).mean()) if is_known.any() else 1.0
