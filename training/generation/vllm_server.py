"""Completions sampled by a vLLM server, over HTTP; new weights through a folder that it can read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from torch import nn

from ...errors import ArgumentError, WorkerError
from ...prm.vllm.attempts import Call, Patience
from ...prm.vllm.endpoint import Endpoint
from ...prm.vllm.failures import NoAnswerError
from ...prm.vllm.protocol import served_models
from ...verifiers.arguments import whole
from ...verifiers.workers.ahead import asked_ahead
from ..base import Sampled, Sampling
from .token_rules import token_rules
from .vllm_answers import completion_rows, completions_body, sampled_of, sampling_params
from .weights import WeightsFolder

__all__ = ["VllmServerGenerator"]

_AS_IT_STARTED = "default"
"""The version of weights that nobody has named, in vLLM 0.32."""


class VllmServerGenerator:
    """Asks a vLLM server for completions, one request a prompt, at `/v1/completions`.

    The server has to be started with `--logprobs-mode processed_logprobs`, which is tried before the first call; for
    `push` with `VLLM_SERVER_DEV_MODE=1` in its environment, on a machine that sees the folder `weights_in`. What is
    pushed is named there: a server that was started again meanwhile, with the weights of its own start, is given the
    newest before it is asked, and what it answered in between is asked anew.

    Not one generator's alone: two that push to one server take it from each other, which each of them notices.

    Args:
        model: of transformers, whose weights the server was started with.
        tokenizer: of transformers.
        address: `http://host:8000`.
        served_model: as the server calls it (`--served-model-name`, or what it was started with).
        end_ids, forbidden_ids: tokens that end a completion, and tokens that are never drawn; see `token_rules`.
        weights_in: a folder for the weights that the server reads; None: one of this machine's.
        api_key_env: the environment variable that holds the key, read at each call; unset, none is sent.
        concurrency: requests under way at once.
        patience: how long and how often the server is asked.
        max_answer_bytes: the longest answer that is read: about 60 bytes a token.

    Raises:
        ArgumentError: no end token is known, or an option breaks its rule.

    Attributes:
        policy_version: of the weights that the next completion is sampled from; 0 before the first push.
        owns_weights: True: an update may run meanwhile.
        n_restarts: how often the server was found with other weights than ours.
    """

    owns_weights = True

    def __init__(
        self,
        model: nn.Module,
        tokenizer: Any,
        *,
        address: str,
        served_model: str,
        end_ids: Sequence[int] | None = None,
        forbidden_ids: Sequence[int] | None = None,
        weights_in: str | Path | None = None,
        api_key_env: str = "VLLM_API_KEY",
        concurrency: int = 256,
        patience: Patience | None = None,
        max_answer_bytes: int = 1 << 30,
    ) -> None:
        self._served_model, self._tokenizer = served_model, tokenizer
        self._rules = token_rules(model, tokenizer, end_ids=end_ids, forbidden_ids=forbidden_ids)
        self._concurrency = whole("concurrency", concurrency, at_least=1)
        self._api_key_env, self._max_answer_bytes = api_key_env, max_answer_bytes
        self._patience = Patience(timeout_s=3600.0, patience_s=3600.0) if patience is None else patience
        self._address = Endpoint(address, None, max_answer_bytes=max_answer_bytes).address
        self._weights_in = weights_in
        self._weights: WeightsFolder | None = None
        self._lock = Lock()
        self._own_name, self._weights_name = uuid4().hex, _AS_IT_STARTED
        self._is_tried = False
        self.policy_version = self.n_restarts = 0

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        """`counts[i]` completions of the i-th prompt. Calls from several threads wait for each other.

        Raises:
            ArgumentError: as `TokenRules.check`; the server does not serve the model, refuses the key, or is not set
                up to tell the log-probabilities of what it samples.
            WorkerError: the server gave no answer, or none that can be used, as long as `patience` lasts.
        """
        self._rules.check(prompt_ids, counts, sampling, seed=seed)
        asked = [number for number, count in enumerate(counts) if count]
        found: list[list[Sampled]] = [[] for _ in prompt_ids]
        if not asked:
            return found
        bodies = [
            completions_body(
                self._served_model,
                prompt_ids[number],
                sampling_params(sampling, self._rules, seed, number, counts[number]),
            )
            for number in asked
        ]
        with self._lock:
            rows = self._with_our_weights(lambda call: self._rows(call, bodies))
        for number, samples in zip(asked, rows, strict=True):
            found[number] = [sampled_of(row, self._rules, self._tokenizer) for row in samples]
        return found

    def push(self, model: nn.Module, *, policy_version: int) -> None:
        """Sample from the weights of `model` from now on.

        Raises:
            ArgumentError: a model that transformers cannot save, or a server that takes no weights.
            OSError: no room for the weights.
            WorkerError: the server gave no answer.
        """
        with self._lock:
            if self._weights is None:
                self._weights = WeightsFolder(model, self._weights_in)
            self._weights.write(model)
            # From here on no completion is of older ones: where the server fails, the next call tells it again.
            self._weights_name = f"{self._own_name}-{policy_version}"
            self.policy_version = policy_version
            try:
                self._reload(self._call())
            except NoAnswerError as error:
                raise _named(error) from error

    def close(self) -> None:
        """Delete the weights that were written; the server is not ours to end."""
        if self._weights is not None:
            self._weights.remove()

    def _call(self) -> Call:
        key = os.environ.get(self._api_key_env) or None
        return Call(Endpoint(self._address, key, max_answer_bytes=self._max_answer_bytes), self._patience)

    def _with_our_weights(self, ask: Callable[[Call], list[Any]]) -> list[Any]:
        call = self._call()
        try:
            if not self._is_tried:
                self._try(call)
                self._is_tried = True
            for _ in range(self._patience.attempts):
                self._have_our_weights(call)
                answers = ask(call)
                if self._has_our_weights(call):
                    return answers
            raise WorkerError(f"vLLM: {self._address} has other weights than ours again and again")
        except NoAnswerError as error:
            raise _named(error) from error

    def _rows(self, call: Call, bodies: Sequence[dict[str, Any]]) -> list[Any]:
        def ask(body: dict[str, Any]) -> list[Any]:
            return completion_rows(call.answer("/v1/completions", body), body["n"])

        answers = asked_ahead(ask, bodies, threads=min(self._concurrency, len(bodies)), stop=call.stop)
        return [rows for _, rows in answers]

    def _has_our_weights(self, call: Call) -> bool:
        if self._weights is None:
            return True
        answer = call.answer("/weight_info")
        return isinstance(answer, dict) and answer.get("weight_version") == self._weights_name

    def _have_our_weights(self, call: Call) -> None:
        if not self._has_our_weights(call):
            self.n_restarts += 1
            self._reload(call)

    def _reload(self, call: Call) -> None:
        assert self._weights is not None
        folder = {"weights_path": str(self._weights.path)}
        call.answer("/collective_rpc", {"method": "reload_weights", "kwargs": folder})
        if call.answer("/reset_prefix_cache", {}).get("success") is not True:
            raise NoAnswerError("server_error", "vLLM did not let go of its prefix cache: it is asked by others too")
        call.answer("/update_weight_version", {"new_version": self._weights_name})

    def _try(self, call: Call) -> None:
        """One token whose distribution is cut to one: its log-probability is 0, unless another one's is reported."""
        models = served_models(call.answer("/v1/models"))
        if self._served_model not in models:
            served = ", ".join(models)
            raise ArgumentError(f"served_model: expected one that is served ({served}), got {self._served_model!r}")
        sampling = Sampling(max_tokens=1, temperature=2.0, top_k=1)
        params = sampling_params(sampling, self._rules, 0, 0, 1)
        body = completions_body(self._served_model, [self._rules.end_ids[0]], params)
        (((_, (logprob,), _),),) = self._rows(call, [body])
        if abs(logprob) > 1e-4:
            wanted = "a vLLM server started with --logprobs-mode processed_logprobs"
            raise ArgumentError(f"address: expected {wanted}, got one that tells other log-probabilities")


def _named(error: NoAnswerError) -> WorkerError | ArgumentError:
    if error.rule == "refused":
        return ArgumentError(f"address: expected a vLLM server in VLLM_SERVER_DEV_MODE=1 that takes this, got {error}")
    return WorkerError(f"vLLM: {error}")
