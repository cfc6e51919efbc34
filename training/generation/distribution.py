"""The distribution that a token is drawn from: the policy's at a temperature, less what was cut off."""

import torch
from torch import Tensor

from ..base import Sampling

__all__ = ["token_probabilities"]


def token_probabilities(logits: Tensor, sampling: Sampling, forbidden: Tensor | None = None) -> Tensor:
    """(B, V) float32 probabilities of the next token.

    In this order, which is vLLM's and transformers': forbidden tokens go, the temperature divides, `top_k` and then
    `top_p` cut, and what is left is made to sum to 1. Tokens as likely as the last that `top_k` keeps are kept too.

    Args:
        logits: (B, V) of any floating-point dtype.
        forbidden: ids that are never drawn; None: none.

    Example:
        >>> logits = torch.tensor([[0.5, 0.3, 0.2]]).log()
        >>> token_probabilities(logits, Sampling(max_tokens=1, top_p=0.7))
        tensor([[0.6250, 0.3750, 0.0000]])
    """
    logits = logits.float() / sampling.temperature
    if forbidden is not None:
        logits[:, forbidden] = float("-inf")
    if sampling.top_k is not None and sampling.top_k < logits.shape[-1]:
        least = logits.topk(sampling.top_k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < least, float("-inf"))
    probabilities = logits.softmax(-1)
    if sampling.top_p < 1:
        probabilities = _nucleus(probabilities, sampling.top_p)
    return probabilities


def _nucleus(probabilities: Tensor, top_p: float) -> Tensor:
    ordered, tokens = probabilities.sort(dim=-1, descending=True, stable=True)
    # A token stays if those before it do not reach top_p yet; the first always does.
    before = ordered.cumsum(-1, dtype=torch.float64) - ordered
    ordered = ordered.where(before < top_p, 0)
    kept = torch.zeros_like(probabilities).scatter_(-1, tokens, ordered)
    return kept / kept.sum(-1, keepdim=True)
