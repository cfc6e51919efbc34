"""vLLM's offline engine, as the killable worker that holds it sees it: run there, never in the caller's process.

What goes in and comes out is plain data. An engine that failed once is not used again: requests that it still held
would come out with the next ones. So whatever raises here ends in a new worker.
"""

import json
import os
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["engine", "limit", "next_tops", "pooled"]


@cache
def engine(options: str) -> Any:
    """The `vllm.LLM` of these options, loaded at the first call."""
    # In this process, not in one more behind it: a failure then says why, and there is one process to kill.
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    settings = json.loads(options)
    if settings.pop("pooling"):
        # All tokens: where a row is read is told by its positions, whatever token a policy writes.
        every = import_module("vllm.config").PoolerConfig(tok_pooling_type="ALL")
        settings |= {"runner": "pooling", "pooler_config": every}
    else:
        settings |= {"runner": "generate"}
    # The caller has the tokenizer; ids are all that comes here.
    return import_module("vllm").LLM(skip_tokenizer_init=True, **settings)


def limit(options: str) -> int:
    """How many tokens the model takes; loads it at the first call.

    Args:
        options: JSON of what `vllm.LLM` is built with; in `pooling`, whether as a classifier of tokens.
    """
    return int(engine(options).model_config.max_model_len)


def pooled(options: str, ids: Sequence[Sequence[int]], positions: Sequence[Sequence[int]]) -> list[Any]:
    """For each input the rows at its positions; or, of an output that is not one row a token, how many it has."""
    params = import_module("vllm").PoolingParams(use_activation=True)
    outputs = engine(options).encode(
        [{"prompt_token_ids": list(one)} for one in ids],
        pooling_params=params,
        pooling_task="token_classify",
        use_tqdm=False,
    )
    _check(outputs, ids)
    found: list[Any] = []
    for output, one, read in zip(outputs, ids, positions, strict=True):
        rows = output.outputs.data.tolist()
        found.append([rows[place] for place in read] if len(rows) == len(one) else len(rows))
    return found


def next_tops(
    options: str, ids: Sequence[Sequence[int]], positions: Sequence[Sequence[int]], label_ids: Sequence[int]
) -> list[list[dict[str, float]]]:
    """For each input and position, log-probabilities of the token behind it, by token id (a string, as in JSON)."""
    params = import_module("vllm").SamplingParams(
        max_tokens=1,
        temperature=0.0,
        logprobs=len(label_ids),
        logprob_token_ids=list(label_ids),
        detokenize=False,
    )
    prompts = [list(one[: place + 1]) for one, read in zip(ids, positions, strict=True) for place in read]
    outputs = engine(options).generate(
        [{"prompt_token_ids": prompt} for prompt in prompts], sampling_params=params, use_tqdm=False
    )
    _check(outputs, prompts)
    said = iter(outputs)
    return [[_tops(next(said)) for _ in read] for read in positions]


def _tops(output: Any) -> dict[str, float]:
    return {str(token): found.logprob for token, found in output.outputs[0].logprobs[0].items()}


def _check(outputs: Sequence[Any], ids: Sequence[Sequence[int]]) -> None:
    got = [list(output.prompt_token_ids) for output in outputs]
    if got != [list(one) for one in ids]:
        raise RuntimeError(f"expected the outputs of {len(ids)} inputs, in order, got others ({len(got)})")
