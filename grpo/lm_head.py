"""The language-model head: what turns hidden states into logits, apart from the model that they come from."""

from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor
from torch.nn import functional

from ..errors import ArgumentError
from .shapes import check_integers, check_mask, check_numbers, check_same_shape

__all__ = ["LmHead", "check_head_inputs"]


@dataclass(frozen=True, slots=True, eq=False)
class LmHead:
    """logits = cap(scale * (hidden @ weight.T + bias)), cap(z) = softcap * tanh(z / softcap).

    It holds the model's own parameters, no copies: a tied embedding is trained through it, a frozen one
    (`requires_grad` False, as under LoRA) costs no weight gradient.

    Args:
        weight: (V, H), floating point.
        bias: (V,) of the same dtype, or None.
        scale: of all logits; Cohere's `logit_scale`, one over Granite's `logits_scaling`.
        softcap: bound of the logits, positive; Gemma 2's is 30. None: none.

    Raises:
        ArgumentError: other shapes or dtypes, a scale that is 0 or not finite, a softcap that is not positive.

    Example:
        >>> head = LmHead(torch.tensor([[1.0], [2.0], [-1.0]]), softcap=4.0)
        >>> head.logits(torch.tensor([[4.0]]))  # 4 tanh(1), 4 tanh(2), -4 tanh(1)
        tensor([[ 3.0464,  3.8561, -3.0464]])
    """

    weight: Tensor
    bias: Tensor | None = None
    scale: float = 1.0
    softcap: float | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.weight, Tensor) and self.weight.is_floating_point() and self.weight.ndim == 2):
            raise ArgumentError(f"weight: expected a floating-point tensor of shape (V, H), got {_kind(self.weight)}")
        if self.bias is not None:
            same = isinstance(self.bias, Tensor) and self.bias.dtype == self.weight.dtype
            if not (same and self.bias.shape == self.weight.shape[:1]):
                raise ArgumentError(
                    f"bias: expected shape ({len(self.weight)},) and dtype {self.weight.dtype} as weight, "
                    f"got {_kind(self.bias)}"
                )
        if self.scale == 0 or not isfinite(self.scale):
            raise ArgumentError(f"scale: expected a finite number other than 0, got {self.scale}")
        if self.softcap is not None and not (self.softcap > 0 and isfinite(self.softcap)):
            raise ArgumentError(f"softcap: expected a positive number or None, got {self.softcap}")

    @property
    def is_frozen(self) -> bool:
        """Neither weight nor bias is to be trained."""
        return not (self.weight.requires_grad or (self.bias is not None and self.bias.requires_grad))

    def logits(self, hidden: Tensor) -> Tensor:
        """All logits at once: (…, H) -> (…, V). For looking and for comparing; training never needs them."""
        logits = functional.linear(hidden, self.weight, self.bias) * self.scale
        return logits if self.softcap is None else self.softcap * torch.tanh(logits / self.softcap)


def check_head_inputs(hidden: Tensor, ids: Tensor, mask: Tensor, head: LmHead, temperature: float) -> None:
    """Refuse what does not fit together: shapes, dtypes, devices, an id outside the vocabulary where mask is True."""
    check_numbers("hidden", hidden)
    check_integers("ids", ids)
    check_mask("mask", mask)
    check_same_shape("mask", mask, "ids", ids)
    wanted = (*ids.shape, head.weight.shape[1])
    if hidden.shape != wanted:
        raise ArgumentError(f"hidden: expected shape {wanted} by ids and head.weight, got {tuple(hidden.shape)}")
    if hidden.dtype != head.weight.dtype and not torch.is_autocast_enabled(hidden.device.type):
        raise ArgumentError(
            f"hidden: expected dtype {head.weight.dtype} as head.weight, got {hidden.dtype}; cast one, or use autocast"
        )
    if not (temperature > 0 and isfinite(temperature)):
        raise ArgumentError(f"temperature: expected a positive number, got {temperature}")
    counted = ids[mask]
    outside = (counted < 0) | (counted >= len(head.weight))
    if bool(outside.any()):
        raise ArgumentError(
            f"ids: expected ids in [0, {len(head.weight)}) where mask is True, got {counted[outside][0].item()}"
        )


def _kind(value: object) -> str:
    return f"{tuple(value.shape)} {value.dtype}" if isinstance(value, Tensor) else type(value).__name__
