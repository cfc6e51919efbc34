"""Any table of rollouts: JSON lines, a JSON array, CSV or Parquet, with the usual names or the given ones.

Rows are *long* (one response each) or *wide* (a list of responses, or of objects that each hold one, with
rewards in step). The names of prompt, ids, step and response are settled on the file's first rows, because
they decide what a group is; target and rewards on the whole file. What has no role goes to `meta`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import ArgumentError
from .. import fields as names
from ..fields import ColumnKinds, ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import only_text, prompt_digest_id, prompt_identity, prompt_value, response_value, split_turns
from ..values import array_value, integer_value, is_small, name_value, reward_value, target_value, truncated_value
from .base import ReaderDefaults, Row
from .cells import cell, first_column, object_items, rows_of_lists, rows_of_objects, width
from .variation import TargetVariation

_SIDE_ROLES = {
    "truncated": names.TRUNCATED,
    "finish_reason": names.FINISH_REASON,
    "n_tokens": names.N_TOKENS,
    "policy_version": names.POLICY_VERSION,
    "token_ids": names.TOKEN_IDS,
    "rollout_logprobs": names.LOGPROBS,
}
"""Roles whose column may differ from row to row: nothing else depends on them."""


class Format:
    """Recognises nothing: it is what a file is when no other format is."""

    name = "columns"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return False

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "ColumnsReader":
        return ColumnsReader(rows, options)


class ColumnsReader(ReaderDefaults):
    """Reads long and wide rows under one choice of columns."""

    def __init__(self, rows: Sequence[Row], options: ReadOptions) -> None:
        self._options = options
        self._kinds = ColumnKinds()  # of the whole file, objects inside wide rows included
        self._has_wide_rows = False
        self.notes: list[str] = []
        head, items = ColumnKinds(), ColumnKinds()
        for row in rows:
            head.add(row)
        self._response = options.response_key or names.response_column(head)
        for row in rows:
            for item in object_items(row, self._response) or ():
                items.add(item)
        # Where responses are messages, an empty list is a failed attempt and not a group of none.
        self._holds_messages = head.main_kind(self._response or "") == "messages"
        self._item_response = names.response_column(items)
        self._prompt = options.prompt_key or names.prompt_column(head, self._response)
        self._group = options.group_key or head.first(names.GROUP, "text", "number")
        self._step = head.first(names.STEP, "number", "text")
        # Workers may share out a step's rows; without a step or a group, another file is another time.
        self.spans_files = self._group is not None or self._step is not None
        self._prompt_id = options.prompt_id_key or head.first(names.PROMPT_ID, "text", "number")
        self._loose_id = head.first(names.LOOSE_ID, "text", "number")
        self._loose_id_is_prompts = self._prompt_id is None and _is_id_of_prompts(
            rows, self._loose_id, self._prompt or self._response
        )
        self._rollout_id = head.first(names.ROLLOUT_ID, "text", "number")
        if self._rollout_id is None and not self._loose_id_is_prompts:
            self._rollout_id = self._loose_id
        self._choose_rewards(head)
        taken = (self._response, self._item_response, self._prompt, *self._rewards)
        for name, counts in items.counts.items():
            head.counts.setdefault(name, counts)
        self._target = options.target_key
        self._variation = TargetVariation([] if options.target_key else names.target_columns(head, taken))

    @property
    def fields(self) -> Mapping[str, str]:
        is_loose_prompt_id = self._loose_id_is_prompts or (self._has_wide_rows and self._prompt_id is None)
        roles = {
            "prompt": self._prompt or (self._response if self._response in names.MESSAGES else None),
            "prompt_id": self._prompt_id or (self._loose_id if is_loose_prompt_id else None),
            "group_id": self._group,
            "step": self._step,
            "response": f"{self._response}.{self._item_response}" if self._item_response else self._response,
            "target": self._target,
            "rewards": ", ".join(self._rewards),
            "rollout_id": None if is_loose_prompt_id and self._rollout_id == self._loose_id else self._rollout_id,
        }
        for role, usual in _SIDE_ROLES.items():
            roles[role] = next((name for name in usual if self._kinds.main_kind(name)), None)
        trainers = (name for name in names.TRAINER_LOGPROBS if name != roles["rollout_logprobs"])
        roles["trainer_logprobs"] = next((name for name in trainers if self._kinds.main_kind(name)), None)
        return {role: column for role, column in roles.items() if column}

    def identity(self, row: Row) -> Identity:
        n_responses = self._width(row)
        prompt = self._prompt_of(row)
        prompt_id = name_value(cell(row, self._prompt_id))
        if prompt_id is None and (self._loose_id_is_prompts or n_responses is not None or not prompt):
            prompt_id = name_value(cell(row, self._loose_id))
        if prompt_id is None and prompt:
            prompt_id = prompt_digest_id(prompt_identity(prompt))
        group = name_value(cell(row, self._group))
        self._require_content(row, is_named=prompt_id is not None or group is not None)
        return Identity(
            prompt_id=prompt_id,
            group=group,
            step=integer_value(cell(row, self._step)),
            is_whole_group=n_responses is not None,
            rollout_id=name_value(cell(row, self._rollout_id)) if n_responses is None else None,
        )

    def learn(self, row: Row, identity: Identity) -> None:
        self._kinds.add(row)
        self._has_wide_rows = self._has_wide_rows or identity.is_whole_group
        items = object_items(row, self._response)
        for item in items or ():
            self._kinds.add(item)
            if identity.prompt_id is not None:
                self._variation.add(identity.prompt_id, {**row, **item}, width=None)
        if items is None and identity.prompt_id is not None:
            self._variation.add(identity.prompt_id, row, width=self._width(row))

    def finish(self, *, ids_repeat: bool) -> None:
        for argument, column in self._options.named().items():
            if not {column, column.partition(".")[0]} & self._kinds.counts.keys():
                known = ", ".join(list(self._kinds.counts)[:40])
                raise ArgumentError(f'{argument}: expected a column of the file, got "{column}"; columns: {known}')
        if ids_repeat:
            self._rollout_id = None
        self._response = self._response or names.response_column(self._kinds)
        self._choose_rewards(self._kinds)
        if self._options.target_key is None:
            taken = (self._response, self._item_response, self._prompt, *self._rewards)
            self._target, notes = self._variation.choose(names.target_columns(self._kinds, taken))
            self.notes += notes

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        shared = {
            "prompt_id": identity.prompt_id or f"row-{source.line}",
            "prompt": self._prompt_of(row) or None,
            "step": identity.step,
        }
        return [
            self._rollout(one, shared, source.model_copy(update={"index": index}), tally)
            for index, one in enumerate(self._rows_of_responses(row, tally))
        ]

    def _rollout(self, row: Row, shared: Mapping[str, Any], source: Source, tally: Tally) -> Rollout:
        columns = {role: first_column(row, usual) for role, usual in _SIDE_ROLES.items()}
        cells = {role: cell(row, column) for role, column in columns.items()}
        finish_reason = name_value(cells["finish_reason"])
        policy = cells["policy_version"]
        tokens = self._options.tokens
        return Rollout(
            **shared,
            response=self._response_of(row),
            target=target_value(cell(row, self._target), tally),
            rewards=self._rewards_of(row, tally),
            reward_name=self._main_reward if len(self._rewards) > 1 else None,
            rollout_id=name_value(cell(row, self._rollout_id)),
            truncated=truncated_value(cells["truncated"], finish_reason),
            finish_reason=finish_reason,
            n_tokens=integer_value(cells["n_tokens"]),
            policy_version=policy if type(policy) is int else name_value(policy),
            meta=self._meta_of(row, columns.values()),
            source=source,
            token_ids=array_value(cells["token_ids"], "int64", tally) if tokens else None,
            rollout_logprobs=array_value(cells["rollout_logprobs"], "float64", tally) if tokens else None,
        )

    def _choose_rewards(self, kinds: ColumnKinds) -> None:
        if self._options.reward_key is not None:
            self._rewards: list[str] = [self._options.reward_key]
            self._main_reward: str | None = self._options.reward_key
        else:
            taken = (self._response, self._prompt, self._options.target_key)
            self._rewards, self._main_reward = names.reward_columns(kinds, taken)

    def _require_content(self, row: Row, *, is_named: bool) -> None:
        if cell(row, self._response, default=...) is not ...:
            return
        if is_named and any(cell(row, name, default=...) is not ... for name in self._rewards):
            return
        # Numbers that belong to no prompt are a log of training curves, not rollouts.
        hint = "" if self._response else "; response_key names a column of responses"
        raise RowRefusedError("response", f"expected a response or a prompt's reward, got {clip(list(row))}{hint}")

    def _width(self, row: Row) -> int | None:
        if self._holds_messages and cell(row, self._response) == []:
            return None
        return width(row, self._response, self._rewards[0] if self._rewards else None)

    def _rows_of_responses(self, row: Row, tally: Tally) -> list[Row]:
        n_responses = self._width(row)
        if n_responses is None:
            return [row]
        if n_responses == 0:
            column = self._response or self._rewards[0]
            raise RowRefusedError(column, "expected at least one response, got an empty list")
        items = object_items(row, self._response)
        row_ids = (self._loose_id, self._rollout_id)  # of a wide row they name the row, not its responses
        if items is not None and self._response is not None:
            return rows_of_objects(row, self._response, items, left_out=row_ids)
        return rows_of_lists(
            row,
            n_responses,
            rewards=self._rewards,
            kept_whole=(self._prompt, self._target),
            left_out=row_ids,
            tally=tally,
        )

    def _prompt_of(self, row: Row) -> str | list[dict[str, Any]] | None:
        if self._response in names.MESSAGES and self._prompt is None:
            return split_turns(self._conversation(row), self._response)[0]
        prompt = prompt_value(cell(row, self._prompt), self._prompt or "prompt")
        if isinstance(prompt, list) and self._prompt in names.MESSAGES and prompt[-1]["role"] == "assistant":
            return prompt[:-1]  # a log of the whole conversation beside a column of its last turn
        return prompt

    def _response_of(self, row: Row) -> str | list[dict[str, Any]] | None:
        column = self._item_response or self._response
        if column in names.MESSAGES:
            return split_turns(self._conversation(row), column)[1]
        response = response_value(cell(row, column), column or "response")
        return only_text(response) if column == "message" else response

    def _conversation(self, row: Row) -> list[dict[str, Any]]:
        column = self._item_response or self._response or "messages"
        messages = prompt_value(cell(row, column), column)
        if not isinstance(messages, list):
            raise RowRefusedError(column, f"expected messages, got {clip(messages)}")
        return messages

    def _rewards_of(self, row: Row, tally: Tally) -> dict[str, float | None]:
        rewards: dict[str, float | None] = {}
        for column in self._rewards:
            found = cell(row, column)
            kind = self._kinds.main_kind(column)
            if isinstance(found, dict) and kind in ("dict", "list"):
                named = {str(name): reward_value(value, tally) for name, value in found.items()}
                rewards = named | rewards
            elif kind != "dict" or found is not None:
                rewards[column] = reward_value(found, tally)
        return rewards

    def _meta_of(self, row: Row, side_columns: Iterable[str | None]) -> dict[str, Any]:
        used = {self._prompt, self._response, self._item_response, self._target, self._group, self._step}
        used |= {self._prompt_id, self._rollout_id, *self._rewards, *side_columns}
        if self._loose_id_is_prompts:
            used.add(self._loose_id)
        return {
            name: found
            for name, found in row.items()
            if found is not None and name not in used and self._is_kept(name, found)
        }

    def _is_kept(self, name: str, found: object) -> bool:
        if name in names.TOKEN_NAMES:
            return self._options.tokens and name in names.TRAINER_LOGPROBS
        return is_small(found)


def _is_id_of_prompts(rows: Sequence[Row], column: str | None, prompt: str | None) -> bool:
    """Whether the ids of `column` repeat, and each goes with one prompt only."""
    if column is None:
        return False
    prompts: dict[str, str] = {}
    n_rows = 0
    for row in rows:
        name = name_value(row.get(column))
        if name is not None:
            n_rows += 1
            text = json.dumps(cell(row, prompt), default=str)
            if prompts.setdefault(name, text) != text:
                return False
    return 0 < 2 * len(prompts) <= n_rows
