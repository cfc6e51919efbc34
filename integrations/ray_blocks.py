"""What becomes of a block of rows: verdicts or step scores, as the local command writes them, as a table of Arrow.

A `Question` is built by the caller and travels to the actors; `opened` there, it holds the verifier or the scorer, and
the killable workers and sandboxes that these start. Needs no Ray.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from ..prm import get as get_scorer
from ..prm.base import StepScorer
from ..prm.scored_rows import scored_rows
from ..prm.steps import Rule
from ..rollouts.records import Rollout
from ..rollouts.refusals import Refusal
from ..rollouts.writing import step_scores_row
from ..verifiers.base import Verifier, get, verifiers
from ..verifiers.functions import FunctionVerifier
from ..verifiers.verdict_rows import verdict_rows
from ..verifiers.workers.held import InHeldWorkers
from .outcome_verifier import name_of

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Opened", "Question", "ScoreQuestion", "VerdictQuestion", "table_of"]

Rows = Sequence[Rollout | Refusal]
Answers = tuple[list[dict[str, Any]], Counter[str]]
Opened = Callable[[Rows], Answers]
"""Rows of the output for rows of the input, numbered from 0, and what they come to."""


class Question(Protocol):
    """What is asked about every row."""

    def opened(self) -> Opened:
        """What answers it, in the process where this is called."""
        ...

    def schema(self) -> "pyarrow.Schema":
        """Of the answers."""
        ...


@dataclass(frozen=True)
class VerdictQuestion:
    """Whether each response is right.

    Args:
        verifier: a registered name, `pkg.mod:fn`, `path/file.py:fn`, or an object, which is judged by in a killable
            process of its own unless it has its own.
        options: of a verifier given by name.
        timeout_s: seconds that one call of a function, or one row of an object, may take.
    """

    verifier: str | Verifier
    options: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 30.0

    def built(self) -> Verifier:
        """The verifier.

        Raises:
            UnknownNameError: no verifier has that name.
            InputError: the function cannot be found, imported or called.
            ArgumentError: an option is out of range, or an object cannot be shipped to a worker.
        """
        verifier = self.verifier
        if not isinstance(verifier, str):
            if getattr(verifier, "runs_in_workers", False):
                return verifier
            return InHeldWorkers(verifier, workers=1, timeout_s=self.timeout_s)
        if ":" in verifier and verifier not in verifiers:
            return FunctionVerifier(verifier, workers=1, timeout_s=self.timeout_s, **self.options)
        return get(verifier, **self.options)

    def opened(self) -> Opened:
        judge = self.built()
        name = self.verifier if isinstance(self.verifier, str) else name_of(self.verifier)

        def answers(rows: Rows) -> Answers:
            found = list(verdict_rows(rows, judge, name=name))
            counts = Counter(row["outcome"] for row in found)
            counts["refused_rows"] = sum(isinstance(row, Refusal) for row in rows)
            counts["unscored"] = sum(row["reward"] is None for row in found)
            return found, counts

        return answers

    def schema(self) -> "pyarrow.Schema":
        import pyarrow as pa

        return pa.schema(
            {
                "file": pa.string(),
                "row": pa.int64(),
                "line": pa.int64(),
                "prompt_id": pa.string(),
                "outcome": pa.string(),
                "reward": pa.float64(),
                "extracted": pa.string(),
                "span": pa.list_(pa.int64()),
                "rule": pa.string(),
                "detail": pa.string(),
                "seconds": pa.float64(),
                "verifier": pa.string(),
                "version": pa.string(),
            }
        )


@dataclass(frozen=True)
class ScoreQuestion:
    """What a step scorer says of every step.

    Args:
        scorer: a registered name, or an object.
        options: of a scorer given by name.
        split: where steps begin.
        batch: rows that the scorer is asked about together.
    """

    scorer: str | StepScorer
    options: Mapping[str, Any] = field(default_factory=dict)
    split: Rule = "auto"
    batch: int = 64

    def built(self) -> StepScorer:
        """The scorer.

        Raises:
            UnknownNameError: no scorer has that name.
            ArgumentError: an option is out of range.
        """
        return get_scorer(self.scorer, **self.options) if isinstance(self.scorer, str) else self.scorer

    def opened(self) -> Opened:
        scorer = self.built()
        name = self.scorer if isinstance(self.scorer, str) else type(scorer).__name__
        transient = getattr(scorer, "transient_rules", frozenset[str]())

        def answers(rows: Rows) -> Answers:
            counts, found = Counter[str](), list[dict[str, Any]]()
            for number, one in enumerate(scored_rows(rows, scorer, split=self.split, batch=self.batch)):
                steps = one.written
                found.append(step_scores_row(one.rollout, row=number, steps=steps, scorer=name, version=scorer.version))
                counts["refused_rows"] += isinstance(one.rollout, Refusal)
                counts["without_text"] += steps is None
                for step in steps or ():
                    counts["steps"] += 1
                    counts["steps_scored"] += step["score"] is not None
                    counts["steps_out_of_reach"] += step["score"] is None and step["rule"] in transient
            return found, counts

        return answers

    def schema(self) -> "pyarrow.Schema":
        import pyarrow as pa

        step = pa.struct(
            {
                "start": pa.int64(),
                "end": pa.int64(),
                "score": pa.float64(),
                "rule": pa.string(),
                "detail": pa.string(),
            }
        )
        return pa.schema(
            {
                "file": pa.string(),
                "row": pa.int64(),
                "line": pa.int64(),
                "prompt_id": pa.string(),
                "steps": pa.list_(step),
                "problem": pa.string(),
                "scorer": pa.string(),
                "version": pa.string(),
            }
        )


def table_of(rows: Sequence[dict[str, Any]], schema: "pyarrow.Schema") -> "pyarrow.Table":
    """Rows as a table. A reward that is not finite is null; half a surrogate pair, which has no UTF-8, is U+FFFD."""
    import pyarrow as pa

    try:
        return pa.Table.from_pylist([_finite(row) for row in rows], schema=schema)
    except (UnicodeError, pa.ArrowInvalid):
        return pa.Table.from_pylist([_encodable(_finite(row)) for row in rows], schema=schema)


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    reward = row.get("reward")
    return row if reward is None or isfinite(reward) else {**row, "reward": None}


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {name: _encodable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value
