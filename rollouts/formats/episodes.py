"""Episodes of the `verifiers` library from 0.4 on, one a line in `traces.jsonl`.

An episode is one attempt at a task, and holds a trace for each agent that took part. Traces of agents that are not
trained (a user that is played, a judge) are nobody's rollouts, unless no agent is trained. An episode without any
trace never began: its row is refused with the reason. Source: PrimeIntellect-ai/verifiers 0.4, verifiers/v1.
"""

from ..grouping import digest
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..values import name_value
from .base import Row
from .traces import part, trace_rollout

FIELDS = {
    "prompt": "nodes before the first sampled one, else task.data.prompt",
    "prompt_id": "task.key",
    "response": "the last sampled node",
    "target": "task.data.answer",
    "rewards": "rewards, reward = sum of score times weight",
    "finish_reason": "calls.finish_reason",
}


def is_episode(row: Row) -> bool:
    """Whether `row` is an episode: a task and the traces of those who worked on it."""
    return isinstance(row.get("traces"), list) and isinstance(row.get("task"), dict)


def task_key(row: Row) -> str:
    """What names the task of an episode in every file.

    Raises:
        RowRefusedError: the row is no episode, has no trace, so that nothing was tried, or names no task.
    """
    if not is_episode(row):
        raise RowRefusedError("traces", f"expected an episode with its traces, got {clip(list(row))}")
    if not any(isinstance(trace, dict) for trace in row["traces"]):
        reason = _said(row.get("errors")) or "no reason given"
        raise RowRefusedError("traces", f"expected a trace, got an episode without any: {clip(reason)}")
    task = row["task"]
    key = name_value(task.get("key")) or name_value(task.get("hash"))
    if key is None:
        key = name_value(part(task, "data").get("idx"))
    if key is None:
        raise RowRefusedError("task.key", f"expected text, got {clip(task.get('key'))}")
    return key


class Repeats:
    """Episodes whose traces were all read before: scored again, or filtered into another file."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self._n_rows = 0
        self._seen: set[int] = set()

    def add(self, row: Row) -> None:
        """Take note of the next row."""
        ids = {
            digest(name)
            for trace in row["traces"]
            if isinstance(trace, dict) and (name := name_value(trace.get("id"))) is not None
        }
        if ids and ids <= self._seen:
            self.rows.append(self._n_rows)
        self._seen |= ids
        self._n_rows += 1

    @property
    def notes(self) -> list[str]:
        """What was left out."""
        said = f"{len(self.rows)} episodes have the ids of earlier ones (scored again, or filtered): left out"
        return [said] if self.rows else []


def episode_rollouts(
    row: Row, *, prompt_id: str, step: int | None, tokens: bool, source: Source, tally: Tally
) -> list[Rollout]:
    """The rollouts of one episode.

    Args:
        tokens: whether to load token ids and log-probabilities.
    """
    traces = [trace for trace in row["traces"] if isinstance(trace, dict)]
    trained = [trace for trace in traces if part(trace, "agent").get("trainable") is not False]
    return [
        trace_rollout(
            trace,
            row,
            prompt_id=prompt_id,
            step=step,
            tokens=tokens,
            source=source.model_copy(update={"index": index}),
            tally=tally,
        )
        for index, trace in enumerate(trained or traces)
    ]


def _said(errors: object) -> str | None:
    first = errors[0] if isinstance(errors, list) and errors else None
    return name_value(first.get("message")) if isinstance(first, dict) else name_value(first)
