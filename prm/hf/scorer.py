"""Step scores of a process reward model whose weights run here, through transformers."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from ...errors import ArgumentError, MissingExtraError
from ..base import StepRow, StepScore
from .batches import Input, bundles
from .families import Family
from .formatting import problem_text

try:
    from .forward import bundle_logits
    from .loading import load_model
except ImportError as error:
    raise MissingExtraError(f"hf: {error.name or error} is not installed; pip install 'rewardgate[torch]'") from error

__all__ = ["HfScorer"]

_WINDOW = 1024
"""Rows that are encoded before the first of them is scored: enough to sort by length, and no more is held."""


class HfScorer:
    """Scores steps with a learned process reward model.

    Args:
        model: a local folder, or the id of a model on the hub.
        family: how the model is asked, of `families.FAMILIES`, or a variant of your own; "auto" where the
            checkpoint's configuration proves it (`qwen`, `trl`, `skywork`). `math_shepherd` and `rlhflow` are
            language models like any other, and must be named.
        device: "auto" takes the first CUDA device, or else the CPU.
        dtype: of the base model: "float32", "bfloat16", "float16"; "auto" is float32 on a CPU and bfloat16 elsewhere.
            Heads and probabilities are computed in float32 and float64.
        batch_tokens: the most tokens that go through the model at once, padding included.
        max_tokens: steps whose position lies beyond it are not scored (`too_long`); None takes what the model was
            made for. Nothing is ever cut to fit.
        reuse: whether the tokens that several rows of a prompt share are computed once.
        revision: of the hub's repository: a branch, a tag or a commit.
        progress: show a bar on stderr.

    One call of `score` runs at a time; threads that call it together wait for each other.

    Raises:
        ArgumentError: there is no such model; weights, tokenizer and family do not fit together; or an option breaks
            its rule.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        family: str | Family = "auto",
        device: str = "auto",
        dtype: str = "auto",
        batch_tokens: int = 16_384,
        max_tokens: int | None = None,
        reuse: bool = True,
        revision: str | None = None,
        progress: bool = False,
    ) -> None:
        for name, number in (("batch_tokens", batch_tokens), ("max_tokens", max_tokens)):
            if number is not None and number < 1:
                raise ArgumentError(f"{name}: expected a positive number, got {number}")
        self._model = load_model(model, family=family, device=device, dtype=dtype, revision=revision)
        longest = self._model.longest
        if max_tokens and longest and max_tokens > longest:
            raise ArgumentError(
                f"max_tokens: expected at most {longest} (beyond, this model's positions turn on the other rows), "
                f"got {max_tokens}"
            )
        self._batch_tokens = batch_tokens
        self._reuse = reuse
        self._limit = max_tokens or self._model.max_tokens or sys.maxsize
        self.progress = progress
        self._lock = Lock()
        self.version = f"{self._model.version}:{self._limit}"

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer, of Hugging Face."""
        return self._model.encoder.tokenizer

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        The rule of a score is `learned`, with the log-odds as its detail. Without a value: `empty_step` (white space
        only: it is left out of what the model reads), `too_long` (its position lies beyond `max_tokens`),
        `not_finite` (a logit is NaN or infinite).
        """
        with self._lock, _bar(is_shown=self.progress) as bar:
            bar.add_task("rows", total=len(rows))
            windows = (rows[start : start + _WINDOW] for start in range(0, len(rows), _WINDOW))
            return [scores for window in windows for scores in self._window_scores(window, bar)]

    def _window_scores(self, rows: Sequence[StepRow], bar: Any) -> list[list[StepScore]]:
        positions: list[list[int | None]] = []
        inputs: dict[Input, list[int]] = {}  # what the model reads, and the rows that it is read for
        for number, row in enumerate(rows):
            encoded = self._model.encoder.encode(row)
            positions.append(encoded.positions)
            read = [place for place in encoded.positions if place is not None and place < self._limit]
            if read:
                inputs.setdefault(Input.of(encoded.ids, read, problem_text(row.prompt)), []).append(number)
        learned: list[dict[int, StepScore]] = [{} for _ in rows]  # by position
        bar.advance(0, len(rows) - sum(map(len, inputs.values())))
        distinct = list(inputs)
        for bundle in bundles(distinct, batch_tokens=self._batch_tokens, reuse=self._reuse):
            for number, logits in bundle_logits(self._model, distinct, bundle):
                one = distinct[number]
                said = map(self._model.encoder.family.score, logits)
                by_position = dict(zip(one.positions, said, strict=True))
                for row in inputs[one]:
                    learned[row] = by_position
                bar.advance(0, len(inputs[one]))
        return [
            [self._step_score(place, said) for place in read] for read, said in zip(positions, learned, strict=True)
        ]

    def _step_score(self, position: int | None, learned: Mapping[int, StepScore]) -> StepScore:
        if position is None:
            return StepScore(None, "empty_step", "nothing but white space")
        if position >= self._limit:
            return StepScore(None, "too_long", f"read at token {position + 1:,}, beyond {self._limit:,}")
        return learned[position]


def _bar(*, is_shown: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("rows scored"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not is_shown)
