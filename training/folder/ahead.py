"""A step's groups as lines of a file, and back: what was sampled ahead of a checkpoint is not sampled again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ...rollouts.records import Group, Rollout
from ...rollouts.writing import rollout_row, row_text
from ..groups.collecting import Collected
from ..groups.judging import JudgedGroup
from ..ledger import LedgerRow
from ..prompts import Prompt

__all__ = ["ahead_lines", "ahead_state", "collected_of"]


def ahead_lines(collected: Collected) -> tuple[str, ...]:
    """Everything that was drawn, a line a rollout."""
    groups = [one.group for one in collected.drawn]
    return tuple(row_text(rollout_row(row, group_id=group.group_id)) for group in groups for row in group.rollouts)


def ahead_state(collected: Collected) -> dict[str, Any]:
    """The rest, as plain values."""
    return {
        "step": collected.step,
        "kept": [one.group.group_id for one in collected.kept],
        "ledger": asdict(collected.ledger),
        "seconds": dict(collected.seconds),
    }


def collected_of(lines: Sequence[str], state: Mapping[str, Any], prompts: Mapping[str, Prompt]) -> Collected:
    """What was written, bit for bit, less the groups of prompts that there are no more.

    Args:
        prompts: by id.
    """
    rollouts: dict[str, list[Rollout]] = {}
    for line in lines:
        row = json.loads(line)
        del row["schema"]
        rollouts.setdefault(row.pop("group_id"), []).append(_rollout(row))
    groups = {
        group_id: JudgedGroup(prompts[rows[0].prompt_id], Group(group_id=group_id, rollouts=tuple(rows)))
        for group_id, rows in rollouts.items()
        if rows[0].prompt_id in prompts
    }
    return Collected(
        step=state["step"],
        kept=[groups[group_id] for group_id in state["kept"] if group_id in groups],
        drawn=list(groups.values()),
        ledger=LedgerRow(**state["ledger"]),
        seconds=state["seconds"],
    )


def _rollout(row: dict[str, Any]) -> Rollout:
    arrays = {"token_ids": np.int64, "rollout_logprobs": np.float64}
    return Rollout(**{**row, **{name: np.array(row[name], dtype=dtype) for name, dtype in arrays.items()}})
