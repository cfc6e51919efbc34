"""One row a prompt, in arrays that grow: the memory of `PromptPools`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .pool_rules import POOLS, Pool
from .rows import FloatArray, IntArray

__all__ = ["PromptColumns", "PromptId"]

PromptId = str | int

SCHEMA_VERSION = "rewardgate.pools/1"

_NEVER = -1
_COUNTS = {"successes": 0.0, "failures": 0.0, "ema": 0.0}
_NUMBERS = {"visits": 0, "last_step": _NEVER, "moves": 0, "codes": POOLS.index(Pool.FRONTIER)}
_INITIAL = {**_COUNTS, **_NUMBERS}


class PromptColumns:
    """The prompts, in the order in which they were first named, and a column for each thing known of them.

    Attributes:
        ids: row -> prompt id.
        slots: prompt id -> row.
        successes, failures: (N,) discounted counts.
        ema: (N,) moving average of the success rate.
        visits: (N,) visits with at least one known reward.
        last_step: (N,) policy step of the last one; -1 before the first.
        moves: (N,) changes of the pool that rewards brought about.
        codes: (N,) the pool, as a position in `POOLS`.
    """

    successes: FloatArray
    failures: FloatArray
    ema: FloatArray
    visits: IntArray
    last_step: IntArray
    moves: IntArray
    codes: IntArray

    def __init__(self) -> None:
        self.ids: list[PromptId] = []
        self.slots: dict[PromptId, int] = {}
        for name, initial in _INITIAL.items():
            setattr(self, name, np.full(0, initial))

    def __len__(self) -> int:
        return len(self.ids)

    def slots_of(self, prompt_ids: Sequence[Any]) -> IntArray:
        """(n,) the row of each id; new ids get rows at the end.

        Raises:
            ArgumentError: an id that is neither str nor int; nothing is added then.
        """
        ids = [_plain(prompt_id) for prompt_id in prompt_ids]
        found = [self.slots.setdefault(prompt_id, len(self.slots)) for prompt_id in ids]
        added = len(self.slots) - len(self.ids)
        if added:
            self.ids += list(self.slots)[-added:]
            for name, initial in _INITIAL.items():
                setattr(self, name, np.concatenate([getattr(self, name), np.full(added, initial)]))
        return np.asarray(found, dtype=np.int64)

    def forget(self, slots: IntArray) -> None:
        """Make rows as new."""
        for name, initial in _INITIAL.items():
            getattr(self, name)[slots] = initial

    def check_step(self, slots: IntArray, step: int) -> None:
        """Refuse a step before the last one of any of these prompts."""
        latest = int(self.last_step[slots].max(initial=0))
        if step < latest:
            raise ArgumentError(f"step: expected at least {latest}, the last one of a prompt in the batch, got {step}")

    def state(self) -> dict[str, Any]:
        """Everything as plain values; pools by name, so that their order may change."""
        return {
            "schema_version": SCHEMA_VERSION,
            "prompt_ids": list(self.ids),
            "pools": [str(pool) for pool in POOLS],
            **{name: getattr(self, name).tolist() for name in _INITIAL},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "PromptColumns":
        """What `state` told.

        Raises:
            ArgumentError: not such a state, columns of different lengths, an id named twice, or a code of no pool.
        """
        version = state.get("schema_version")
        if version != SCHEMA_VERSION:
            raise ArgumentError(f"state: expected schema_version {SCHEMA_VERSION!r}, got {version!r}")
        columns, loaded = cls(), {name: np.array(state.get(name, [])) for name in _INITIAL}
        columns.slots_of(state["prompt_ids"])
        lengths = {"prompt_ids": len(columns), **{name: len(values) for name, values in loaded.items()}}
        if set(lengths.values()) != {len(state["prompt_ids"])}:
            raise ArgumentError(f"state: expected distinct ids and columns as long, got {lengths}")
        for name, values in loaded.items():
            setattr(columns, name, values.astype(getattr(columns, name).dtype))
        codes, names = columns.codes, state["pools"]
        if not (set(names) <= set(POOLS) and ((codes >= 0) & (codes < len(names))).all()):
            raise ArgumentError(f"state: expected pools of {', '.join(POOLS)} and a code for each prompt, got {names}")
        if len(columns):
            columns.codes = np.array([POOLS.index(name) for name in names])[codes]
        return columns


def _plain(prompt_id: Any) -> PromptId:
    if isinstance(prompt_id, np.integer):
        return int(prompt_id)
    if not isinstance(prompt_id, str | int) or isinstance(prompt_id, bool):
        raise ArgumentError(f"prompt_ids: expected str or int, got {prompt_id!r}")
    return prompt_id


def plain_or_none(values: npt.NDArray[Any], is_none: npt.NDArray[np.bool_]) -> list[Any]:
    """`values` as a list, None where marked True."""
    return [None if absent else value for value, absent in zip(values.tolist(), is_none.tolist(), strict=True)]
