"""What vLLM is asked for, offline or over HTTP, and what its answer has to be."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import WorkerError
from ...prm.vllm.failures import NoAnswerError
from ..base import Sampled, Sampling
from .token_rules import TokenRules

__all__ = ["completion_rows", "completions_body", "sampled_of", "sampling_params"]

_NEVER = -100.0
"""Added to the logit of a forbidden token: as low as an HTTP request may ask for, and e^-100 is nothing in float32."""


def sampling_params(sampling: Sampling, rules: TokenRules, seed: int, prompt: int, count: int) -> dict[str, Any]:
    """Arguments of the `SamplingParams` of one prompt. Whatever a checkpoint's `generation_config` may set is said.

    Args:
        prompt: its number in the call; with `seed` it decides the random numbers. vLLM adds the sample's number.
        count: how many samples.
    """
    own_seed = int(np.random.SeedSequence([seed, prompt]).generate_state(1, np.uint64)[0]) >> 2
    return {
        "n": count,
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k or 0,
        "min_p": 0.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "repetition_penalty": 1.0,
        "seed": own_seed,
        "logprobs": 0,  # of the sampled token alone
        "ignore_eos": True,
        "stop_token_ids": list(rules.end_ids),
        "logit_bias": dict.fromkeys(rules.forbidden_ids, _NEVER) or None,
    }


def completions_body(served_model: str, prompt_ids: Sequence[int], params: Mapping[str, Any]) -> dict[str, Any]:
    """A request to `/v1/completions` for token ids and the log-probabilities of them."""
    # The second: tokens are named by their ids too, which a server without a tokenizer can.
    ids = {"return_token_ids": True, "return_tokens_as_token_ids": True}
    return {"model": served_model, "prompt": list(prompt_ids), **ids, **params}


def completion_rows(answer: Any, count: int) -> list[list[Any]]:
    """Of each choice in order: token ids, their log-probabilities, and why it ended.

    Raises:
        NoAnswerError: it is not an answer to `completions_body`.
    """
    try:
        choices = sorted(answer["choices"], key=lambda choice: choice["index"])
        rows = [
            [list(choice["token_ids"]), list(choice["logprobs"]["token_logprobs"]), choice["finish_reason"]]
            for choice in choices
        ]
    except (TypeError, KeyError) as error:
        detail = f"expected choices with token_ids and logprobs ({type(error).__name__}: {error})"
        raise NoAnswerError("unreadable_answer", f"{detail}, got {str(answer)[:100]!r}", was_heard=True) from None
    if [choice["index"] for choice in choices] != list(range(count)):
        raise NoAnswerError("wrong_length", f"expected {count} choices, got {len(choices)}", was_heard=True)
    return rows


def sampled_of(row: Sequence[Any], rules: TokenRules, tokenizer: Any) -> Sampled:
    """One completion.

    Args:
        row: token ids, their log-probabilities, and why it ended.

    Raises:
        WorkerError: it is none: an end where no end token is, or log-probabilities that are not.
    """
    ids, logprobs, reason = row
    has_ended = bool(ids) and ids[-1] in rules.end_ids
    # The last token that is allowed may be an end token too: whatever vLLM calls that, it is an end.
    is_one = len(ids) == len(logprobs) and (has_ended or reason == "length")
    if not ids or not is_one:
        raise WorkerError(f"vLLM: expected a completion with its log-probabilities, got {len(ids)} tokens ({reason})")
    if not all(isinstance(value, float | int) and value <= 0 for value in logprobs):
        raise WorkerError("vLLM: expected log-probabilities, got others; have weights, or activations, overflowed?")
    text = tokenizer.decode(ids, skip_special_tokens=True)
    return Sampled(tuple(ids), tuple(map(float, logprobs)), text, "stop" if has_ended else "length")
