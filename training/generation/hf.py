"""Completions sampled by transformers, with the weights that are trained or with a copy of them."""

import copy as copying
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from ...errors import ArgumentError
from ...verifiers.arguments import whole
from ..base import Sampled, Sampling
from .chunks import Chunk, chunks
from .decoding import decode
from .draws import uniforms
from .token_rules import token_rules

__all__ = ["HfGenerator"]


class HfGenerator:
    """Samples from a causal language model of transformers, in batches, with a cache of keys and values.

    Every completion has random numbers of its own, by the seed, the number of its prompt and which sample it is. How
    rows are batched therefore decides nothing but the last bits of the model's own sums: the same call with another
    `token_budget` gives log-probabilities equal to about 1e-6 (in float32), and another token only where a random
    number lies that close to the boundary between two. The same call gives the same answer, bit for bit, on a CPU
    with the same number of threads.

    One call at a time. While it runs, the model is in evaluation mode (no dropout); then each module is as it was.

    Args:
        model: under peft or a wrapper or bare; on whatever device, in whatever dtype it is.
        tokenizer: of transformers.
        copy: sample from a copy of the weights, which `push` brings up to date; else from the model itself, which is
            as new as its last update, pushed or not.
        end_ids, forbidden_ids: tokens that end a completion, and tokens that are never drawn; see `token_rules`.
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
        self._rules = token_rules(model, tokenizer, end_ids=end_ids, forbidden_ids=forbidden_ids)
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
                `max_tokens`; a count or a seed below 0; logits that are not finite.
        """
        self._rules.check(prompt_ids, counts, sampling, seed=seed)
        found: list[list[Sampled]] = [[] for _ in prompt_ids]
        lengths = list(map(len, prompt_ids))
        parts = chunks(lengths, counts, max_tokens=sampling.max_tokens, token_budget=self._token_budget)
        with _evaluating(self._model):
            for chunk in parts:
                sampled = self._sampled(chunk, [prompt_ids[prompt] for prompt in chunk.prompts], sampling, seed)
                for (place, _), one in zip(chunk.rows, sampled, strict=True):
                    found[chunk.prompts[place]].append(one)
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
                    f"model: expected one with the parameters of the copy, got others: {error}"
                ) from None
        elif next(model.parameters()) is not next(self._model.parameters()):
            raise ArgumentError("model: expected the one that it was made with, got another; copy=True takes one")
        self.policy_version = policy_version

    def close(self) -> None:
        """Nothing: the model is the caller's, and a copy goes with this object."""

    def _sampled(
        self, chunk: Chunk, prompt_ids: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> Iterator[Sampled]:
        device = next(self._model.parameters()).device
        forbidden = self._rules.forbidden_ids
        numbers = [uniforms(seed, chunk.prompts[place], sample, sampling.max_tokens) for place, sample in chunk.rows]
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._autocast is not None):
            decoded = decode(
                self._model,
                prompt_ids,
                [place for place, _ in chunk.rows],
                np.stack(numbers),
                sampling,
                end_ids=torch.tensor(self._rules.end_ids, device=device),
                forbidden=torch.tensor(forbidden, device=device) if forbidden else None,
            )
        for ids, logprobs, length, is_finished in zip(*decoded, strict=True):
            token_ids = tuple(ids[:length].tolist())
            text = self._tokenizer.decode(token_ids, skip_special_tokens=True)
            yield Sampled(token_ids, tuple(logprobs[:length].tolist()), text, "stop" if is_finished else "length")


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
