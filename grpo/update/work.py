"""A batch on the model's device, padding replaced, with all that the loss's options need."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ...errors import ArgumentError
from ..loss_config import LossConfig
from .batch import UpdateBatch
from .row_tokens import RowTokens

__all__ = ["Work", "work_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Tensors (B, T) with 0 at padding, in the precision of the loss; `counts` is the completion mask."""

    tokens: RowTokens
    counts: Tensor
    advantages: Tensor
    rollout_logprobs: Tensor | None
    old_logprobs: Tensor | None
    ref_logprobs: Tensor | None
    degenerate: Tensor | None


def work_of(
    batch: UpdateBatch, config: LossConfig, *, vocabulary: int, device: torch.device, precision: torch.dtype
) -> Work:
    """Raises ArgumentError where an option needs a tensor that the batch lacks, or an id is no token of the model."""
    if not isinstance(batch, UpdateBatch):
        raise ArgumentError(f"batch: expected an UpdateBatch, got {type(batch).__name__}")
    needs = [
        ("rollout_logprobs", 'ratio_against="rollout"', config.ratio_against == "rollout"),
        ("rollout_logprobs", f'importance="{config.importance}"', config.importance in ("token", "sequence")),
        ("rollout_logprobs", "importance_cap", config.importance_cap is not None),
        ("degenerate", "kl_on_degenerate=False", config.beta > 0 and not config.kl_on_degenerate),
    ]
    for name, reason, is_needed in needs:
        if is_needed and getattr(batch, name) is None:
            raise ArgumentError(f"{name}: expected a tensor with {reason}, got None")
    tokens = batch.tokens(device)
    every = torch.cat([*tokens.prompts, *tokens.completions])
    lowest, highest = torch.stack(every.aminmax()).tolist()
    if lowest < 0 or highest >= vocabulary:
        raise ArgumentError(
            f"prompt_ids, completion_ids: expected ids in [0, {vocabulary}), got {lowest if lowest < 0 else highest}"
        )
    counts = batch.completion_mask
    assert counts is not None
    counts = counts.to(device)

    def at_tokens(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.detach().to(device, precision).where(counts, 0)

    advantages = batch.advantages
    advantages = at_tokens(advantages[:, None].expand(counts.shape) if advantages.ndim == 1 else advantages)
    assert advantages is not None
    return Work(
        tokens,
        counts,
        advantages,
        at_tokens(batch.rollout_logprobs),
        at_tokens(batch.old_logprobs) if config.ratio_against == "old" else None,
        at_tokens(batch.ref_logprobs),
        None if batch.degenerate is None else batch.degenerate.to(device),
    )
