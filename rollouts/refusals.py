"""What a reader says about the rows that it could not use, and what it noticed about those that it could.

A refusal never stops a reading: the row is left out, counted and told as `file:line: field: rule, value`.
"""

import json
from collections import Counter
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

MAX_REFUSALS_KEPT = 100
MAX_CLIP_CHARS = 60


class Refusal(BaseModel):
    """One row that could not be used, and why.

    Example:
        >>> print(Refusal(file="a.jsonl", line=17, field="response", reason="expected text, got 4"))
        a.jsonl:17: response: expected text, got 4
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.reason}"


class Summary(BaseModel):
    """What one reading found. `n_rows` counts every row of the file, refused ones too, blank lines not.

    `group_sizes` maps a size to the number of groups that have it; `refusals` holds the first 100;
    `warnings` counts each kind of oddity by its name; `notes` says them as sentences for a person.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_rows: int
    n_rollouts: int
    n_groups: int
    group_sizes: Mapping[int, int]
    n_refused: int
    refusals: tuple[Refusal, ...] = ()
    warnings: Mapping[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class RowRefusedError(Exception):
    """Raised inside a format for a row that it cannot use; a reader turns it into a `Refusal`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


def clip(value: object) -> str:
    """`value` as short, printable ASCII: what a terminal may be shown of a stranger's file.

    Example:
        >>> clip("a" * 100)
        '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"...'
        >>> clip([1, None])
        '[1, null]'
    """
    if isinstance(value, str):  # cut first: a response may be megabytes long
        shown = json.dumps(value[:MAX_CLIP_CHARS])
        return shown if len(value) <= MAX_CLIP_CHARS else f"{shown}..."
    if isinstance(value, (list, tuple, dict)) and len(value) > MAX_CLIP_CHARS:
        return f"a {'dict' if isinstance(value, dict) else 'list'} of {len(value)} items"
    try:
        shown = json.dumps(value, default=str)
    except (ValueError, RecursionError):
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= MAX_CLIP_CHARS else f"{shown[:MAX_CLIP_CHARS]}..."


SENTENCES = {
    "rewritten_rows": "rows that repeat an earlier one byte for byte, id included; kept, so counted twice",
    "duplicate_ids": "rows with the id of an earlier row and other content (two runs in one file?); kept",
    "targets_differ_in_group": "groups whose rollouts have different targets; the first rollout's stands",
    "prompts_differ_in_group": "groups whose rollouts have different prompts under one id; the id decides",
    "prompt_with_two_ids_and_targets": "prompts under two ids with different targets; one of them is wrong",
    "group_id_shared_by_prompts": "rows that share their group id with another prompt or step; kept apart",
    "rows_without_prompt": "rows with neither prompt nor id; each is a group of its own",
    "reward_not_a_number": "rewards that are words or empty; read as unknown, not as 0",
    "reward_nan": "rewards that are NaN; read as unknown, not as 0",
    "reward_infinite": "rewards that are infinite or beyond a float; read as unknown",
    "reward_not_scalar": "rewards that are a list or a dict instead of one number; read as unknown",
    "rewards_not_aligned": "lists of rewards that are not one a response; read as unknown",
    "target_not_text": "targets that are neither text nor a specification; read as unknown",
    "attempts_that_failed": "attempts that failed or were not scored; their reward is unknown, not 0",
    "tokens_not_aligned": "token ids or log-probabilities that are not one array of numbers; left out",
}
"""What each kind of warning means, before its count."""


def warning_notes(warnings: Mapping[str, int]) -> list[str]:
    """`warnings` as sentences that end in their counts."""
    return [f"{SENTENCES.get(kind, kind)}: {count}" for kind, count in warnings.items() if count]


Tally = Counter[str]
"""Counts of warnings by kind; a reader fills one a pass."""
