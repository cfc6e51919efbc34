"""The one pass of an audit over all texts, made by Ray's actors: verdicts, facts of texts, copies.

    reading (here) ─ blocks of whole groups ─▶ actors: judge ─▶ judgements without texts ─ in order ─▶ one (here)

The groups are put together here, where the index of the file is, so that no group is cut, however its rows are
scattered. What comes back of a rollout is what the audit keeps of it anyway.
"""

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..audit.copies.survey import CopySurvey
from ..audit.copies.traces import Traces
from ..audit.judging import Judgement, blocks_of, judge, shown
from ..audit.second_opinion import SecondOpinion
from ..rollouts.records import Group
from ..verifiers.base import Verifier
from .ray_cluster import enter

__all__ = ["judged_by_actors"]

AHEAD = 2
"""Blocks that wait at each actor: one is judged while the next is on its way."""


def judged_by_actors(
    ray: Any,
    num_workers: int,
    groups: Iterable[Group],
    *,
    suspect: Verifier | None,
    referee: Verifier,
    second: SecondOpinion | None,
    correct_at: float,
    copies: CopySurvey,
    progress: bool,
) -> Judgement:
    """What `audit.judging.judge` makes of `groups`, made by `num_workers` actors.

    Args:
        ray: the module, connected.
        groups, suspect, referee, correct_at, progress: as there. The verifiers are shipped.
        second: whether there is one; each actor has its own.
        copies: is shown all that the actors saw of the texts.
    """
    # An object's own workers start anew where its copy arrives.
    settings = ray.put(
        {
            "suspect": suspect,
            "referee": referee,
            "asks_twice": second is not None,
            "correct_at": correct_at,
            "near": copies.near,
            "root": Path.cwd(),
            "traces": None if copies.traces is None else copies.traces.path,
        }
    )
    actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=5)(Judging)
    actors = [actor.remote(settings) for _ in range(num_workers)]
    found = Judgement(has_second_opinion=second is not None)
    try:
        for answer in _in_order(ray, actors, map(pickle.dumps, blocks_of(shown(groups, progress)))):
            judgement, seen = pickle.loads(answer)
            found.extend(judgement)
            copies.extend(seen)
    finally:
        for one in actors:
            ray.kill(one)
    return found


class Judging:
    """An actor of an audit: judges blocks of groups as the local audit does."""

    def __init__(self, settings: dict[str, Any]) -> None:
        enter(settings["root"])
        self._near = settings["near"]
        # Read again here: what it holds are hashes that no other process shares.
        self._traces = None if settings["traces"] is None else Traces(settings["traces"])
        self._judge = partial(
            judge,
            suspect=settings["suspect"],
            referee=settings["referee"],
            second=SecondOpinion() if settings["asks_twice"] else None,
            correct_at=settings["correct_at"],
        )

    def judged(self, groups: bytes) -> bytes:
        """The judgement on a block of groups, and what was seen of its texts."""
        copies = CopySurvey(self._near, self._traces)
        judgement = self._judge(pickle.loads(groups), copies=copies)
        copies.traces = None
        return pickle.dumps((judgement, copies), protocol=5)


def _in_order(ray: Any, actors: list[Any], blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The answers on `blocks`, in their order, asked for a few ahead."""
    waiting, free = deque[tuple[Any, Any]](), deque(actor for _ in range(AHEAD) for actor in actors)
    for block in blocks:
        if not free:
            answer, actor = waiting.popleft()
            yield ray.get(answer)
            free.append(actor)
        actor = free.popleft()
        waiting.append((actor.judged.remote(block), actor))
    for answer, _ in waiting:
        yield ray.get(answer)
