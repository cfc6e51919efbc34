"""Results of the `verifiers` library's evaluations up to 0.1: `results.jsonl`, one row a rollout.

A row repeats its metrics at top level, and tells neither which of them are rewards nor their weights: both are worked
out from `reward`, which is their weighted sum. An attempt that failed has reward 0.0 and no completion: its reward is
unknown here, not 0. Before `example_id`, rows had an `id` that is wrong (it counts rows, not prompts), so they
belong together by their prompts. Source: PrimeIntellect-ai/verifiers 0.1.5 and 0.1.12.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import only_text, prompt_digest_id, prompt_identity, prompt_value, response_value
from ..values import is_small, name_value, number_value, reward_value, target_value, truncated_value
from .base import ReaderDefaults, Row, most
from .weights import weights_of_totals

MAX_ROWS_COMPARED = 20_000

_OWN = frozenset(
    {"id", "example_id", "prompt", "completion", "answer", "info", "task", "reward", "error", "error_chain"}
    | {"long_error_chain", "timing", "is_completed", "is_truncated", "stop_condition", "metrics", "tool_defs"}
    | {"token_usage", "generation_ms", "scoring_ms", "total_ms", "trajectory_id", "oai_tools", "advantage"}
)
"""Columns of the library's own: no metrics."""
_COUNTERS = frozenset({"num_turns", "total_tool_calls"})
"""Metrics that the library adds to every environment's."""
_META = ("id", "task", "info", "error", "error_chain", "stop_condition", "token_usage", "timing")


class Format:
    """Rows with `prompt`, `completion`, `reward` and `task` or the library's own flags."""

    name = "verifiers"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, _is_ours)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "VerifiersReader":
        return VerifiersReader()


class VerifiersReader(ReaderDefaults):
    """One row is one rollout."""

    has_named_rewards = True

    def __init__(self) -> None:
        self._metrics: dict[str, None] = {}
        self._rows: list[tuple[dict[str, float], float]] = []
        self._rewards: list[str] = []
        self._notes: list[str] = []

    @property
    def fields(self) -> Mapping[str, str]:
        return {
            "prompt": "prompt",
            "group_id": "example_id, else prompt",
            "response": "completion",
            "target": "answer",
            "rewards": ", ".join(("reward", *self._rewards)),
        }

    @property
    def notes(self) -> Sequence[str]:
        return self._notes

    def identity(self, row: Row) -> Identity:
        prompt = prompt_value(row.get("prompt"), "prompt")
        if prompt is None or "completion" not in row:
            raise RowRefusedError("completion", f"expected prompt and completion, got {clip(list(row))}")
        return Identity(prompt_digest_id(prompt_identity(prompt)), group=name_value(row.get("example_id")))

    def learn(self, row: Row, identity: Identity) -> None:
        metrics = _metrics(row)
        self._metrics.update(dict.fromkeys(metrics))
        reward = number_value(row.get("reward"))
        if reward is not None and _was_scored(row) and len(self._rows) < MAX_ROWS_COMPARED:
            self._rows.append((metrics, reward))

    def finish(self, *, ids_repeat: bool) -> None:
        names = list(self._metrics)
        parts = [[metrics.get(name, 0.0) for name in names] for metrics, _ in self._rows]
        weights = weights_of_totals(parts, [reward for _, reward in self._rows]) if names else None
        if weights is None:
            # No weighted sum: what could be a score stays one, a count or a length does not.
            is_score = [all(-1 <= part[place] <= 1 for part in parts) for place in range(len(names))]
            self._rewards = [name for name, fits in zip(names, is_score, strict=True) if fits]
            if names:
                self._notes.append(
                    "reward is no weighted sum of the metrics: those between -1 and 1 are read as rewards"
                )
            return
        self._rewards = [
            name
            for name, weight in zip(names, weights, strict=True)
            if not weight.is_settled or abs(weight.value) > 1e-6
        ]
        said = " + ".join(
            f"{weight.value:.4g} {name}" if weight.is_settled else f"? {name}"
            for name, weight in zip(names, weights, strict=True)
            if name in self._rewards
        )
        self._notes.append(f"reward = {said or '0'}, worked out from {len(parts)} rows: the file holds no weights")
        if others := [name for name in names if name not in self._rewards]:
            self._notes.append(f"metrics without weight in the reward: {', '.join(others)}")

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        metrics = _metrics(row)
        is_scored = _was_scored(row)
        if not is_scored:
            tally["attempts_that_failed"] += 1
        parts = {name: metrics.get(name) if is_scored else None for name in self._rewards if name != "reward"}
        usage = row.get("token_usage")
        n_tokens = number_value(usage.get("output_tokens")) if isinstance(usage, dict) else None
        meta: dict[str, Any] = {name: row[name] for name in _META if row.get(name) is not None and is_small(row[name])}
        meta |= {name: value for name, value in metrics.items() if name not in self._rewards}
        stop = name_value(row.get("stop_condition"))
        return [
            Rollout(
                prompt_id=identity.prompt_id or "",
                prompt=prompt_value(row.get("prompt"), "prompt"),
                response=only_text(
                    response_value(
                        row.get("completion") if is_scored else (row.get("completion") or None), "completion"
                    )
                ),
                target=target_value(row.get("answer"), tally),
                rewards={**parts, "reward": reward_value(row.get("reward"), tally) if is_scored else None},
                reward_name="reward",
                rollout_id=name_value(row.get("trajectory_id")),
                truncated=truncated_value(row.get("is_truncated"), None),
                finish_reason=stop,
                n_tokens=None if n_tokens is None else int(n_tokens),
                meta=meta,
                source=source,
            )
        ]


def _is_ours(row: Row) -> bool:
    has_turns = {"prompt", "completion", "reward"} <= row.keys() and isinstance(row["completion"], list | str)
    is_marked = "example_id" in row and ("is_completed" in row or "metrics" in row or "timing" in row)
    return has_turns and (is_marked or {"task", "generation_ms", "scoring_ms"} <= row.keys())


def _was_scored(row: Row) -> bool:
    """Whether there was a response to score: a failed attempt and a prompt that was too long have none."""
    if row.get("error") or row.get("stop_condition") == "prompt_too_long":
        return False
    return row.get("completion") not in (None, [])  # empty text is a response: the model said nothing


def _metrics(row: Row) -> dict[str, float]:
    """The numbers that the environment's functions returned, under `metrics` or (before it) at top level."""
    found = row.get("metrics")
    cells = found if isinstance(found, dict) else {name: cell for name, cell in row.items() if name not in _OWN}
    return {
        name: number
        for name, cell in cells.items()
        if name not in _COUNTERS and (number := number_value(cell)) is not None
    }
