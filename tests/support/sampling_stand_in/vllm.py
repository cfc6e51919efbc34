"""A module that stands where vLLM would: the part of its offline interface that samples, over arithmetic.

Put `sampling_stand_in` on the path and a worker imports this. Options of `LLM` make it misbehave.
"""

import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from arithmetic_samples import arithmetic_samples, weights_in

# `vllm.platforms` is where vLLM has it.
sys.modules["vllm.platforms"] = ModuleType("vllm.platforms")
vars(sys.modules["vllm.platforms"])["current_platform"] = SimpleNamespace(is_cpu=lambda: False)


def SamplingParams(**options: Any) -> SimpleNamespace:  # noqa: N802
    return SimpleNamespace(**options)


@dataclass
class LLM:
    """Samples by arithmetic.

    Args:
        at_token: what happens at a prompt with a token of that id (a string): die, hang, raise, empty.
        dies_at_first: a file; where it is not, the first call makes it and ends the process.
        keeps_cache: whether the prefix cache cannot be reset.
        cannot_load: whether there is no memory for the weights.
    """

    model: str
    runner: str
    dtype: str
    skip_tokenizer_init: bool
    logprobs_mode: str
    seed: int
    max_model_len: int = 64
    at_token: dict[str, str] = field(default_factory=dict)
    dies_at_first: str | None = None
    keeps_cache: bool = False
    cannot_load: bool = False

    def __post_init__(self) -> None:
        if self.cannot_load:
            raise ValueError("no memory for the weights")
        if (self.runner, self.logprobs_mode) != ("generate", "processed_logprobs"):
            raise ValueError("not set up to tell what is sampled from")
        self.model_config = SimpleNamespace(max_model_len=self.max_model_len)
        self._weights = weights_in(self.model)

    def collective_rpc(self, method: str, *, kwargs: dict[str, Any]) -> None:
        if method != "reload_weights":
            raise ValueError(method)
        self._weights = weights_in(kwargs["weights_path"])

    def reset_prefix_cache(self) -> bool:
        return not self.keeps_cache

    def generate(self, prompts: Any, *, sampling_params: Any, use_tqdm: bool) -> list[Any]:
        if self.dies_at_first is not None and not Path(self.dies_at_first).exists():
            Path(self.dies_at_first).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return [self._output(one["prompt_token_ids"], p) for one, p in zip(prompts, sampling_params, strict=True)]

    def _output(self, ids: list[int], params: Any) -> Any:
        faults = {fault for token, fault in self.at_token.items() if int(token) in ids}
        if "die" in faults:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in faults:
            threading.Event().wait()
        if "raise" in faults:
            raise RuntimeError("a kernel failed")
        names = ("n", "seed", "max_tokens", "stop_token_ids")
        samples = arithmetic_samples(self._weights, ids, **{name: getattr(params, name) for name in names})
        outputs = []
        for index, (tokens, logprobs, reason) in enumerate(samples):
            tops = [{token: SimpleNamespace(logprob=one)} for token, one in zip(tokens, logprobs, strict=True)]
            if "empty" in faults:
                tokens, tops = [], []
            outputs.append(SimpleNamespace(index=index, token_ids=tokens, logprobs=tops, finish_reason=reason))
        return SimpleNamespace(prompt_token_ids=ids, outputs=outputs[::-1])
