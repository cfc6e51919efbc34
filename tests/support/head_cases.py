"""A language-model head's inputs of every shape, and the plain way to its log-probabilities and gradients."""

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from rewardgate.grpo.lm_head import LmHead


@dataclass
class HeadCase:
    """hidden (B, T, H), weight (V, H), bias (V,), ids, mask and advantages (B, T); and what is done to logits."""

    hidden: Tensor
    weight: Tensor
    bias: Tensor | None
    ids: Tensor
    mask: Tensor
    advantages: Tensor
    scale: float
    softcap: float | None
    temperature: float

    @property
    def head(self) -> LmHead:
        return LmHead(self.weight, self.bias, self.scale, self.softcap)

    def leaves(self, *, frozen: bool = False, dtype: torch.dtype | None = None) -> "HeadCase":
        """The same with tensors of its own that gather gradients; `frozen`: none for the head."""
        hidden, weight, bias = (
            None if one is None else one.detach().clone().to(dtype or one.dtype)
            for one in (self.hidden, self.weight, self.bias)
        )
        assert hidden is not None
        assert weight is not None
        hidden.requires_grad_()
        for one in (weight, bias):
            if one is not None and not frozen:
                one.requires_grad_()
        advantages = self.advantages.to(dtype or self.advantages.dtype)
        rest = (self.ids, self.mask, advantages, self.scale, self.softcap, self.temperature)
        return HeadCase(hidden, weight, bias, *rest)

    def plain(self) -> tuple[Tensor, Tensor]:
        """Log-probabilities and entropies (B, T) from all logits."""
        logits = functional.linear(self.hidden, self.weight, self.bias) * self.scale
        if self.softcap is not None:
            logits = self.softcap * torch.tanh(logits / self.softcap)
        every = (logits / self.temperature).log_softmax(-1)
        return every.gather(-1, self.ids[..., None])[..., 0], -(every.exp() * every).sum(-1)

    def loss(self, logprobs: Tensor, entropies: Tensor | None) -> Tensor:
        """Of each token; curved in its log-probability, so that a slope taken at the wrong place is seen."""
        losses = -self.advantages * (logprobs + 1).exp()
        return losses if entropies is None else losses - 0.3 * entropies * (1 + self.advantages.square())

    @property
    def gradients(self) -> list[Tensor]:
        return [one.grad for one in (self.hidden, self.weight, self.bias) if one is not None and one.grad is not None]


def random_case(shape: tuple[int, int, int, int], *, seed: int = 0, bias: bool = False, **options: Any) -> HeadCase:
    """Of (B, T, V, H), in float64, about two thirds of the tokens counted."""
    rows, tokens, vocabulary, width = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*size: int) -> Tensor:
        return torch.randn(*size, generator=generator, dtype=torch.float64)

    return HeadCase(
        normal(rows, tokens, width),
        normal(vocabulary, width),
        normal(vocabulary) if bias else None,
        torch.randint(vocabulary, (rows, tokens), generator=generator),
        torch.rand(rows, tokens, generator=generator) < 0.67,
        normal(rows, tokens),
        options.get("scale", 1.0),
        options.get("softcap"),
        options.get("temperature", 1.0),
    )


@st.composite
def head_cases(draw: st.DrawFn) -> HeadCase:
    """Every combination of options over small shapes, empty ones and ones without a counted token included."""
    shape = draw(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 19), st.integers(1, 4)))
    case = random_case(
        shape,
        seed=draw(st.integers(0, 1000)),
        bias=draw(st.booleans()),
        scale=draw(st.sampled_from([1.0, 0.25, -1.5])),
        softcap=draw(st.sampled_from([None, 3.0, 30.0])),
        temperature=draw(st.sampled_from([1.0, 0.6, 2.0])),
    )
    if draw(st.integers(0, 9)) == 0:
        case.mask = torch.zeros_like(case.mask)
    return case


def chunk_budgets() -> st.SearchStrategy[float | None]:
    """In MiB: a row a chunk, a few rows, the device's usual."""
    return st.sampled_from([1e-9, 0.0005, 0.001, None])


class LargestTensor(TorchDispatchMode):
    """Records how many elements the largest tensor has that any operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        for one in made if isinstance(made, tuple | list) else (made,):
            if isinstance(one, Tensor):
                self.elements = max(self.elements, one.numel())
        return made
