"""Rollout summaries of the tinker-cookbook: `{name}_rollout_summaries.jsonl`, one row a trajectory.

Numbers only: no prompt, no response, no target (their text goes into HTML beside it). So the groups can be counted and
their rewards compared, and nothing can be verified. Source: thinking-machines-lab/tinker-cookbook, rl/rollout_logging.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..values import integer_value, is_small, name_value, reward_value
from .base import ReaderDefaults, Row, most

_META = ("split", "tags", "trajectory_metrics", "final_ob_len", "traj_idx")


class Format:
    """Rows with `group_idx`, `traj_idx` and `total_reward`."""

    name = "tinker"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: {"group_idx", "traj_idx", "total_reward"} <= row.keys())

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "TinkerReader":
        return TinkerReader()


class TinkerReader(ReaderDefaults):
    """One row is one rollout, without its text."""

    has_named_rewards = True
    fields: Mapping[str, str] = {
        "group_id": "split, iteration, group_idx",
        "rewards": "total_reward, final_reward",
        "step": "iteration",
        "policy_version": "sampling_client_step",
    }
    notes: Sequence[str] = ("summaries hold numbers and no text: groups and rewards are counted, nothing is verified",)

    def identity(self, row: Row) -> Identity:
        group = name_value(row.get("group_idx"))
        if group is None:
            raise RowRefusedError("group_idx", f"expected a number, got {clip(row.get('group_idx'))}")
        # A group's number starts again at 0 in every iteration, and nothing tells which prompt it was.
        name = "/".join((name_value(row.get("split")) or "", name_value(row.get("iteration")) or "", group))
        return Identity(name, group=name)

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        meta: dict[str, Any] = {name: row[name] for name in _META if row.get(name) is not None and is_small(row[name])}
        return [
            Rollout(
                prompt_id=identity.prompt_id or "",
                rewards={name: reward_value(row.get(name), tally) for name in ("total_reward", "final_reward")},
                reward_name="total_reward",
                n_tokens=_n_tokens(row.get("steps")),
                policy_version=integer_value(row.get("sampling_client_step")),
                step=integer_value(row.get("iteration")),
                meta=meta,
                source=source,
            )
        ]


def _n_tokens(steps: object) -> int | None:
    """The tokens of all actions; None where a step does not say."""
    if not isinstance(steps, list) or not steps:
        return None
    lengths = [integer_value(step.get("ac_len")) if isinstance(step, dict) else None for step in steps]
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None
