"""A module that stands where vLLM would: the part of its offline interface that we call, over arithmetic.

Put `engine_stand_in` on the path and a worker imports this. Options of `LLM` make it misbehave at given tokens. It
keeps what it was asked and had not answered when it failed, as vLLM does, and answers it at the next call.
"""

import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

from stand_in_vllm import label_probabilities, next_logprobs


@dataclass
class PoolerConfig:
    tok_pooling_type: str | None = None


# `vllm.config` is where vLLM has it.
sys.modules["vllm.config"] = ModuleType("vllm.config")
vars(sys.modules["vllm.config"])["PoolerConfig"] = PoolerConfig


@dataclass
class PoolingParams:
    use_activation: bool | None = None


@dataclass
class SamplingParams:
    max_tokens: int
    temperature: float
    logprobs: int
    logprob_token_ids: list[int]
    detokenize: bool = True


class Rows(list):
    """As much of a tensor as is asked for."""

    def tolist(self) -> list[list[float]]:
        return list(self)


@dataclass
class LLM:
    """Scores by arithmetic. `at_token`: what happens at a token of that id (a string): die, hang, raise, short."""

    model: str
    runner: str
    dtype: str
    skip_tokenizer_init: bool
    max_model_len: int = 4096
    pooler_config: Any = None
    at_token: dict[str, str] = field(default_factory=dict)
    cannot_load: bool = False

    def __post_init__(self) -> None:
        if self.cannot_load:
            raise ValueError("no memory for the weights")
        self.model_config = SimpleNamespace(max_model_len=self.max_model_len)
        self._pending: list[list[int]] = []

    def encode(self, prompts: Any, *, pooling_params: Any, pooling_task: str, use_tqdm: bool) -> list[Any]:
        if self.runner != "pooling" or pooling_task != "token_classify" or self.pooler_config.tok_pooling_type != "ALL":
            raise ValueError("not set up to classify all tokens")
        outputs = []
        for ids in self._taken(prompts, longest=self.max_model_len):
            rows = [] if "short" in self._faults(ids) else label_probabilities(ids)
            outputs.append(SimpleNamespace(prompt_token_ids=ids, outputs=SimpleNamespace(data=Rows(rows))))
        return outputs

    def generate(self, prompts: Any, *, sampling_params: Any, use_tqdm: bool) -> list[Any]:
        if self.runner != "generate":
            raise ValueError("not set up to generate")
        outputs = []
        for ids in self._taken(prompts, longest=self.max_model_len - sampling_params.max_tokens):
            logprobs = next_logprobs(ids)
            wanted = [max(logprobs, key=logprobs.__getitem__), *sampling_params.logprob_token_ids]
            top = {token: SimpleNamespace(logprob=logprobs[token]) for token in wanted}
            outputs.append(SimpleNamespace(prompt_token_ids=ids, outputs=[SimpleNamespace(logprobs=[top])]))
        return outputs

    def _taken(self, prompts: Any, *, longest: int) -> list[list[int]]:
        self._pending += [list(prompt["prompt_token_ids"]) for prompt in prompts]
        for ids in self._pending:
            if len(ids) > longest:
                raise ValueError(f"the prompt is longer than {longest}")
            faults = self._faults(ids)
            if "die" in faults:
                os.kill(os.getpid(), signal.SIGKILL)
            if "hang" in faults:
                threading.Event().wait()
            if "raise" in faults:
                raise RuntimeError("a kernel failed")
        taken, self._pending = self._pending, []
        return taken

    def _faults(self, ids: list[int]) -> set[str]:
        return {fault for token, fault in self.at_token.items() if int(token) in ids}
