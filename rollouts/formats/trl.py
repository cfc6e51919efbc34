"""Completions that TRL's GRPOTrainer writes: `completions/completions_{step}.parquet`, with `log_completions=True`.

One row a rollout: step, prompt, completion, one column a reward function, columns that a reward function logged
(`log_extra`), advantage. Neither gold nor total nor group is among TRL's own; our reward functions log the gold as
`<name>_target`, and our gate says of each row whether its group was opened (`gate_opened`): the advantages of such a
group are of its steps, and tell nothing of its rewards. The names of the reward functions and the
trainer's curves stand in `trainer_state.json`, which is looked for beside the folder of completions; without it the
columns of floats behind the completion are rewards. A reward that is null was not given (TRL leaves it out of the
sum). Source: huggingface/trl 1.16, trainer/grpo_trainer.py.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from ...errors import InputError
from ..fields import GROUP, PROMPT_ID, ROLLOUT_ID, ColumnKinds, ReadOptions, target_columns
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import Tally
from ..turns import only_text, prompt_digest_id, prompt_identity, prompt_value, response_value
from ..values import integer_value, is_small, number_value, reward_value, target_value
from .base import ReaderDefaults, Row, most
from .trl_groups import Batches
from .trl_rewards import RewardWeights
from .trl_state import TrainerState, find_state
from .variation import TargetVariation

_COLUMNS = ("step", "prompt", "completion", "advantage")
_REQUIRED = frozenset(_COLUMNS)
_IDS = frozenset((*PROMPT_ID, *GROUP, *ROLLOUT_ID))
"""What TRL never writes: a table with ids is somebody else's."""


class Format:
    """Rows with `step`, `prompt`, `completion` and `advantage`, and without any id."""

    name = "trl"

    def files_of_run(self, paths: Sequence[Path]) -> list[Path]:
        """All of them, if they are of one run: another has other rewards, with other weights."""
        folders = list(dict.fromkeys(path.parent for path in paths))
        if len(folders) > 1:
            raise InputError(f"{folders[0]}: expected completions of one run, got {len(folders)} folders of them")
        return list(paths)

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: row.keys() >= _REQUIRED and not row.keys() & _IDS)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "TrlReader":
        return TrlReader(rows)


class TrlReader(ReaderDefaults):
    """One row is one rollout; groups are worked out when all rows are known."""

    has_named_rewards = True
    spans_files = True

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rewards = _float_columns(rows)
        self._state = TrainerState()
        self._kinds = ColumnKinds()
        for row in rows:
            self._kinds.add(row)
        self._batches = Batches()
        self._weights = RewardWeights()
        self._target: str | None = None
        self._notes: list[str] = []
        self._variation = TargetVariation(self._target_candidates())

    def look_around(self, paths: Sequence[Path]) -> None:
        self._state = find_state(paths)
        named = set(self._state.reward_names)
        if known := [name for name in self._kinds.counts if name in named]:
            self._rewards = known
        self._weights = RewardWeights(self._rewards, self._state.weights(self._rewards))

    @property
    def fields(self) -> Mapping[str, str]:
        roles = {
            "prompt": "prompt",
            "response": "completion",
            "rewards": ", ".join(self._rewards),
            "target": self._target,
            "step": "step",
        }
        return {role: column for role, column in roles.items() if column}

    @property
    def notes(self) -> Sequence[str]:
        return self._notes

    @property
    def step_metrics(self) -> Mapping[int, Mapping[str, float]]:
        return self._state.metrics

    def identity(self, row: Row) -> Identity:
        prompt = prompt_value(row.get("prompt"), "prompt")
        prompt_id = None if prompt is None else prompt_digest_id(prompt_identity(prompt))
        return Identity(prompt_id, step=integer_value(row.get("step")))

    def learn(self, row: Row, identity: Identity) -> None:
        self._kinds.add(row)
        if identity.prompt_id is not None:
            self._variation.add(identity.prompt_id, row, width=None)
        advantage = None if row.get("gate_opened") is True else number_value(row.get("advantage"))
        content = json.dumps([value for name, value in row.items() if name != "step"], default=str)
        self._batches.add(identity.step or 0, identity.prompt_id or "", content, advantage)
        self._weights.add([number_value(row.get(name)) for name in self._rewards], advantage)

    def regroup(self) -> Sequence[int]:
        groups = self._batches.groups()
        if not self._state.reward_names:
            self._rewards = self._weights.settle_names(groups)
        self._weights.settle(groups)
        self._target, notes = self._variation.choose(self._target_candidates())
        self._notes += [*self._group_notes(), *self._weights.notes, *self._state.notes, *notes]
        return groups

    def left_out(self) -> Collection[int]:
        return self._batches.repeated

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        rewards = {name: reward_value(row.get(name), tally) for name in self._rewards}
        total = self._weights.total(rewards)
        used = {"step", "prompt", "completion", self._target, *self._rewards}
        return [
            Rollout(
                prompt_id=identity.prompt_id or f"row-{source.line}",
                prompt=prompt_value(row.get("prompt"), "prompt"),
                response=only_text(response_value(row.get("completion"), "completion")),
                target=target_value(row.get(self._target), tally) if self._target else None,
                rewards=rewards if total is None else {**rewards, total.name: total.value},
                reward_name=self._rewards[0] if len(self._rewards) == 1 else (total.name if total else None),
                step=identity.step,
                meta={
                    name: cell for name, cell in row.items() if cell is not None and name not in used and is_small(cell)
                },
                source=source,
            )
        ]

    def _target_candidates(self) -> list[str]:
        taken = (*_COLUMNS, *self._rewards)
        ours = [name for name in self._kinds.counts if name.endswith("_target") and name not in taken]
        return [*target_columns(self._kinds, taken), *ours]

    def _group_notes(self) -> list[str]:
        found = [
            f"TRL files do not name their groups: G = {self._batches.group_size} is worked out from runs of one prompt "
            "and their advantages"
        ]
        if self._batches.repeated:
            found.append(
                f"{len(self._batches.repeated)} rows repeat the batch of the step before (steps_per_generation or "
                "num_iterations): left out, so that no rollout counts twice"
            )
        return found


def _float_columns(rows: Sequence[Row]) -> list[str]:
    """The columns behind the completion up to the first that is not of floats: where no state names the rewards."""
    if not rows:
        return []
    names = list(rows[0])
    behind = names[names.index("completion") + 1 :] if "completion" in names else []
    return list(takewhile(lambda name: name != "advantage" and _is_float(rows, name), behind))


def _is_float(rows: Sequence[Row], name: str) -> bool:
    cells = [row.get(name) for row in rows]
    return all(cell is None or type(cell) is float for cell in cells)
