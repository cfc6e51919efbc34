"""Our own rollout files, as `rollouts.writing` writes them: one `Rollout` a line, with its group id."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..run_files import ROLLOUTS
from ..turns import prompt_digest_id, prompt_identity
from ..values import array_value, reward_value
from .base import ReaderDefaults, Row, most

SCHEMA = "rewardgate.rollout/1"
"""Stands under `schema` in every row."""

_FILLED_BY_READER = frozenset({"source", "token_ids", "rollout_logprobs", "rewards"})
_FIELDS = frozenset(Rollout.model_fields) - {"source"}


class Format:
    """Rows that say so, and rows by hand that use our field names and no others."""

    name = "native"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: row.get("schema") == SCHEMA or _is_ours_by_names(row))

    def files_of_run(self, paths: Sequence[Path]) -> list[Path]:
        """Of a training run of ours what it was trained on, without evaluations and what its checkpoints keep."""
        runs = {path.parent.parent for path in paths if path.parent.name == ROLLOUTS}
        return [path for path in paths if path.parent.name == ROLLOUTS or runs.isdisjoint(path.parents)]

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "NativeReader":
        return NativeReader(rows, tokens=options.tokens)


class NativeReader(ReaderDefaults):
    """Reads native rows; a field that `Rollout` does not know, or of the wrong type, refuses the row."""

    notes: Sequence[str] = ()

    def __init__(self, rows: Sequence[Row], *, tokens: bool) -> None:
        # Workers may share out a step's rows; without a step or a group, another file is another time.
        self.spans_files = any(row.get("step") is not None or row.get("group_id") is not None for row in rows)
        self._tokens = tokens
        self._seen: dict[str, None] = {}

    @property
    def fields(self) -> Mapping[str, str]:
        return {name: name for name in self._seen}

    def identity(self, row: Row) -> Identity:
        prompt_id = row.get("prompt_id")
        if not isinstance(prompt_id, str):
            prompt = row.get("prompt")
            if "prompt_id" in row or not isinstance(prompt, (str, list)):
                raise RowRefusedError("prompt_id", f"expected text, got {clip(prompt_id)}")
            prompt_id = prompt_digest_id(prompt_identity(prompt))
        group, step, rollout_id = row.get("group_id"), row.get("step"), row.get("rollout_id")
        return Identity(
            prompt_id=prompt_id,
            group=group if isinstance(group, str) else None,
            step=step if isinstance(step, int) else None,
            rollout_id=rollout_id if isinstance(rollout_id, str) else None,
        )

    def learn(self, row: Row, identity: Identity) -> None:
        for name in row:
            if name in _FIELDS or name == "group_id":
                self._seen[name] = None

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        values: dict[str, Any] = {
            name: cell
            for name, cell in row.items()
            if name not in _FILLED_BY_READER and name not in ("schema", "group_id")
        }
        rewards = row.get("rewards") or {}
        if not isinstance(rewards, Mapping):
            raise RowRefusedError("rewards", f"expected names and numbers, got {clip(rewards)}")
        values.setdefault("prompt_id", identity.prompt_id)
        values["rewards"] = {name: reward_value(cell, tally) for name, cell in rewards.items()}
        if self._tokens:
            values["token_ids"] = array_value(row.get("token_ids"), "int64", tally)
            values["rollout_logprobs"] = array_value(row.get("rollout_logprobs"), "float64", tally)
        try:
            return [Rollout(**values, source=source)]
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0]) if first["loc"] else "row"
            raise RowRefusedError(name, f"{first['msg'].lower()}, got {clip(row.get(name))}") from None


def _is_ours_by_names(row: Row) -> bool:
    names = row.keys() - {"schema", "group_id"}
    return names <= _FIELDS and {"prompt_id", "response", "rewards"} <= names and isinstance(row["rewards"], Mapping)
