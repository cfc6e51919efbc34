"""The vocabulary side of a batch, a chunk of rows at a time: log-probabilities, entropies and their gradients.

Everything (rows, V) lives in buffers that each chunk overwrites. With x the logits (or tanh of them, where they are
capped), m = max x, k = 1 (or softcap / temperature) and p = softmax(k x):

    u = exp(k (x - m)), S = sum u, p = u / S
    log p_i = k (x_i - m) - log S,  H = log S - sum u k (x - m) / S

and for a loss with g = dL/d log p_i and e = dL/dH, before the cap:

    dL/d(k x_j) = g (1[j = i] - p_j) - e p_j (k (x_j - m) - log S + H)

So u, which the log-probability needs anyway, becomes the gradient in place, up to a factor a row; that factor is
applied to the (rows, H) side of the two products, which is hundreds of times smaller.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .lm_head import LmHead
from .row_chunks import budget_bytes, row_chunks

__all__ = ["ChunkSettings", "HeadChunks", "product_dtype"]


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How chunks are scored, the same at the forward pass and where it is repeated.

    Args:
        dtype: of the products; everything else is in float32 at least.
        temperature: positive; divides the logits last, as in sampling.
        with_entropy: compute entropies, and keep what their gradient needs.
        chunk_mib: for all buffers (rows, V) together; None: the device's usual budget.
    """

    dtype: torch.dtype
    temperature: float
    with_entropy: bool
    chunk_mib: float | None


def product_dtype(head: LmHead) -> torch.dtype:
    """That of the weights, or autocast's where it is on (which leaves float64 alone)."""
    device = head.weight.device.type
    is_cast = torch.is_autocast_enabled(device) and head.weight.dtype is not torch.float64
    return torch.get_autocast_dtype(device) if is_cast else head.weight.dtype


class HeadChunks:
    """Scores chunks of hidden rows against a vocabulary, in buffers within a memory budget.

    After `score` of a chunk, `logits_gradient` of the same chunk may be called once; it overwrites what it reads.

    Args:
        head: weights and what is done to their logits.
        hidden: (N, H), whose rows will be scored.
        settings: the same for a repetition.

    `chunks` are the slices to score, `weight` is (V, H) in the dtype of the products, `precision` that of the rest.
    """

    def __init__(self, head: LmHead, hidden: Tensor, settings: ChunkSettings) -> None:
        dtype, device, temperature = settings.dtype, hidden.device, settings.temperature
        self.dtype, self.precision = dtype, torch.promote_types(dtype, torch.float32)
        self.weight = head.weight.detach().to(dtype)  # (V, H)
        self.bias = None if head.bias is None else head.bias.detach().to(dtype)
        self.is_capped, self.with_entropy = head.softcap is not None, settings.with_entropy
        # Scale, temperature and cap ride on the product's own factor, which is free.
        self.inner = head.scale / (temperature if head.softcap is None else head.softcap)
        self.outer = 1.0 if head.softcap is None else head.softcap / temperature
        self.slope = self.inner * self.outer

        # Of the product; of the exponentials, where that is another dtype; of what they are the exponentials of.
        dtypes = [dtype] + [self.precision] * ((dtype is not self.precision) + (self.is_capped or self.with_entropy))
        row_bytes = len(self.weight) * sum(dtype.itemsize for dtype in dtypes)
        self.chunks = row_chunks(len(hidden), row_bytes, budget_bytes(settings.chunk_mib, device))
        longest = max((rows.stop - rows.start for rows in self.chunks), default=0)
        self._buffers = [torch.empty(longest, len(self.weight), dtype=dtype, device=device) for dtype in dtypes]

    def as_set(self) -> torch.autocast:
        """To be entered around the work: autocast would choose dtypes where they are chosen already."""
        return torch.autocast(self.weight.device.type, enabled=False)

    def score(self, hidden: Tensor, ids: Tensor) -> tuple[Tensor, Tensor | None]:
        """log p of `ids` (C,), and entropies (C,) or None, of hidden rows (C, H), without a graph."""
        product, exponentials, x = self._views(len(ids))
        logits = x if self.dtype is self.precision else product
        rows = hidden.to(self.dtype)
        if self.bias is None:
            # With beta = 0 what the buffer held, NaN included, is not read.
            torch.addmm(logits, rows, self.weight.t(), beta=0, alpha=self.inner, out=logits)
        else:
            torch.addmm(self.bias, rows, self.weight.t(), beta=self.inner, alpha=self.inner, out=logits)
        if self.is_capped:
            logits = torch.tanh(x.copy_(logits), out=x)
        # A maximum is exact in any precision; the difference to it is the first thing that is widened.
        self._highest = logits.amax(1, keepdim=True).to(self.precision)
        torch.sub(logits, self._highest, out=x)
        chosen = x.gather(1, ids[:, None])[:, 0] * self.outer
        torch.exp(x if self.outer == 1 else torch.mul(x, self.outer, out=exponentials), out=exponentials)
        self._sum = exponentials.sum(1)  # (C,), at least 1: the maximum's own exponential is in it
        log_sum = self._sum.log()
        if not self.with_entropy:
            return chosen - log_sum, None
        # A product of vectors a row: u * x would be one more (C, V).
        mean = torch.bmm(exponentials[:, None, :], x[:, :, None])[:, 0, 0] * self.outer / self._sum
        self._entropy = log_sum - mean
        return chosen - log_sum, self._entropy

    def logits_gradient(self, ids: Tensor, of_logprobs: Tensor, of_entropies: Tensor | None) -> tuple[Tensor, Tensor]:
        """dL/dz of the chunk just scored, z = hidden @ weight.T + bias, as a product of two factors.

        Args:
            ids: (C,) as given to `score`.
            of_logprobs, of_entropies: (C,) dL/d log p and dL/dH; None where entropies are not in the loss.

        Returns:
            (C, V) in the dtype of the products, and (C,) in `precision`: a row of dL/dz is their product.
        """
        product, u, kept = self._views(len(ids))
        picked = self._sum
        if self.is_capped:
            kept.add_(self._highest)  # tanh again, and 1 - tanh² = (1 - tanh)(1 + tanh)
            picked = picked * (1 - kept.gather(1, ids[:, None])[:, 0].square())
            u.addcmul_(u, kept, value=-1).addcmul_(u, kept)
        factor = of_logprobs
        if of_entropies is not None:
            # Both relative to the larger: half precision could not hold the entries of a long batch (1 / tokens).
            factor = torch.maximum(of_logprobs.abs(), of_entropies.abs()).clamp(min=torch.finfo(u.dtype).tiny)
            of_logprobs, of_entropies = of_logprobs / factor, of_entropies / factor
            offset = of_logprobs + of_entropies * (self._entropy - self._sum.log())
            if self.is_capped:
                offset = offset - of_entropies * self.outer * self._highest[:, 0]
            u.mul_(kept.mul_((of_entropies * self.outer)[:, None]).add_(offset[:, None]))
            picked = picked * of_logprobs
        # Not scatter_add_: it counts as non-deterministic on a GPU, although no two of these meet.
        u.scatter_(1, ids[:, None], u.gather(1, ids[:, None]) - picked[:, None])
        factor = -self.slope * factor
        if self.dtype is self.precision:
            return u, factor / self._sum
        # S may be as large as V, which half precision cannot hold: there the sum is divided by in the copy.
        return torch.mul(u, (1 / self._sum)[:, None], out=product), factor

    def _views(self, rows: int) -> tuple[Tensor, Tensor, Tensor]:
        """The product, the exponentials, and what they are the exponentials of; some of them one buffer."""
        views = [buffer[:rows] for buffer in self._buffers]
        keeps = self.is_capped or self.with_entropy
        exponentials = views[1] if self.dtype is not self.precision else views[0]
        return views[0], exponentials, views[-1] if keeps else exponentials
