"""Log-probabilities of given tokens from hidden states, without ever holding all logits."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from ..errors import ArgumentError
from .head_chunks import ChunkSettings, HeadChunks, product_dtype
from .head_gradients import HeadGradients, Wanted
from .lm_head import LmHead, check_head_inputs

__all__ = ["gradients_wanted", "refuse_second_derivative", "selected_logprobs", "spread"]


def selected_logprobs(
    hidden: Tensor,
    ids: Tensor,
    head: LmHead,
    mask: Tensor | None = None,
    *,
    temperature: float = 1.0,
    entropy: bool = False,
    chunk_mib: float | None = None,
) -> tuple[Tensor, Tensor | None]:
    """log p(ids) under the head, and the entropy of the whole distribution; rows where mask is False are not read.

    With a graph where autograd would build one, to `hidden` and the head; under `torch.no_grad()` without (old and
    reference log-probabilities). Logits exist a chunk of rows at a time. The backward pass computes them again, so
    that a loss over whole sequences may follow: four products of the size (tokens, V, H) a step. With a frozen head
    and no entropy it is two, the gradient of every row being kept at the forward pass up to its factor. A loss that
    is a sum over tokens costs three: `fused_token_loss`.

    Args:
        hidden: (…, H); at [i] the state that *predicts* ids[i], the one before it in the sequence.
        ids: (…) integers, the tokens that were sampled.
        head: its weights in the dtype of hidden, or autocast on.
        mask: (…) bool, True = counts. None: all.
        temperature: positive; divides the logits after scale and cap, as samplers do.
        entropy: ask for entropies, in nats, with a graph as the log-probabilities have.
        chunk_mib: memory for logits and what is made of them. None: 128 on a CPU, 2048 elsewhere.

    Returns:
        (…) log-probabilities, 0 where mask is False, and entropies likewise or None. Softmax and sums are made in
        float32 at least, whatever the weights; gradients of half-precision weights are summed in float32.

    Raises:
        ArgumentError: shapes or dtypes other than stated, a counted id outside the vocabulary, options outside their
            ranges; and at the backward pass with `create_graph=True`: there is no second derivative.

    Example:
        >>> head = LmHead(torch.tensor([[0.0], [1.0]]))
        >>> hidden, ids = torch.tensor([[0.0], [float("nan")]]), torch.tensor([1, 0])
        >>> logprobs, _ = selected_logprobs(hidden, ids, head, torch.tensor([True, False]))
        >>> logprobs.exp()  # two logits of 0; the second row does not count
        tensor([0.5000, 1.0000])
    """
    mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
    check_head_inputs(hidden, ids, mask, head, temperature)
    settings = ChunkSettings(product_dtype(head), temperature, entropy, chunk_mib)
    rows = hidden[mask]  # (N, H)
    wanted = gradients_wanted(rows, head)
    logprobs, entropies = _SelectedLogprobs.apply(rows, head.weight, head.bias, ids[mask], head, settings, wanted)
    return spread(logprobs, mask), None if entropies is None else spread(entropies, mask)


def gradients_wanted(hidden: Tensor, head: LmHead) -> Wanted:
    """Of which of hidden, weight and bias autograd would want a gradient, here and now."""
    if not torch.is_grad_enabled():
        return False, False, False
    return hidden.requires_grad, head.weight.requires_grad, head.bias is not None and head.bias.requires_grad


def spread(values: Tensor, mask: Tensor) -> Tensor:
    """(N,) values of the counted tokens at their places, 0 elsewhere."""
    return values.new_zeros(mask.shape).index_put((mask,), values)


def refuse_second_derivative(name: str) -> None:
    """To be called in a backward pass, where autograd records only if asked for `create_graph`."""
    if torch.is_grad_enabled():
        raise ArgumentError(
            f"create_graph: expected False, got True; {name} has no second derivative, "
            "compute log-probabilities from LmHead.logits where one is needed"
        )


class _SelectedLogprobs(Function):
    """(N,) log-probabilities and entropies of hidden rows (N, H)."""

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
    ) -> tuple[Tensor, Tensor | None]:
        ctx.set_materialize_grads(False)
        # Without a gradient of the weights, a row's gradient is its own dL/d log p times what is known now.
        ctx.is_known = wanted == (True, False, False) and not settings.with_entropy
        work = HeadChunks(head, hidden, settings)
        slopes = HeadGradients.zeros(work, hidden, (ctx.is_known, False, False))
        logprobs = torch.empty(len(hidden), dtype=work.precision, device=hidden.device)
        entropies = torch.empty_like(logprobs) if settings.with_entropy else None
        with work.as_set():
            for rows in work.chunks:
                logprobs[rows], entropy = work.score(hidden[rows], ids[rows])
                if entropies is not None and entropy is not None:
                    entropies[rows] = entropy
                if ctx.is_known:
                    ones = torch.ones_like(logprobs[rows])
                    slopes.add(work, hidden, rows, work.logits_gradient(ids[rows], ones, None))
        ctx.head, ctx.settings, ctx.wanted = head, settings, wanted
        if slopes.hidden is not None:
            ctx.save_for_backward(slopes.hidden.to(hidden.dtype))
        elif any(wanted):
            # Weights too: changed before the backward pass, they would give the gradient of another function.
            ctx.save_for_backward(hidden, ids, weight, bias)
        return logprobs, entropies

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor | None) -> tuple[Tensor | None, ...]:
        refuse_second_derivative("selected_logprobs")
        of_logprobs, of_entropies = outputs
        if ctx.is_known:
            (slopes,) = ctx.saved_tensors
            of_hidden = None if of_logprobs is None else (slopes * of_logprobs[:, None]).to(slopes.dtype)
            return of_hidden, None, None, *_NO_GRADIENT
        hidden, ids, weight, bias = ctx.saved_tensors
        work = HeadChunks(replace(ctx.head, weight=weight, bias=bias), hidden, ctx.settings)
        gradients = HeadGradients.zeros(work, hidden, ctx.wanted)
        with work.as_set():
            for rows in work.chunks:
                logprobs, _ = work.score(hidden[rows], ids[rows])
                slope = torch.zeros_like(logprobs) if of_logprobs is None else of_logprobs[rows]
                entropy_slope = None if of_entropies is None else of_entropies[rows]
                gradients.add(work, hidden, rows, work.logits_gradient(ids[rows], slope, entropy_slope))
        return *gradients.scaled(None, hidden.dtype, weight.dtype), *_NO_GRADIENT


_NO_GRADIENT = (None,) * 4
"""Of ids, head, settings and wanted."""
