"""Step scores of a process reward model in vLLM's offline engine: `prm.get("vllm", model=…, family=…)`."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from ...errors import MissingExtraError, WorkerDiedError, WorkerError, WorkerTimeoutError
from ...verifiers.arguments import positive, whole
from ...verifiers.isolation import Workers
from ..base import StepRow, StepScore
from ..hf.families import Family
from .engine_options import engine_options
from .failures import NOT_THE_ROWS, NoAnswerError
from .questions import Question, family_of, load_encoder, question_of, row_scores
from .readings import label_scores, token_scores

try:
    from ..hf.checkpoint import find_checkpoint
except ImportError as error:
    raise MissingExtraError(f"vllm: {error.name or error} is not installed; pip install 'rewardgate[vllm]'") from error

__all__ = ["VllmScorer"]

_ENGINE = "rewardgate.prm.vllm.engine"
_OURS = frozenset({"model", "dtype", "max_model_len", "runner", "pooler_config", "skip_tokenizer_init", "pooling"})


_SHOWN_CHARS = 300

Answer = list[StepScore] | NoAnswerError


class VllmScorer:
    """Scores steps with a model that vLLM runs in a worker process, which may crash, hang or be killed.

    vLLM is imported there only. The model is loaded at the first call of `score` and stays until `close`, or until
    this process ends, however it ends. A worker that fails is replaced, and the rows that it had are asked again one
    by one: what fails again is reported, and no other row with it.

    Args:
        model: a local folder, or the id of a model on the hub.
        family: how the model is asked, of `hf.families.FAMILIES`, or a variant of your own.
        dtype: as vLLM takes it; its "auto" makes half precision of float32 weights.
        max_tokens: of an input, and vLLM's `max_model_len`; steps whose position lies beyond it are not scored
            (`too_long`). None takes what the model was made for, for which vLLM has to find memory.
        revision: of the hub's repository: a branch, a tag or a commit.
        engine: further arguments of `vllm.LLM`, plain data: `{"gpu_memory_utilization": 0.3, "enforce_eager": True}`.
        batch_rows: rows that the engine gets together; one that ends it costs them another run.
        timeout_s: seconds that so many rows may take.
        start_timeout_s: seconds until the model is loaded.
        restarts: how often in one call the worker is replaced before the rest is given up.

    Raises:
        MissingExtraError: vLLM or transformers is not installed.
        ArgumentError: there is no such model, its tokenizer is another family's, or an option breaks its rule.

    Attributes:
        version: names the family, the checkpoint's content, the dtype and a digest of `engine`.
        transient_rules: rules of scores that are missing for no fault of the row's; a cache keeps none.
    """

    transient_rules = NOT_THE_ROWS

    def __init__(
        self,
        model: str | Path,
        *,
        family: str | Family,
        dtype: str = "auto",
        max_tokens: int | None = None,
        revision: str | None = None,
        engine: Mapping[str, Any] | None = None,
        batch_rows: int = 256,
        timeout_s: float = 600.0,
        start_timeout_s: float = 1800.0,
        restarts: int = 4,
    ) -> None:
        if find_spec("vllm") is None:
            raise MissingExtraError("vllm: vLLM is not installed; pip install 'rewardgate[vllm]'")
        known = family_of(family)
        self._batch_rows = whole("batch_rows", batch_rows, at_least=1)
        self._restarts = whole("restarts", restarts, at_least=0)
        self._timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
        limit = None if max_tokens is None else whole("max_tokens", max_tokens, at_least=1)
        further = engine_options(engine or {}, ours=_OURS)
        checkpoint = find_checkpoint(model, revision)
        self._encoder = load_encoder(checkpoint.folder, known)
        is_classifier = self._encoder.label_ids is None
        settings = {"model": str(checkpoint.folder), "dtype": dtype, "pooling": is_classifier, **further}
        if limit is not None:
            # A language model needs room for the token that it is asked for.
            settings["max_model_len"] = limit + (not is_classifier)
        self._options = json.dumps(settings)
        self._workers = Workers(
            memory_bytes=None,  # weights are mapped and drivers reserve; a limit of ours would only break them
            start_timeout_s=positive("start_timeout_s", start_timeout_s, what="number of seconds"),
            warm_up=(f"{_ENGINE}:limit", self._options),
        )
        self._lock = Lock()
        self.version = f"1 {known.name} {checkpoint.digest} {dtype} {limit or 'unlimited'}"
        if further:  # a quantisation, for example, moves every score
            self.version += f" {sha256(json.dumps(further, sort_keys=True).encode()).hexdigest()[:12]}"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row, in order. Calls from several threads wait for each other.

        The rule of a score is `learned`, with the log-odds as its detail. Without a value, of a step: `empty_step`,
        `too_long`, `not_finite`, `missing_logprob`; of a row: `engine_failed` (it ended its worker, ran past the
        time, or raised), `wrong_length`, `wrong_labels`, `not_probabilities`.

        Raises:
            WorkerError: the model cannot be loaded; the message is vLLM's.
        """
        if not rows:
            return []
        with self._lock:
            limit = self._workers.call(f"{_ENGINE}:limit", self._options, timeout_s=self._timeout_s)
            limit -= self._encoder.label_ids is not None
            engine = _Engine(self._asked, self._workers, self._restarts)
            scores: list[list[StepScore]] = []
            for batch in _batches(rows, self._batch_rows):
                encodings = [self._encoder.encode(row) for row in batch]
                questions = [question_of(encoded, limit) for encoded in encodings]
                answers = engine.answers(questions)
                scores += [
                    row_scores(encoded.positions, limit, learned)
                    for encoded, learned in zip(encodings, answers, strict=True)
                ]
            return scores

    def close(self) -> None:
        """End the worker, which frees its memory; a later `score` starts another."""
        self._workers.close()

    def _asked(self, questions: Sequence[Question]) -> list[Answer]:
        """What the engine says of each.

        Raises:
            WorkerError: it failed.
        """
        ids, positions = [one.ids for one in questions], [one.positions for one in questions]
        family, labels = self._encoder.family, self._encoder.label_ids
        if labels is None:
            found = self._workers.call(f"{_ENGINE}:pooled", self._options, ids, positions, timeout_s=self._timeout_s)
            return [_labels(rows, question, family) for rows, question in zip(found, questions, strict=True)]
        arguments = (self._options, ids, positions, labels)
        found = self._workers.call(f"{_ENGINE}:next_tops", *arguments, timeout_s=self._timeout_s)
        return [
            token_scores([{int(token): value for token, value in top.items()} for top in tops], labels, family)
            for tops in found
        ]


class _Engine:
    """The worker during one call of `score`: every question gets an answer, were the worker to die of some."""

    def __init__(self, asked: Callable[[Sequence[Question]], list[Answer]], workers: Workers, restarts: int) -> None:
        self._asked, self._workers = asked, workers
        self._left = restarts
        self._given_up: NoAnswerError | None = None

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        found: list[Answer] = [[] for _ in questions]
        asked = [number for number, question in enumerate(questions) if question.positions]
        waiting = deque([asked] if asked else [])
        while waiting:
            numbers = waiting.popleft()
            if self._given_up is not None:
                for number in numbers:
                    found[number] = self._given_up
                continue
            try:
                said = self._asked([questions[number] for number in numbers])
            except WorkerError as error:
                self._failed(error)
                if len(numbers) > 1:
                    waiting.extend([number] for number in numbers)
                else:
                    found[numbers[0]] = NoAnswerError("engine_failed", _one_line(error))
            else:
                for number, one in zip(numbers, said, strict=True):
                    found[number] = one
        return found

    def _failed(self, error: WorkerError) -> None:
        # One that lives on after an error may still hold what it was asked; the others are replaced already.
        if not isinstance(error, WorkerDiedError | WorkerTimeoutError):
            self._workers.close()
        if self._left == 0:
            self._given_up = NoAnswerError(
                "engine_failed", f"given up after too many failures; last: {_one_line(error)}"
            )
        self._left -= 1


def _one_line(error: WorkerError) -> str:
    return " ".join(str(error).split())[:_SHOWN_CHARS]


def _labels(rows: Any, question: Question, family: Family) -> Answer:
    if not isinstance(rows, list):
        return NoAnswerError("wrong_length", f"expected {len(question.ids)} rows, one a token, got {rows}")
    try:
        return label_scores(rows, family)
    except NoAnswerError as error:
        return error


def _batches(rows: Sequence[StepRow], size: int) -> Iterator[list[StepRow]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch
