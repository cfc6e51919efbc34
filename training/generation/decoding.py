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
    ids, mask = _left_padded(prompt_ids, device)
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    # A mask of ones would be read at every token and change nothing.
    is_padded = not bool(mask.all())
    reader = _Reader(model)
    logits = reader.read(ids, mask if is_padded else None, positions)
    of_row = torch.tensor(prompt_of, device=device)
    if list(prompt_of) != list(range(len(prompt_ids))):
        reader.take(of_row)
    logits, mask, position = logits[of_row], mask[of_row], positions[of_row, -1]
    found = _Found(len(prompt_of), sampling.max_tokens, end_ids)
    numbers = torch.from_numpy(uniform).to(device)
    for step in range(sampling.max_tokens):
        probabilities = token_probabilities(logits, sampling, forbidden)
        # Where a row is all NaN there is no such token; `add` sees it by its probability.
        token = drawn(probabilities, numbers[found.rows, step]).clamp(max=probabilities.shape[-1] - 1)
        left = found.add(step, token, probabilities.gather(-1, token[:, None])[:, 0])
        if not left or step + 1 == sampling.max_tokens:
            break
        if left < KEPT * len(token):
            keep = found.keep_active()
            reader.take(keep)
            mask, position, token = mask[keep], position[keep], token[keep]
        position = position + 1
        mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=-1)
        logits = reader.read(token[:, None], mask if is_padded else None, position[:, None])
    return found.decoded()


class _Found:
    """What B rows have so far. `rows` are those that are still computed, `is_active` which of them have not ended."""

    def __init__(self, count: int, max_tokens: int, end_ids: Tensor) -> None:
        device = end_ids.device
        self._end_ids = end_ids
        self._tokens = torch.zeros(count, max_tokens, dtype=torch.long, device=device)
        self._logprobs = torch.zeros(count, max_tokens, dtype=torch.float32, device=device)
        self._lengths = torch.full((count,), max_tokens, device=device)
        self._has_ended = torch.zeros(count, dtype=torch.bool, device=device)
        self.rows = torch.arange(count, device=device)
        self.is_active = torch.ones(count, dtype=torch.bool, device=device)

    def add(self, step: int, token: Tensor, probability: Tensor) -> int:
        """Note a token for every computed row; how many rows go on."""
        self._tokens[self.rows, step] = token
        self._logprobs[self.rows, step] = probability.log()
        ends = self.is_active & torch.isin(token, self._end_ids)
        self._lengths[self.rows[ends]] = step + 1
        self._has_ended[self.rows[ends]] = True
        self.is_active = self.is_active & ~ends
        # One question to the device a token. A logit that is not finite makes all probabilities of its row NaN.
        left, is_finite = torch.stack([self.is_active.sum(), (probability > 0).all()]).tolist()
        if not is_finite:
            raise ArgumentError(
                "model: expected finite logits, got others; have its weights, or activations, overflowed?"
            )
        return left

    def keep_active(self) -> Tensor:
        """Compute no other rows from now on; which of the computed ones these are."""
        keep = self.is_active.nonzero()[:, 0]
        self.rows, self.is_active = self.rows[keep], self.is_active[keep]
        return keep

    def decoded(self) -> Decoded:
        """All rows."""
        found = (self._tokens, self._logprobs, self._lengths, self._has_ended)
        return Decoded(*(one.cpu().numpy() for one in found))


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
