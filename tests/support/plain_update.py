"""The plain way to update a policy: a row at a time, all logits, every row run; and batches to try both ways on."""

from copy import deepcopy
from typing import Any

import torch
from hypothesis import strategies as st
from small_models import VOCABULARY, small_model
from torch import Tensor, nn

from rewardgate.grpo import LossConfig
from rewardgate.grpo.update import UpdateBatch, UpdateConfig

T64 = torch.float64


def policy(family: str = "Qwen2", *, sharp: float = 30.0, **options: Any) -> Any:
    """In float64, with logits as far apart as a trained model's, so that ratios move within a step or two."""
    model = small_model(family, **options).double()
    with torch.no_grad():
        for one in model.parameters():
            if one.ndim == 2:
                one.mul_(sharp**0.5)
    return model


def batch_of(
    lengths: list[tuple[int, int]],
    *,
    seed: int = 0,
    dead: set[int] | frozenset[int] = frozenset(),
    by_token: bool = False,
    holes: bool = False,
    others: tuple[str, ...] = (),
) -> UpdateBatch:
    """Rows of (prompt, completion) lengths; the rows of `dead` have advantages of 0 and degenerate groups.

    `others` names what the batch brings beside: rollout_logprobs, old_logprobs, ref_logprobs. `holes`: some
    completion tokens do not count.
    """
    generator = torch.Generator().manual_seed(seed)

    def ids(length: int) -> Tensor:
        return torch.randint(3, VOCABULARY, (length,), generator=generator)

    width = max(completion for _, completion in lengths)
    size = (len(lengths), width)
    mask = torch.arange(width)[None] < torch.tensor([completion for _, completion in lengths])[:, None]
    advantages = torch.randn(size if by_token else size[:1], generator=generator, dtype=T64)
    if by_token:
        advantages[torch.rand(size, generator=generator) < 0.4] = 0.0
    advantages[sorted(dead)] = 0.0
    if holes:
        mask = mask & (torch.rand(size, generator=generator) < 0.7)
    degenerate = torch.zeros(len(lengths), dtype=torch.bool)
    degenerate[sorted(dead)] = True
    tensors = {name: -4 * torch.rand(size, generator=generator, dtype=T64) for name in others}
    for tensor in tensors.values():
        tensor[~mask] = float("nan")
    prompts, completions = [ids(prompt) for prompt, _ in lengths], [ids(completion) for _, completion in lengths]
    return UpdateBatch(prompts, completions, advantages, mask, degenerate=degenerate, **tensors)


@st.composite
def batches(draw: st.DrawFn, *, others: tuple[str, ...] = ()) -> UpdateBatch:
    lengths = draw(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6)), min_size=1, max_size=6))
    dead = draw(st.sets(st.integers(0, len(lengths) - 1)))
    return batch_of(
        lengths,
        seed=draw(st.integers(0, 99)),
        dead=dead,
        by_token=draw(st.booleans()),
        holes=draw(st.booleans()),
        others=others,
    )


def plain_logprobs(model: nn.Module, batch: UpdateBatch, row: int, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
    """(T_i,) log-probabilities and entropies of one row, from all logits."""
    prompt, completion = batch.prompt_ids[row], batch.completion_ids[row]
    assert isinstance(prompt, Tensor)
    assert isinstance(completion, Tensor)
    logits = model(input_ids=torch.cat([prompt, completion])[None]).logits[0, len(prompt) - 1 : -1]
    every = (logits / temperature).log_softmax(-1)
    return every.gather(-1, completion[:, None])[:, 0], -(every.exp() * every).sum(-1)


def plain_update(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: UpdateBatch,
    config: UpdateConfig,
    *,
    reference: nn.Module | None = None,
    parts: list[list[int]] | None = None,
) -> None:
    """Epochs and mini-batches in the batch's order; one backward pass of one loss each, written out as in the papers.

    Forms: clip with one of dual clip or none, gspo, cispo_band. Importance: by token or by sequence.
    """
    frozen = deepcopy(model)
    loss, count = config.loss, len(batch)
    cuts = [count * part // config.mini_batches for part in range(config.mini_batches + 1)]
    in_order = [list(range(cuts[part], cuts[part + 1])) for part in range(config.mini_batches)] * config.epochs
    for part in in_order if parts is None else parts:
        total = torch.zeros((), dtype=T64)
        for row in part:
            total = total + _row_loss(model, frozen, reference, batch, row, config) / _divisor(batch, part, loss)
        if not part or not bool(_has_gradient(batch, part, loss)):
            continue
        optimizer.zero_grad()
        total.backward()
        if config.max_grad_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.max_grad_norm)
        optimizer.step()


def _has_gradient(batch: UpdateBatch, part: list[int], loss: LossConfig) -> bool:
    assert batch.completion_mask is not None
    mask = batch.completion_mask[part]
    advantages = batch.advantages[part]
    gains = advantages[:, None].expand(mask.shape) if advantages.ndim == 1 else advantages
    return bool((mask & (gains != 0)).any()) or (bool(mask.any()) and (loss.beta > 0 or loss.entropy_coef > 0))


def _divisor(batch: UpdateBatch, part: list[int], loss: LossConfig) -> float:
    assert batch.completion_mask is not None
    mask = batch.completion_mask[part]
    if loss.reduction == "token_mean":
        return max(int(mask.sum()), 1)
    if loss.reduction == "sequence_mean":
        return max(int(mask.any(1).sum()), 1)
    assert loss.completion_budget is not None
    return len(part) * loss.completion_budget


def _row_loss(
    model: nn.Module,
    frozen: nn.Module,
    reference: nn.Module | None,
    batch: UpdateBatch,
    row: int,
    config: UpdateConfig,
) -> Tensor:
    """Sum over the row's tokens, or their mean for sequence_mean."""
    loss, length = config.loss, len(batch.completion_ids[row])
    assert batch.completion_mask is not None
    mask = batch.completion_mask[row, :length]
    if not bool(mask.any()):
        return torch.zeros((), dtype=T64)
    new, entropy = plain_logprobs(model, batch, row, config.temperature)
    with torch.no_grad():
        old = plain_logprobs(frozen, batch, row, config.temperature)[0]
        if batch.old_logprobs is not None:
            old = batch.old_logprobs[row, :length]
        ref = None if reference is None else plain_logprobs(reference, batch, row, config.temperature)[0]
    rollout = None if batch.rollout_logprobs is None else batch.rollout_logprobs[row, :length]
    gain = batch.advantages[row] if batch.advantages.ndim == 1 else batch.advantages[row, :length]
    gain = gain.expand(length)[mask]
    new, old, entropy = new[mask], old[mask], entropy[mask]
    rollout = None if rollout is None else rollout[mask]
    against = rollout if loss.ratio_against == "rollout" else old
    log_ratio = new - against
    if loss.form == "gspo":
        log_ratio = log_ratio.mean().expand_as(new)
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - loss.epsilon_low, 1 + loss.epsilon_high)
    if loss.form == "cispo_band":
        tokens = -clipped.detach() * gain * new
    else:
        tokens = torch.maximum(-gain * ratio, -gain * clipped)
    if loss.dual_clip is not None:
        tokens = torch.where(gain < 0, torch.minimum(tokens, -loss.dual_clip * gain), tokens)
    if rollout is not None and loss.importance_level != "off":
        mismatch = old - rollout
        if loss.importance_level == "sequence":
            mismatch = mismatch.sum().expand_as(mismatch)
        tokens = tokens * mismatch.clamp(-20, 20).exp().clamp(max=loss.cap)
    is_degenerate = batch.degenerate is not None and bool(batch.degenerate[row])
    if ref is not None and loss.beta > 0 and (loss.kl_on_degenerate or not is_degenerate):
        x = ref[mask] - new
        tokens = tokens + loss.beta * (x.exp() - x - 1)
    tokens = tokens - loss.entropy_coef * entropy
    return tokens.mean() if loss.reduction == "sequence_mean" else tokens.sum()


def same_weights(one: nn.Module, other: nn.Module, tolerance: float = 1e-12) -> None:
    """To `tolerance`, relative to the largest weight of each parameter's kind and absolute."""
    for (name, mine), theirs in zip(one.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(
            mine, theirs, rtol=tolerance, atol=tolerance, msg=lambda text, name=name: f"{name}: {text}"
        )
