"""How far the sampler is from the trainer, measured on a few rows of every step before the weights move."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ...grpo import LmHead, hidden_states, selected_logprobs
from ...rollouts.records import Rollout
from ..config import RunConfig
from ..generation import SamplerMismatch, sampler_mismatch
from ..groups.judging import JudgedGroup

__all__ = ["measured_mismatch"]


def measured_mismatch(
    model: nn.Module, head: LmHead, groups: Sequence[JudgedGroup], config: RunConfig, *, policy_version: int
) -> SamplerMismatch:
    """The mismatch over `monitor.mismatch_rows` rows, one of each group in turn, each at the temperature that it has.

    Rows of older weights are passed over: what separates them from the trainer is the lag, and `update/sampler_…` has
    both together. No row: figures of 0 tokens.

    Args:
        model, head: that is trained, and `grpo.head_of` it.
        groups: of the batch.
        policy_version: of the model's weights now.
    """
    found: list[tuple[Tensor, Tensor]] = []
    with torch.no_grad(), _autocast(config, head.weight.device):
        for one, rollout in _rows(groups, config.monitor.mismatch_rows, policy_version):
            temperature = float(rollout.meta.get("temperature", config.sampling.temperature))
            found.append((_rescored(model, head, one, rollout, temperature), torch.as_tensor(rollout.rollout_logprobs)))
    if not found:
        nothing = torch.zeros(1, 1)
        return sampler_mismatch(nothing, nothing, nothing.bool())
    old, rollout_logprobs = (
        pad_sequence([pair[place].double() for pair in found], batch_first=True) for place in (0, 1)
    )
    lengths = torch.tensor([len(pair[0]) for pair in found])
    # Of weights that have broken the update says so, which goes on without them; a measurement ends no run.
    mask = (torch.arange(old.shape[1])[None] < lengths[:, None]) & old.isfinite()  # (b, T)
    cap = config.loss.importance_cap
    return sampler_mismatch(old, rollout_logprobs, mask, **({} if cap is None else {"cap": cap}))


def _rows(groups: Sequence[JudgedGroup], count: int, policy_version: int) -> list[tuple[JudgedGroup, Rollout]]:
    """The first rows of all groups, then the second ones, …: so many."""
    fresh = [
        [(one, row) for row in one.group.rollouts if row.policy_version == policy_version and row.token_ids is not None]
        for one in groups
    ]
    longest = max(map(len, fresh), default=0)
    in_turn = [rows[place] for place in range(longest) for rows in fresh if place < len(rows)]
    return in_turn[:count]


def _rescored(model: nn.Module, head: LmHead, one: JudgedGroup, rollout: Rollout, temperature: float) -> Tensor:
    """(T,) log-probabilities of a completion, by the trainer."""
    device = head.weight.device
    prompt = torch.tensor(one.prompt.token_ids, device=device)
    completion = torch.as_tensor(rollout.token_ids, device=device)
    row = torch.cat([prompt, completion])
    hidden = hidden_states(model, row[None])[0, len(prompt) - 1 : -1]  # (T, H), of the position before each token
    return selected_logprobs(hidden, completion, head, temperature=temperature)[0].cpu()


def _autocast(config: RunConfig, device: torch.device) -> Any:
    if config.update.autocast is None:
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)
