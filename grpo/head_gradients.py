"""The gradients of a head and of the hidden rows that it read, from chunks of the gradient of their logits."""

from dataclasses import dataclass

import torch
from torch import Tensor

from .head_chunks import HeadChunks

__all__ = ["HeadGradients", "Wanted"]

Wanted = tuple[bool, bool, bool]
"""Whether a gradient of hidden, weight and bias is wanted."""

SLAB_BYTES = 64 << 20
"""Of float32 gradient that is updated at a time from half-precision products."""


@dataclass(slots=True)
class HeadGradients:
    """Gradients of a head and its hidden rows, summed chunk by chunk in at least float32; None where not wanted."""

    hidden: Tensor | None
    weight: Tensor | None
    bias: Tensor | None

    @classmethod
    def zeros(cls, work: HeadChunks, hidden: Tensor, wanted: Wanted) -> "HeadGradients":
        """Room for the gradients of hidden rows (N, H), weight (V, H) and bias (V,), as `wanted`."""
        vocabulary, width = work.weight.shape
        shapes = (hidden.shape, (vocabulary, width), (vocabulary,))
        return cls(
            *(
                torch.zeros(shape, dtype=work.precision, device=hidden.device) if want else None
                for shape, want in zip(shapes, wanted, strict=True)
            )
        )

    def add(self, work: HeadChunks, hidden: Tensor, rows: slice, logits_gradient: tuple[Tensor, Tensor]) -> None:
        """What one chunk adds: `hidden` are all rows (N, H), `logits_gradient` of `work`."""
        gradient, factor = logits_gradient  # (C, V), (C,)
        if self.hidden is not None:
            torch.mul(gradient @ work.weight, factor[:, None], out=self.hidden[rows])
        if self.weight is None and self.bias is None:
            return
        if work.dtype is work.precision:
            if self.weight is not None:
                self.weight.addmm_(gradient.t(), hidden[rows].to(work.dtype) * factor[:, None])
            if self.bias is not None:
                self.bias.addmv_(gradient.t(), factor)
            return
        # Half precision has no room for the small factors of a long batch: the rows get them relative to the largest,
        # and the sum the largest itself. Slabs keep what is summed in half precision small.
        largest = factor.abs().max().clamp(min=torch.finfo(factor.dtype).tiny)
        relative = (factor / largest)[:, None]
        if self.bias is not None:
            self.bias.add_((gradient.t() @ relative.to(work.dtype))[:, 0] * largest)
        if self.weight is not None:
            scaled = (hidden[rows] * relative).to(work.dtype)
            slab = max(1, SLAB_BYTES // (scaled.shape[1] * work.precision.itemsize))
            for start in range(0, len(self.weight), slab):
                part = gradient[:, start : start + slab].t() @ scaled
                self.weight[start : start + slab].addcmul_(part, largest)

    def scaled(
        self, factor: Tensor | None, hidden_dtype: torch.dtype, head_dtype: torch.dtype
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """The three times a scalar, in place where the dtypes allow it; they are used up."""
        for gradient in (self.hidden, self.weight, self.bias):
            # Asking costs less than a pass over (V, H) only where the answer need not be waited for.
            if gradient is not None and factor is not None and not (factor.device.type == "cpu" and factor == 1):
                gradient.mul_(factor)
        dtypes = (hidden_dtype, head_dtype, head_dtype)
        hidden, weight, bias = (
            None if gradient is None else gradient.to(dtype)
            for gradient, dtype in zip((self.hidden, self.weight, self.bias), dtypes, strict=True)
        )
        self.hidden = self.weight = self.bias = None
        return hidden, weight, bias
