"""Evaluations of the `verifiers` library from 0.4 on: `traces.jsonl`, whose episodes belong together by task.

`vf-replay` scores saved traces again and writes them under their old ids: a rollout that was read already is left out.
"""

from collections.abc import Collection, Mapping, Sequence

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import Tally
from .base import ReaderDefaults, Row, most
from .episodes import FIELDS, Repeats, episode_rollouts, is_episode, task_key


class Format:
    """Episodes that no trainer asked for."""

    name = "verifiers_traces"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: is_episode(row) and not row.get("group"))

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "TracesReader":
        return TracesReader(tokens=options.tokens)


class TracesReader(ReaderDefaults):
    """One row is one episode."""

    has_named_rewards = True
    fields: Mapping[str, str] = FIELDS

    def __init__(self, *, tokens: bool) -> None:
        self._tokens = tokens
        self._repeats = Repeats()

    @property
    def notes(self) -> Sequence[str]:
        return self._repeats.notes

    def identity(self, row: Row) -> Identity:
        return Identity(task_key(row))

    def learn(self, row: Row, identity: Identity) -> None:
        self._repeats.add(row)

    def left_out(self) -> Collection[int]:
        return self._repeats.rows

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        return episode_rollouts(
            row, prompt_id=identity.prompt_id or "", step=None, tokens=self._tokens, source=source, tally=tally
        )
