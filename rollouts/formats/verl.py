"""Rollouts that verl writes: `{step}.jsonl` in `trainer.rollout_data_dir` or `trainer.validation_data_dir`.

One row an output: input, output, gts, score, step, and whatever the reward function returned besides. The text has
lost its special tokens. Rows name no group: they belong together by step and input. The newer trainer gives each row
a `uid` of prompt, rollout and output; an agent that answers in several outputs has one row for each, all with the
rollout's score, and the last is its response. `request_id` is a rollout's.
Source: verl-project/verl 0.9, trainer/ppo/ray_trainer.py and trainer/main_ppo_sync.py.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import prompt_digest_id, prompt_identity, prompt_value, response_value
from ..values import integer_value, is_small, name_value, reward_value, target_value
from .base import ReaderDefaults, Row, most

_REQUIRED = frozenset({"input", "output", "score", "step"})
_USED = frozenset({*_REQUIRED, "gts", "uid", "request_id"})
_UID = re.compile(r"(?P<prompt>.+)_(?P<rollout>\d+)_(?P<output>\d+)")


class Format:
    """Rows with `input`, `output`, `score` and `step`, and neither prompt nor response under another name."""

    name = "verl"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, _is_ours)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "VerlReader":
        return VerlReader(rows)


class VerlReader(ReaderDefaults):
    """One row is one output; the outputs of a rollout become one."""

    has_named_rewards = True

    def __init__(self, rows: Sequence[Row]) -> None:
        uids = Counter(uid for row in rows if isinstance(uid := row.get("uid"), str))
        # A plain uid is the prompt's in some versions and the rollout's in others: the prompt's repeats.
        self._uid_is_groups = bool(uids) and 2 * len(uids) <= uids.total()

    @property
    def fields(self) -> Mapping[str, str]:
        return {
            "prompt": "input",
            "response": "output",
            "target": "gts",
            "rewards": "score",
            "step": "step",
            "group_id": "uid, else step and input",
            "rollout_id": "uid, else request_id",
        }

    @property
    def notes(self) -> Sequence[str]:
        return (
            "verl strips special tokens before it writes: whether a tool call was parsed, and where a turn ended, "
            "cannot be tested",
            "score is the trainer's reward, shaped or not; other keys of the reward function are in meta",
        )

    def identity(self, row: Row) -> Identity:
        prompt = prompt_value(row.get("input"), "input")
        if "output" not in row or "score" not in row:
            raise RowRefusedError("output", f"expected output and score, got {clip(list(row))}")
        prompt_id = None if prompt is None else prompt_digest_id(prompt_identity(prompt))
        step = integer_value(row.get("step"))
        uid = name_value(row.get("uid"))
        if uid is not None and (parts := _UID.fullmatch(uid)):
            return Identity(prompt_id, group=parts["prompt"], step=step)
        if uid is not None and self._uid_is_groups:
            return Identity(prompt_id, group=uid, step=step, rollout_id=name_value(row.get("request_id")))
        return Identity(prompt_id, step=step, rollout_id=name_value(row.get("request_id")))

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        parts = _UID.fullmatch(name_value(row.get("uid")) or "")
        meta: dict[str, Any] = {name: cell for name, cell in row.items() if name not in _USED and is_small(cell)}
        if parts:
            meta["output"] = int(parts["output"])
        return [
            Rollout(
                prompt_id=identity.prompt_id or f"row-{source.line}",
                prompt=prompt_value(row.get("input"), "input"),
                response=response_value(row.get("output"), "output"),
                target=target_value(row.get("gts"), tally),
                rewards={"score": reward_value(row.get("score"), tally)},
                rollout_id=f"{parts['prompt']}_{parts['rollout']}" if parts else name_value(row.get("request_id")),
                step=identity.step,
                meta=meta,
                source=source,
            )
        ]

    def settle(self, rollouts: list[Rollout]) -> list[Rollout]:
        last: dict[str, Rollout] = {}
        for rollout in rollouts:
            if rollout.rollout_id is None or "output" not in rollout.meta:
                return rollouts
            known = last.get(rollout.rollout_id)
            if known is None or rollout.meta["output"] > known.meta["output"]:
                last[rollout.rollout_id] = rollout
        return list(last.values())


def _is_ours(row: Row) -> bool:
    return row.keys() >= _REQUIRED and not {"prompt", "response", "completion"} & row.keys()
