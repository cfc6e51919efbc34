"""Completions sampled by vLLM's offline engine, in a process of its own that is told of new weights."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from torch import nn

from ...errors import MissingExtraError, WorkerDiedError, WorkerError, WorkerTimeoutError
from ...prm.vllm.engine_options import engine_options
from ...verifiers.arguments import positive, whole
from ...verifiers.isolation import Workers
from ..base import Sampled, Sampling
from .token_rules import token_rules
from .vllm_answers import sampled_of, sampling_params
from .weights import WeightsFolder

__all__ = ["VllmGenerator"]

_ENGINE = "rewardgate.training.vllm_engine"
_OURS = frozenset(
    {"model", "dtype", "max_model_len", "runner", "pooling", "skip_tokenizer_init", "logprobs_mode", "seed"}
)


class VllmGenerator:
    """Samples with vLLM in a worker process, which may crash, hang or be killed.

    vLLM is imported there only. The engine is started at the first call, with the newest weights; a worker that dies
    is replaced, and the call that it died of made again: the same seed gives the same completions. Each completion
    has a random generator of its own, so vLLM's batching decides nothing but the last bits of its sums.

    On one GPU the engine shares the memory with the trainer: `engine={"gpu_memory_utilization": 0.4}`.

    Args:
        model: of transformers, under peft or a wrapper or bare; its weights are written to `weights_in`, and read
            there by vLLM, now and at every `push`.
        tokenizer: of transformers.
        dtype: of vLLM's weights and products, as vLLM takes it; None: that of the model's own. What the trainer
            computes in another precision has other log-probabilities.
        max_model_len: tokens of a prompt with its completion; None: what the model was made for, for which vLLM has
            to find memory.
        end_ids, forbidden_ids: tokens that end a completion, and tokens that are never drawn; see `token_rules`.
        engine: further arguments of `vllm.LLM`, plain data.
        weights_in: a folder for the weights; None: in memory, where there is room for them twice.
        timeout_s: seconds that one call may take.
        start_timeout_s: seconds until the weights are loaded, at the start and at a push.
        restarts: how often in one call a worker that died is replaced.

    Raises:
        MissingExtraError: vLLM is not installed.
        ArgumentError: no end token is known, or an option breaks its rule.

    Attributes:
        policy_version: of the weights that the next completion is sampled from; 0 before the first push.
        owns_weights: True: an update may run meanwhile.
        n_restarts: how often a worker was replaced so far.
    """

    owns_weights = True

    def __init__(
        self,
        model: nn.Module,
        tokenizer: Any,
        *,
        dtype: str | None = None,
        max_model_len: int | None = None,
        end_ids: Sequence[int] | None = None,
        forbidden_ids: Sequence[int] | None = None,
        engine: Mapping[str, Any] | None = None,
        weights_in: str | Path | None = None,
        timeout_s: float = 3600.0,
        start_timeout_s: float = 1800.0,
        restarts: int = 1,
    ) -> None:
        if find_spec("vllm") is None:
            raise MissingExtraError("vllm: vLLM is not installed; pip install 'rewardgate[vllm]'")
        limit = None if max_model_len is None else whole("max_model_len", max_model_len, at_least=2)
        self._rules = token_rules(model, tokenizer, end_ids=end_ids, forbidden_ids=forbidden_ids, limit=limit)
        self._tokenizer = tokenizer
        self._timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
        self._start_timeout_s = positive("start_timeout_s", start_timeout_s, what="number of seconds")
        self._restarts = whole("restarts", restarts, at_least=0)
        further = engine_options(engine or {}, ours=_OURS)
        self._weights = WeightsFolder(model, weights_in)
        self._weights.write(model)
        settings = {
            "model": str(self._weights.path),
            "dtype": dtype or str(next(model.parameters()).dtype).removeprefix("torch."),
            "pooling": False,
            "logprobs_mode": "processed_logprobs",
            "seed": 0,
            **further,
        }
        if limit is not None:
            settings["max_model_len"] = limit
        self._options = json.dumps(settings)
        # Weights are mapped and drivers reserve; a limit of ours on memory would only break them.
        self._workers = Workers(memory_bytes=None)
        self._lock = Lock()
        self._written = 0
        self.policy_version = self.n_restarts = 0

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        """`counts[i]` completions of the i-th prompt. Calls from several threads wait for each other.

        Raises:
            ArgumentError: as `TokenRules.check`.
            WorkerError: the model cannot be loaded, the engine raised, or it died more than `restarts` times; the
                message is vLLM's. The next call starts another.
        """
        self._rules.check(prompt_ids, counts, sampling, seed=seed)
        asked = [number for number, count in enumerate(counts) if count]
        prompts = [list(prompt_ids[number]) for number in asked]
        params = [sampling_params(sampling, self._rules, seed, number, counts[number]) for number in asked]
        with self._lock:
            rows = self._called("sampled", prompts, params) if asked else []
        found: list[list[Sampled]] = [[] for _ in prompt_ids]
        for number, samples in zip(asked, rows, strict=True):
            found[number] = [sampled_of(row, self._rules, self._tokenizer) for row in samples]
        return found

    def push(self, model: nn.Module, *, policy_version: int) -> None:
        """Sample from the weights of `model` from now on.

        Raises:
            ArgumentError: a model that transformers cannot save.
            OSError: no room for the weights; vLLM still has the older ones.
            WorkerError: vLLM could not load them.
        """
        with self._lock:
            self._weights.write(model)
            # From here on no completion is of older ones: where the engine fails, the next call has it load again.
            self._written += 1
            self.policy_version = policy_version
            self._called("load")

    def close(self) -> None:
        """End the worker, and delete the weights that were written."""
        self._workers.close(for_good=True)
        self._weights.remove()

    def _called(self, function: str, *arguments: Any) -> Any:
        """What the engine's function returns, with the newest weights; asked again where its worker died."""
        asked = (self._options, self._written)
        for left in range(self._restarts, -1, -1):
            try:
                limit = self._workers.call(f"{_ENGINE}:load", *asked, timeout_s=self._start_timeout_s)
                if function == "load":
                    return limit
                return self._workers.call(f"{_ENGINE}:{function}", *asked, *arguments, timeout_s=self._timeout_s)
            except WorkerDiedError:
                self.n_restarts += 1
                if not left:
                    raise
            except WorkerTimeoutError:
                raise
            except WorkerError:
                # It lives on, and may still hold what it was asked.
                self._workers.close()
                raise
        raise AssertionError
