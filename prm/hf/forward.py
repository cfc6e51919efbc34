"""One bundle through the model: logits at the positions that are read, and nothing else kept.

Inputs are padded on the right and masked, so that a token stands where it would stand alone. What they share is
run once, and its keys and values are repeated for each of them.
"""

import inspect
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from transformers import DynamicCache

from .batches import Bundle, Input
from .loading import StepModel

__all__ = ["bundle_logits"]


@torch.inference_mode()
def bundle_logits(model: StepModel, inputs: Sequence[Input], bundle: Bundle) -> Iterator[tuple[int, list[list[float]]]]:
    """For each input of the bundle its number and its logits, one list a position; batch after batch."""
    prefix = _prefix(model, inputs[bundle.batches[0][0]].tokens[: bundle.shared]) if bundle.shared else None
    for numbers in bundle.batches:
        batch = [inputs[number] for number in numbers]
        logits = iter(_logits(model, batch, bundle.shared, prefix))
        for number, one in zip(numbers, batch, strict=True):
            yield number, [next(logits) for _ in one.positions]


def _logits(model: StepModel, batch: Sequence[Input], shared: int, prefix: DynamicCache | None) -> list[list[float]]:
    """The logits of every position of every input, in order."""
    lengths = [len(one) - shared for one in batch]
    ids = torch.zeros(len(batch), max(lengths), dtype=torch.long)  # (n, T); what stands in padding is never seen
    mask = torch.zeros(len(batch), shared + max(lengths), dtype=torch.long)  # 1 marks tokens, shared ones too
    for number, (one, length) in enumerate(zip(batch, lengths, strict=True)):
        ids[number, :length] = torch.tensor(one.tokens[shared:])
        mask[number, : shared + length] = 1
    read = [(number, place - shared) for number, one in enumerate(batch) for place in one.positions]
    rows, places = torch.tensor(read, device=model.device).unbind(1)
    options: dict[str, Any] = {"use_cache": False}
    if prefix is not None:
        repeated = deepcopy(prefix)  # the model appends to what it is given
        repeated.batch_repeat_interleave(len(batch))
        options = {"use_cache": True, _cache_argument(model.base): repeated}
    states = _states(model, ids, mask, options)  # (n, T, H)
    return model.head(states[rows, places].float()).tolist()


def _prefix(model: StepModel, ids: npt.NDArray[np.int32]) -> DynamicCache:
    """Keys and values of the tokens that a bundle begins with."""
    cache = DynamicCache(config=model.base.config)
    some = torch.tensor(ids, dtype=torch.long)[None]
    _states(model, some, torch.ones_like(some), {"use_cache": True, _cache_argument(model.base): cache})
    return cache


def _states(model: StepModel, ids: Tensor, mask: Tensor, options: dict[str, Any]) -> Tensor:
    place = model.device
    return model.base(input_ids=ids.to(place), attention_mask=mask.to(place), **options).last_hidden_state


def _cache_argument(base: Any) -> str:
    """transformers renamed the argument in 5.2x, and drops the old name in 5.40."""
    return "cache" if "cache" in inspect.signature(base.forward).parameters else "past_key_values"
