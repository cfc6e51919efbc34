"""Step scores of a process reward model that a vLLM server runs: `prm.get("vllm_server", address=…, …)`."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import ArgumentError
from ...verifiers.arguments import whole
from ...verifiers.workers.ahead import asked_ahead
from ..base import StepRow, StepScore
from ..hf.families import Family
from .attempts import Call, Patience
from .endpoint import Endpoint
from .failures import NOT_THE_ROWS, PASSING, NoAnswerError
from .protocol import completions_body, next_token_tops, pooled_rows, pooling_body, served_models
from .questions import Question, family_of, load_encoder, question_of, row_scores
from .readings import at_positions, label_scores, token_scores

__all__ = ["VllmServerScorer"]

_TOP = 20
"""vLLM's `--max-logprobs` unless told otherwise."""

Ask = Callable[[Question], list[StepScore]]


class VllmServerScorer:
    """Asks a vLLM server for the scores of each row; ids are made here, and never cut.

    Classifiers of tokens (`qwen`, `trl`) are asked at `/pooling`, one request a row; language models (`math_shepherd`,
    `rlhflow`) at `/v1/completions`, one request a row with a prompt for each step, which the server's prefix cache
    makes cheap. What each server is to be started with: docs/learned_scorers.md.

    Every call first asks what is served, and tries the model on four tokens: which of them come back tells whether
    it pools every token or the family's tag, and any other set-up is an error before the first row. Later on nothing
    raises: a row that gets no answer, or one that does not fit, has scores without a value that say why.

    Args:
        address: `http://host:8000`.
        model: as the server calls it (`--served-model-name`, or what it was started with).
        family: how the model is asked, of `hf.families.FAMILIES`, or a variant of your own.
        tokenizer: a folder or a model of the hub; None takes `model`.
        revision: of the tokenizer's repository on the hub.
        max_tokens: steps whose position lies beyond it are not scored (`too_long`); None takes what the server says.
        api_key_env: the environment variable that holds the key, read at each call; unset, none is sent.
        concurrency: requests under way at once. The server batches what it has: too few leave it idle.
        timeout_s: for one attempt, from the connection to the last byte of the answer.
        connect_timeout_s: until the server accepts a connection.
        patience_s: for a row over all its attempts, and for a server that is silent to all rows, after which the rest
            of the call is given up. A server that is started again within it is used again.
        attempts: how often a row is asked that the server answers with 429 or 5xx.
        first_wait_s: before the second attempt; later waits double, with jitter, and `Retry-After` is kept.
        max_answer_bytes: the longest answer that is read.

    Raises:
        MissingExtraError: transformers, which reads tokenizers, is not installed.
        ArgumentError: an option breaks its rule, or the tokenizer is another family's.

    Attributes:
        version: names the family and the model as the server calls it: whoever serves another under that name has to
            empty a cache that was filled before.
        transient_rules: rules of scores that are missing for no fault of the row's; a cache keeps none.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        family: str | Family,
        tokenizer: str | Path | None = None,
        revision: str | None = None,
        max_tokens: int | None = None,
        api_key_env: str = "VLLM_API_KEY",
        concurrency: int = 32,
        timeout_s: float = 120.0,
        connect_timeout_s: float = 5.0,
        patience_s: float = 300.0,
        attempts: int = 5,
        first_wait_s: float = 0.25,
        max_answer_bytes: int = 64 << 20,
    ) -> None:
        for name, value in (("model", model), ("api_key_env", api_key_env)):
            if not isinstance(value, str) or not value:
                raise ArgumentError(f"{name}: expected a name, got {value!r}")
        self._model, self._api_key_env = model, api_key_env
        self._limits = (connect_timeout_s, max_answer_bytes)
        self._patience = Patience(timeout_s, patience_s, attempts, first_wait_s)
        self._concurrency = whole("concurrency", concurrency, at_least=1)
        self._max_tokens = None if max_tokens is None else whole("max_tokens", max_tokens, at_least=1)
        self._address = Endpoint(address, None, *self._limits).address
        self._encoder = load_encoder(tokenizer or model, family_of(family), revision=revision)
        # What is too long for this server may fit the next one.
        self.transient_rules = NOT_THE_ROWS | ({"too_long"} if max_tokens is None else set())
        self.version = f"1 {self._encoder.family.name} {model} {max_tokens or 'unlimited'}"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row, in order.

        The rule of a score is `learned`, with the log-odds as its detail. Without a value, of a step: `empty_step`,
        `too_long`, `not_finite`, `missing_logprob`; of a row: `unreachable`, `timeout`, `server_error`, `refused`,
        `unreadable_answer`, `wrong_length`, `wrong_labels`, `not_probabilities`.

        Safe from several threads, and within a running event loop, which waits meanwhile.

        Raises:
            ArgumentError: at the start of a call, the server refuses the key, does not serve the model, or is not
                set up for the family.
        """
        if not rows:
            return []
        call = Call(Endpoint(self._address, os.environ.get(self._api_key_env) or None, *self._limits), self._patience)
        try:
            ask, limit = self._set_up(call)
        except NoAnswerError as error:
            ask, limit = _always(error), self._max_tokens or _UNKNOWN
        encodings: list[list[int | None]] = []

        def questions() -> Iterator[Question]:
            for row in rows:
                encoded = self._encoder.encode(row)
                encodings.append(encoded.positions)
                yield question_of(encoded, limit)

        answers = asked_ahead(
            _caught(ask), questions(), threads=max(1, min(self._concurrency, len(rows))), stop=call.stop
        )
        return [row_scores(encodings[number], limit, learned) for number, (_, learned) in enumerate(answers)]

    def _set_up(self, call: Call) -> tuple[Ask, int]:
        """How a row is asked here, and how many tokens it may have.

        Raises:
            NoAnswerError: the server gave no answer, which another day it may.
            ArgumentError: it did, and it is not the one that is needed.
        """
        try:
            models = served_models(call.answer("/v1/models"))
            if self._model not in models:
                raise ArgumentError(f"model: expected one that is served ({', '.join(models)}), got {self._model!r}")
            is_classifier = self._encoder.label_ids is None
            ask = self._classifier(call) if is_classifier else self._language_model(call)
        except NoAnswerError as error:
            if error.rule in PASSING:
                raise
            raise ArgumentError(
                f"address: expected a vLLM server set up for the family {self._encoder.family.name}, got {error}"
            ) from error
        # A language model needs room for the token that it is asked for.
        served = models[self._model]
        limits = [self._max_tokens, None if served is None else served - (not is_classifier)]
        return ask, min((limit for limit in limits if limit is not None), default=_UNKNOWN)

    def _classifier(self, call: Call) -> Ask:
        family, tag = self._encoder.family, self._encoder.marks.tag[-1]

        def pooled(ids: Sequence[int]) -> Any:
            return pooled_rows(call.answer("/pooling", pooling_body(self._model, ids)))

        # Three tags and another token: four rows are those of all tokens, three those of the tags.
        tried = Question([tag, tag, tag, 0 if tag else 1], (0, 1, 2))
        rows = pooled(tried.ids)
        pooled_tag = tag if isinstance(rows, list) and len(rows) == 3 else None
        try:
            label_scores(at_positions(rows, tried, tag=pooled_tag), family)
        except NoAnswerError as error:
            wanted = f'{{"tok_pooling_type": "ALL"}}, or "STEP" with "step_tag_id": {tag}'
            raise NoAnswerError(error.rule, f"{error.detail}; start it with --pooler-config {wanted}") from None

        def ask(question: Question) -> list[StepScore]:
            return label_scores(at_positions(pooled(question.ids), question, tag=pooled_tag), family)

        return ask

    def _language_model(self, call: Call) -> Ask:
        family, labels = self._encoder.family, self._encoder.label_ids
        assert labels is not None

        def ask(question: Question) -> list[StepScore]:
            body = completions_body(self._model, question.ids, question.positions, labels, top=_TOP)
            answer = call.answer("/v1/completions", body)
            return token_scores(next_token_tops(answer, len(question.positions)), labels, family)

        ask(Question([labels[0]], (0,)))
        return ask


_UNKNOWN = 1 << 62
"""Tokens, where nobody says how many a model takes: the server then refuses what is too long."""


def _always(error: NoAnswerError) -> Ask:
    def ask(_: Question) -> list[StepScore]:
        raise error

    return ask


def _caught(ask: Ask) -> Callable[[Question], list[StepScore] | NoAnswerError]:
    """`ask`, with a failure as its answer: one row's is no other row's."""

    def answer(question: Question) -> list[StepScore] | NoAnswerError:
        if not question.positions:
            return []
        try:
            return ask(question)
        except NoAnswerError as error:
            return error

    return answer
