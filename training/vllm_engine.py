"""vLLM's offline engine as a sampler, run in the killable worker that holds it, never in the caller's process.

What goes in and comes out is plain data. It stands outside `generation`, whose modules load torch before vLLM can say
how it wants it.

Source: vLLM 0.32, `LLM.generate`, `SamplingParams`, `Worker.reload_weights`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from ..prm.vllm.engine import engine

__all__ = ["load", "sampled"]


@dataclass
class _Loaded:
    llm: Any
    version: int


def load(options: str, version: int) -> int:
    """Have the weights that lie in the model's folder now; the most tokens that a row may have.

    Args:
        options: JSON of what `vllm.LLM` is built with.
        version: a number that changes whenever the folder does; one that is loaded already costs nothing.
    """
    loaded = _loaded(options, version)
    if loaded.version != version:
        loaded.version = -1  # what fails half-way is not either of them
        loaded.llm.collective_rpc("reload_weights", kwargs={"weights_path": json.loads(options)["model"]})
        if import_module("vllm.platforms").current_platform.is_cpu():
            loaded.llm.apply_model(_pack_tied_heads)
        # Keys and values of the older weights would go on being found by prompts.
        if not loaded.llm.reset_prefix_cache():
            raise RuntimeError("vLLM did not let go of its prefix cache")
        loaded.version = version
    return int(loaded.llm.model_config.max_model_len)


def sampled(
    options: str, version: int, prompts: Sequence[Sequence[int]], params: Sequence[dict[str, Any]]
) -> list[list[list[Any]]]:
    """For each prompt and sample: token ids, their log-probabilities, and why it ended.

    Args:
        params: arguments of each prompt's `SamplingParams`.
    """
    load(options, version)
    make = import_module("vllm").SamplingParams
    outputs = _loaded(options, version).llm.generate(
        [{"prompt_token_ids": list(ids)} for ids in prompts],
        sampling_params=[make(**one) for one in params],
        use_tqdm=False,
    )
    if [list(output.prompt_token_ids) for output in outputs] != [list(ids) for ids in prompts]:
        raise RuntimeError(f"expected the outputs of {len(prompts)} prompts, in order, got others ({len(outputs)})")
    return [[_row(row) for row in sorted(output.outputs, key=lambda row: row.index)] for output in outputs]


def _pack_tied_heads(model: Any) -> None:
    """On a CPU vLLM multiplies by packed copies of weights, and a reload packs those of a layer that is loaded.

    A head that is tied to the embeddings is not: its copy would stay that of the older weights.
    """
    of_weight: dict[int, list[Any]] = {}
    for layer in model.modules():
        if hasattr(layer, "weight"):
            of_weight.setdefault(id(layer.weight), []).append(layer)
    for tied in of_weight.values():
        for layer in tied if len(tied) > 1 else ():
            layer.quant_method.process_weights_after_loading(layer)


def _row(row: Any) -> list[Any]:
    ids = list(row.token_ids)
    logprobs = [place[token].logprob for place, token in zip(row.logprobs, ids, strict=True)]
    return [ids, logprobs, row.finish_reason]


@cache
def _held(options: str) -> list[_Loaded]:
    return []


def _loaded(options: str, version: int) -> _Loaded:
    held = _held(options)
    if not held:
        # Whoever starts finds the newest weights in the folder.
        held.append(_Loaded(engine(options), version))
    return held[0]
