"""A token loss and its gradient in one pass over the vocabulary, fused with the language-model head."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd import Function

from ..errors import ArgumentError
from .head_chunks import ChunkSettings, HeadChunks, product_dtype
from .head_gradients import HeadGradients, Wanted
from .lm_head import LmHead, check_head_inputs
from .logprobs import gradients_wanted, refuse_second_derivative, spread

__all__ = ["FusedLoss", "TokenLoss", "fused_token_loss"]

TokenLoss = Callable[[Tensor, Tensor | None, slice], Tensor]
"""(logprobs (C,), entropies (C,) or None, their place among the counted tokens) -> (C,) shares of the loss."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedLoss:
    """What one pass over the vocabulary found.

    Args:
        loss: a scalar, the sum of the tokens' shares, with a graph to hidden states and head.
        logprobs: of the tokens, in the shape of ids, 0 where they do not count; without a graph.
        entropies: likewise, or None.
    """

    loss: Tensor
    logprobs: Tensor
    entropies: Tensor | None


def fused_token_loss(
    hidden: Tensor,
    ids: Tensor,
    head: LmHead,
    token_loss: TokenLoss,
    mask: Tensor | None = None,
    *,
    temperature: float = 1.0,
    entropy: Literal["value", "gradient"] | None = None,
    chunk_mib: float | None = None,
) -> FusedLoss:
    """The sum of `token_loss` over the counted tokens, at the price of three products (tokens, V, H) with gradient.

    What a token adds to the loss depends on its own log-probability (and entropy) alone. So dL/d log p is known as
    soon as a chunk of logits is, and they become their own gradient in place: nothing is kept for the backward pass
    but the gradients themselves, which it multiplies by whatever the loss was scaled with. A loss over whole
    sequences does not fit: `selected_logprobs`.

    Args:
        hidden, ids, head, mask, temperature, chunk_mib: as in `selected_logprobs`.
        token_loss: called for one chunk after the other with their log-probabilities and a slice of the N counted
            tokens, in the order of `tensor[mask]`: the place of their advantages. Every share is already divided by
            the normalizer of the whole batch. Only logprobs and entropies get a gradient; another tensor with one
            would get none, and is refused.
        entropy: `"value"`: computed and handed to token_loss as a constant; `"gradient"`: with its gradient, for a
            bonus. None: not computed.

    Returns:
        A `FusedLoss`. With no counted token its loss is 0, with a graph.

    Raises:
        ArgumentError: as `selected_logprobs`; shares that are not (C,); a share that depends on another tensor that
            requires a gradient; a second backward pass.

    Example:
        >>> head = LmHead(torch.tensor([[0.0], [0.0]], requires_grad=True))
        >>> hidden, ids = torch.tensor([[1.0], [2.0]]), torch.tensor([1, 1])
        >>> advantages = torch.tensor([1.0, -2.0])
        >>> fused = fused_token_loss(hidden, ids, head, lambda logprobs, _, rows: -advantages[rows] * logprobs / 2)
        >>> fused.loss.backward()
        >>> head.weight.grad  # sum of A (p - 1[j = id]) h / 2, with p = 1/2: (1 * 1 - 2 * 2) * (±1/2) / 2
        tensor([[-0.7500],
                [ 0.7500]])
    """
    mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
    check_head_inputs(hidden, ids, mask, head, temperature)
    if entropy not in ("value", "gradient", None):
        raise ArgumentError(f"entropy: expected value, gradient or None, got {entropy!r}")
    settings = ChunkSettings(product_dtype(head), temperature, entropy is not None, chunk_mib)
    rows = hidden[mask]  # (N, H)
    loss, logprobs, entropies = _FusedTokenLoss.apply(
        rows,
        head.weight,
        head.bias,
        ids[mask],
        head,
        settings,
        gradients_wanted(rows, head),
        lambda *chunk: _shares_and_slopes(token_loss, *chunk, with_entropy_slope=entropy == "gradient"),
    )
    return FusedLoss(loss, spread(logprobs, mask), None if entropies is None else spread(entropies, mask))


def _shares_and_slopes(
    token_loss: TokenLoss,
    logprobs: Tensor,
    entropies: Tensor | None,
    rows: slice,
    is_recorded: bool,
    *,
    with_entropy_slope: bool,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """The loss of a chunk, and its derivatives by log-probabilities and entropies."""
    with torch.set_grad_enabled(is_recorded):
        logprobs = logprobs.detach().requires_grad_(is_recorded)
        inputs = [logprobs]
        if entropies is not None:
            entropies = entropies.detach().requires_grad_(is_recorded and with_entropy_slope)
            inputs += [entropies] * with_entropy_slope
        shares = token_loss(logprobs, entropies, rows)
        if shares.shape != logprobs.shape:
            raise ArgumentError(
                f"token_loss: expected shares of shape {tuple(logprobs.shape)}, got {tuple(shares.shape)}"
            )
        loss = shares.sum()
    if not is_recorded:
        return loss, None, None
    if _reaches_others(loss, inputs):
        raise ArgumentError("token_loss: expected constants beside logprobs and entropies, got a tensor with a graph")
    slopes = torch.autograd.grad(loss, inputs, allow_unused=True, materialize_grads=True) if loss.requires_grad else ()
    slope, *of_entropies = slopes or [torch.zeros_like(one) for one in inputs]
    return loss.detach(), slope, of_entropies[0] if of_entropies else None


def _reaches_others(loss: Tensor, inputs: list[Tensor]) -> bool:
    """Whether a gradient of `loss` would reach a leaf that is none of `inputs`: it would be lost in silence."""
    nodes, seen = [loss.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and all(leaf is not one for one in inputs):
            return True
        nodes.extend(following for following, _ in node.next_functions)
    return False


class _FusedTokenLoss(Function):
    """Loss, (N,) log-probabilities and entropies of hidden rows (N, H); gradients are made with them."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        ids: Tensor,
        head: LmHead,
        settings: ChunkSettings,
        wanted: Wanted,
        of_chunk: Callable[..., tuple[Tensor, Tensor | None, Tensor | None]],
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        work = HeadChunks(head, hidden, settings)
        gradients = HeadGradients.zeros(work, hidden, wanted)
        logprobs = torch.empty(len(hidden), dtype=work.precision, device=hidden.device)
        entropies = torch.empty_like(logprobs) if settings.with_entropy else None
        losses = [logprobs.new_zeros(())]
        with work.as_set():
            for rows in work.chunks:
                logprobs[rows], entropy = work.score(hidden[rows], ids[rows])
                if entropies is not None and entropy is not None:
                    entropies[rows] = entropy
                loss, slope, entropy_slope = of_chunk(logprobs[rows], entropy, rows, any(wanted))
                losses.append(loss.to(work.precision))
                if slope is not None:
                    gradients.add(work, hidden, rows, work.logits_gradient(ids[rows], slope, entropy_slope))
        ctx.gradients, ctx.like = gradients, (hidden.dtype, weight.dtype)
        ctx.mark_non_differentiable(*(one for one in (logprobs, entropies) if one is not None))
        return torch.stack(losses).sum(), logprobs, entropies

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_derivative("fused_token_loss")
        gradients, ctx.gradients = ctx.gradients, None
        if gradients is None:
            raise ArgumentError("backward: expected one pass, got a second; its gradients were given away by the first")
        return *gradients.scaled(outputs[0], *ctx.like), *(None,) * 5
