"""Write rollouts and verdicts as JSON lines that every reader can take.

Everything outside ASCII is escaped: a lone surrogate (a token cut inside an emoji) has no UTF-8 form, and
a raw U+2028 breaks rows for readers that split at every Unicode line end. NaN is never written.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from .formats.native import SCHEMA
from .records import Group, Rollout
from .refusals import Refusal

VERDICT_FIELDS = (
    *("row", "line", "prompt_id", "outcome", "reward", "extracted", "span", "rule", "detail", "seconds"),
    *("verifier", "version"),
)
"""The fields of a verdict's row, in order."""

ADVANTAGE_FIELDS = (
    *("row", "line", "prompt_id", "group_id", "kind", "reward", "unit", "advantages", "step_ids", "token_ids"),
    *("steps", "misfit"),
)
"""The fields of a row of advantages, in order."""

STEP_SCORE_FIELDS = ("row", "line", "prompt_id", "steps", "problem", "scorer", "version")
"""The fields of a row of step scores, in order."""

_ALWAYS = ("response", "target")
"""Written even where they are None."""
_ARRAYS = ("token_ids", "rollout_logprobs")


class VerdictLike(Protocol):
    """What is written of a verdict (`rewardgate.verifiers.Verdict` has it all)."""

    @property
    def outcome(self) -> str: ...
    @property
    def reward(self) -> float | None: ...
    @property
    def extracted(self) -> str | None: ...
    @property
    def span(self) -> tuple[int, int] | None: ...
    @property
    def rule(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def seconds(self) -> float: ...


def write_rollouts(path: str | Path, groups: Iterable[Group]) -> int:
    """Write `groups` as native rollouts, one a line; returns the number of lines.

    `source` is not written: a rollout's source is the file that it is read from.
    """
    n_lines = 0
    with Path(path).open("w", encoding="ascii", newline="\n") as file:
        for group in groups:
            for rollout in group.rollouts:
                write_row(file, rollout_row(rollout, group_id=group.group_id))
                n_lines += 1
    return n_lines


def rollout_row(rollout: Rollout, *, group_id: str | None = None) -> dict[str, Any]:
    """`rollout` as a native row: plain JSON values, without what nobody knows, but for response and target."""
    row: dict[str, Any] = {"schema": SCHEMA}
    if group_id is not None:
        row["group_id"] = group_id
    for name in Rollout.model_fields:
        value: Any = getattr(rollout, name)
        if name in _ARRAYS and value is not None:
            row[name] = value.tolist()
        elif name in _ALWAYS or (name != "source" and value is not None):
            row[name] = value
    return row


def verdict_row(
    verdict: VerdictLike,
    *,
    row: int,
    line: int,
    prompt_id: str | None,
    verifier: str,
    version: str,
) -> dict[str, Any]:
    """One row of the `verify` command's output, with exactly `VERDICT_FIELDS`.

    Args:
        row: 0-based number of the row in the output, refused rows counted.
        line: 1-based line in the input (row number for Parquet).
    """
    return {
        "row": row,
        "line": line,
        "prompt_id": prompt_id,
        "outcome": str(verdict.outcome).lower(),
        "reward": verdict.reward,
        "extracted": verdict.extracted,
        "span": None if verdict.span is None else list(verdict.span),
        "rule": verdict.rule,
        "detail": verdict.detail,
        "seconds": verdict.seconds,
        "verifier": verifier,
        "version": version,
    }


def advantage_row(
    rollout: Rollout,
    *,
    row: int,
    group_id: str,
    kind: str,
    reward: float | None,
    advantages: Sequence[float],
    step_ids: Sequence[int],
    token_ids: Sequence[int] | None,
    steps: Sequence[Mapping[str, Any]],
    misfit: str | None,
) -> dict[str, Any]:
    """One row of the `advantages` command's output, with exactly `ADVANTAGE_FIELDS`.

    Args:
        row: 0-based number of the row in the output.
        kind: the kind of the rollout's group.
        reward: the outcome reward that it was judged by.
        advantages, step_ids: (T,) one a token, and the step that it belongs to (-1: none); without token ids, one
            a step.
        steps: start and end in characters of the text, score, rule and detail; the last three None where the step
            scorer was not asked.
        misfit: why the tokens could not be laid on the text; they then belong to no step.
    """
    return {
        "row": row,
        "line": None if rollout.source is None else rollout.source.line,
        "prompt_id": rollout.prompt_id,
        "group_id": group_id,
        "kind": kind,
        "reward": reward,
        "unit": "step" if token_ids is None else "token",
        "advantages": list(advantages),
        "step_ids": list(step_ids),
        "token_ids": None if token_ids is None else list(token_ids),
        "steps": list(steps),
        "misfit": misfit,
    }


def step_scores_row(
    rollout: Rollout | Refusal,
    *,
    row: int,
    steps: Sequence[Mapping[str, Any]] | None,
    scorer: str,
    version: str,
) -> dict[str, Any]:
    """One row of the `score` command's output, with exactly `STEP_SCORE_FIELDS`.

    Args:
        row: 0-based number of the row in the output, refused rows counted.
        steps: start and end in characters of the text, score, rule and detail; None where there is no text.
    """
    if isinstance(rollout, Refusal):
        line, prompt_id, problem = rollout.line, None, f"{rollout.field}: {rollout.reason}"
    else:
        line, prompt_id = 0 if rollout.source is None else rollout.source.line, rollout.prompt_id or None
        problem = "no response" if steps is None else None
    return {
        "row": row,
        "line": line,
        "prompt_id": prompt_id,
        "steps": None if steps is None else list(steps),
        "problem": problem,
        "scorer": scorer,
        "version": version,
    }


def refusal_row(refusal: Refusal, *, row: int, verifier: str, version: str) -> dict[str, Any]:
    """The row of the `verify` command's output for an input row that could not be read: an error, unscored."""
    return {
        **dict.fromkeys(VERDICT_FIELDS),
        "row": row,
        "line": refusal.line,
        "outcome": "error",
        "rule": "refused_row",
        "detail": f"{refusal.field}: {refusal.reason}",
        "seconds": 0.0,
        "verifier": verifier,
        "version": version,
    }


def write_row(file: IO[str], row: Mapping[str, Any]) -> None:
    """Write one row and its line end."""
    file.write(row_text(row))
    file.write("\n")


def row_text(row: Mapping[str, Any]) -> str:
    """`row` as one line of ASCII JSON; a float that is not finite becomes null.

    Example:
        >>> row_text({"reward": float("nan"), "text": "\\ud83d"})
        '{"reward": null, "text": "\\\\ud83d"}'
    """
    try:
        return json.dumps(row, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(row), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
