"""One chunk of completions, token by token, with a cache of keys and values."""

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import ArgumentError
from ..base import Sampling
from .distribution import token_probabilities
from .draws import drawn

__all__ = ["Decoded", "decode"]

KEPT = 0.75
"""Finished rows are computed along until fewer than this share of rows is left: taking them out copies the cache."""


class Decoded(NamedTuple):
    """Completions of one chunk: B rows, up to T tokens each.

    Args:
        token_ids: (B, T) int64.
        logprobs: (B, T) float32.
        lengths: (B,) tokens that count, the end token among them.
        is_finished: (B,) bool, True where an end token was drawn.
    """

    token_ids: np.ndarray
    logprobs: np.ndarray
    lengths: np.ndarray
    is_finished: np.ndarray


@torch.no_grad()
def decode(
    model: nn.Module,
    prompt_ids: Sequence[Sequence[int]],
    prompt_of: Sequence[int],
    uniform: np.ndarray,
    sampling: Sampling,
    *,
    end_ids: Tensor,
    forbidden: Tensor | None,
) -> Decoded:
    """Sample a completion for every row.

    Each prompt goes through the model once, padded on the left; its cache is then copied to its rows.

    Args:
        model: a causal language model of transformers, in evaluation mode.
        prompt_ids: N prompts, none empty.
        prompt_of: (B,) the prompt of each row.
        uniform: (B, T) float64, the number that picks each token.
        end_ids: tokens that end a completion, on the model's device.
        forbidden: tokens that are never drawn.

    Raises:
        ArgumentError: the model's logits are not finite.
    """
    device = end_ids.device
    reader = _Reader(model)
    ids, mask = _left_padded(prompt_ids, device)
    is_padded = not bool(mask.all())
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    logits = reader.read(ids, mask if is_padded else None, positions)
    rows = torch.tensor(prompt_of, device=device)  # (B,) of the N prompts first, later of all rows
    if prompt_of != list(range(len(prompt_ids))):
        logits, mask, positions = logits[rows], mask[rows], positions[rows]
        reader.take(rows)
    position = positions[:, -1]
    numbers = torch.from_numpy(uniform).to(device)
    shape = (len(prompt_of), sampling.max_tokens)
    tokens = torch.zeros(shape, dtype=torch.long, device=device)
    logprobs = torch.zeros(shape, dtype=torch.float32, device=device)
    lengths = torch.full(shape[:1], sampling.max_tokens, device=device)
    has_ended = torch.zeros(shape[:1], dtype=torch.bool, device=device)
    rows = torch.arange(shape[0], device=device)  # those that are still computed
    active = torch.ones_like(rows, dtype=torch.bool)
    for step in range(sampling.max_tokens):
        probabilities = token_probabilities(logits, sampling, forbidden)
        token = drawn(probabilities, numbers[rows, step]).clamp(max=probabilities.shape[-1] - 1)
        probability = probabilities.gather(-1, token[:, None])[:, 0]
        tokens[rows, step] = token
        logprobs[rows, step] = probability.log()
        ends = active & torch.isin(token, end_ids)
        lengths[rows[ends]] = step + 1
        has_ended[rows[ends]] = True
        active &= ~ends
        # One question to the device a token. A logit that is not finite makes all probabilities of its row NaN.
        left, is_finite = torch.stack([active.sum(), (probability > 0).all()]).tolist()
        if not is_finite:
            raise ArgumentError(
                "model: expected finite logits, got others; have its weights, or activations, overflowed?"
            )
        if not left or step + 1 == sampling.max_tokens:
            break
        if left < KEPT * len(rows):
            keep = active.nonzero()[:, 0]
            reader.take(keep)
            rows, mask, position, token, active = (one[keep] for one in (rows, mask, position, token, active))
        position = position + 1
        mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=-1)
        logits = reader.read(token[:, None], mask if is_padded else None, position[:, None])
    return Decoded(*(one.cpu().numpy() for one in (tokens, logprobs, lengths, has_ended)))


class _Reader:
    """A model, and what it has read so far."""

    def __init__(self, model: nn.Module) -> None:
        self._model, self._cache, self._name = model, None, _cache_argument(model)

    def read(self, ids: Tensor, mask: Tensor | None, positions: Tensor) -> Tensor:
        """Logits (B, V) of the token behind the last of `ids`."""
        options = {self._name: self._cache, "use_cache": True, "logits_to_keep": 1}
        output: Any = self._model(input_ids=ids, attention_mask=mask, position_ids=positions, **options)
        self._cache = output[self._name]
        return output.logits[:, -1]

    def take(self, rows: Tensor) -> None:
        """Go on with these rows, any of them more than once."""
        assert self._cache is not None
        self._cache.reorder_cache(rows)


def _cache_argument(model: nn.Module) -> str:
    """`cache`, or `past_key_values` as transformers called it before, and other people still do."""
    for module in model.modules():
        names = inspect.signature(module.forward).parameters
        for name in ("cache", "past_key_values"):
            if name in names and "logits_to_keep" in names:
                return name
    raise ArgumentError(
        f"model: expected a forward with a cache and logits_to_keep, got {type(model).__name__} without"
    )


def _left_padded(prompt_ids: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    longest = max(map(len, prompt_ids))
    ids = torch.zeros(len(prompt_ids), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, one in enumerate(prompt_ids):
        ids[row, longest - len(one) :] = torch.as_tensor(one)
        mask[row, longest - len(one) :] = 1
    return ids.to(device), mask.to(device)
