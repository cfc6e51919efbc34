"""Completions sampled by transformers, with the weights that are trained or with a copy of them."""

import copy as copying
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from ...errors import ArgumentError
from ...grpo.prefix_models import text_config
from ...verifiers.arguments import whole
from ..base import Sampled, Sampling
from .chunks import chunks
from .decoding import decode
from .draws import uniforms

__all__ = ["HfGenerator"]


class HfGenerator:
    """Samples from a causal language model of transformers, in batches, with a cache of keys and values.

    Every completion has random numbers of its own, by the seed, the number of its prompt and which sample it is. How
    rows are batched therefore decides nothing but the last bits of the model's own sums: the same call with another
    `token_budget` gives log-probabilities equal to about 1e-6, and another token only where a random number lies that
    close to the boundary between two. The same call on the same machine gives the same answer, bit for bit.

    One call at a time. While it runs, the model is in evaluation mode (no dropout); then each module is as it was.

    Args:
        model: under peft or a wrapper or bare; on whatever device, in whatever dtype it is.
        tokenizer: of transformers.
        copy: sample from a copy of the weights, which `push` brings up to date; else from the model itself, which is
            as new as its last update, pushed or not.
        end_ids: tokens that end a completion; None: the tokenizer's end token, and those of the model's
            `generation_config`.
        forbidden_ids: tokens that are never drawn; None: the tokenizer's padding token, unless it ends completions.
        token_budget: tokens, of prompts and completions at their longest, whose keys and values are held at once.
        autocast: `"bfloat16"`: products in bfloat16 over the model's own weights; None: in the weights' dtype. As the
            update is told, or its log-probabilities are of another policy.

    Raises:
        ArgumentError: no end token is known, or an option breaks its rule.

    Attributes:
        policy_version: of the weights that the next completion is sampled from; 0 before the first push.
        owns_weights: whether they are its own, so that an update may run meanwhile.
    """

    def __init__(
        self,
        model: nn.Module,
        tokenizer: Any,
        *,
        copy: bool = False,
        end_ids: Sequence[int] | None = None,
        forbidden_ids: Sequence[int] | None = None,
        token_budget: int = 1 << 16,
        autocast: Literal["bfloat16"] | None = None,
    ) -> None:
        self._config = text_config(model)
        self._end_ids = tuple(_end_ids(model, tokenizer) if end_ids is None else sorted(set(end_ids)))
        if not self._end_ids:
            raise ArgumentError("end_ids: expected at least one token, got none")
        pad = tokenizer.pad_token_id
        if forbidden_ids is None:
            forbidden_ids = [] if pad is None or pad in self._end_ids else [pad]
        self._forbidden_ids = tuple(sorted(set(forbidden_ids)))
        for name, ids in (("end_ids", self._end_ids), ("forbidden_ids", self._forbidden_ids)):
            self._check_ids(name, ids)
        if both := set(self._end_ids) & set(self._forbidden_ids):
            raise ArgumentError(f"forbidden_ids: expected none that ends a completion, got {min(both)}")
        if autocast not in ("bfloat16", None):
            raise ArgumentError(f"autocast: expected bfloat16 or None, got {autocast!r}")
        self._token_budget = whole("token_budget", token_budget, at_least=1)
        self._tokenizer, self._autocast = tokenizer, autocast
        # Its parameters go on asking for gradients: torch multiplies in another order by those that do not.
        self._model = copying.deepcopy(model) if copy else model
        self.owns_weights = copy
        self.policy_version = 0

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        """`counts[i]` completions of the i-th prompt.

        Raises:
            ArgumentError: a prompt that is empty, holds an id that the model has not, or leaves no room for
                `max_tokens`; a count below 0; a seed below 0; logits that are not finite.
        """
        self._check(prompt_ids, counts, sampling)
        whole("seed", seed, at_least=0)
        device = next(self._model.parameters()).device
        end_ids = torch.tensor(self._end_ids, device=device)
        forbidden = torch.tensor(self._forbidden_ids, device=device) if self._forbidden_ids else None
        found: list[list[Sampled]] = [[] for _ in prompt_ids]
        lengths = list(map(len, prompt_ids))
        parts = chunks(lengths, counts, max_tokens=sampling.max_tokens, token_budget=self._token_budget)
        with _evaluating(self._model), self._autocasting(device):
            for chunk in parts:
                of = [chunk.prompts[place] for place, _ in chunk.rows]
                numbers = [
                    uniforms(seed, prompt, sample, sampling.max_tokens)
                    for prompt, (_, sample) in zip(of, chunk.rows, strict=True)
                ]
                decoded = decode(
                    self._model,
                    [prompt_ids[prompt] for prompt in chunk.prompts],
                    [place for place, _ in chunk.rows],
                    np.stack(numbers),
                    sampling,
                    end_ids=end_ids,
                    forbidden=forbidden,
                )
                for row, prompt in enumerate(of):
                    length = int(decoded.lengths[row])
                    token_ids = tuple(decoded.token_ids[row, :length].tolist())
                    found[prompt].append(
                        Sampled(
                            token_ids,
                            tuple(decoded.logprobs[row, :length].tolist()),
                            self._tokenizer.decode(token_ids, skip_special_tokens=True),
                            "stop" if decoded.is_finished[row] else "length",
                        )
                    )
        return found

    def push(self, model: nn.Module, *, policy_version: int) -> None:
        """Sample from the weights of `model` from now on.

        Raises:
            ArgumentError: without a copy, another model than the one that it was made with; with one, a model of other
                parameters.
        """
        if self.owns_weights:
            try:
                self._model.load_state_dict(model.state_dict())
            except RuntimeError as error:
                raise ArgumentError(
                    f"model: expected one with the parameters of the copy, got others ({error})"
                ) from None
        elif next(model.parameters()) is not next(self._model.parameters()):
            raise ArgumentError("model: expected the one that it was made with, got another; copy=True takes one")
        self.policy_version = policy_version

    def close(self) -> None:
        """Nothing: the model is the caller's, and a copy goes with this object."""

    def _autocasting(self, device: torch.device) -> torch.autocast:
        return torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._autocast is not None)

    def _check(self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling) -> None:
        if len(counts) != len(prompt_ids):
            raise ArgumentError(f"counts: expected {len(prompt_ids)}, one a prompt, got {len(counts)}")
        limit = getattr(self._config, "max_position_embeddings", None)
        for number, (ids, count) in enumerate(zip(prompt_ids, counts, strict=True)):
            whole(f"counts[{number}]", count, at_least=0)
            if not len(ids):
                raise ArgumentError(f"prompt_ids[{number}]: expected at least 1 token, got none")
            self._check_ids(f"prompt_ids[{number}]", ids)
            if limit is not None and len(ids) + sampling.max_tokens > limit:
                room = f"at most {limit - sampling.max_tokens} tokens (the model's {limit} less max_tokens)"
                raise ArgumentError(f"prompt_ids[{number}]: expected {room}, got {len(ids)}")

    def _check_ids(self, name: str, ids: Sequence[int]) -> None:
        for one in ids:
            if not 0 <= one < self._config.vocab_size:
                raise ArgumentError(f"{name}: expected ids in [0, {self._config.vocab_size}), got {one}")


def _end_ids(model: nn.Module, tokenizer: Any) -> list[int]:
    found = set()
    for module in model.modules():
        if hasattr(module, "generation_config"):
            ids = getattr(module.generation_config, "eos_token_id", None)
            found |= set(ids if isinstance(ids, list) else [ids])
    return sorted((found | {tokenizer.eos_token_id}) - {None})


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation mode; then each module's own mode again, which `model.train()` would make all alike."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
