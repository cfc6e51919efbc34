"""Which layout a model and its rows get, and why."""

from typing import Literal

import torch
from torch import nn

from ..causal_lm import hidden_states
from .layout import Layout
from .packed import PackedLayout
from .padded import PaddedLayout
from .prefix_cost import PrefixChoice
from .row_tokens import RowTokens

__all__ = ["LayoutChoice", "LayoutName", "is_packing_exact"]

LayoutName = Literal["auto", "padded", "packed", "shared_prefix"]

VARLEN = ("flash_attention", "flex_attention")
"""How the names of attention implementations begin that do not pay for what lies between packed rows."""


class LayoutChoice:
    """Chooses for one model; what is in question (are packed rows kept apart, prompts shared exactly) is tried once.

    Args:
        model: whose rows will be laid out, bare or in its wrappers.
        wanted: `"auto"`: prompts computed once where that costs less for the rows at hand; else packed where attention
            has a variable-length kernel and the model keeps packed rows apart; else padded: with the block mask of
            the other kinds of attention a packed row costs the square of its whole length. `"shared_prefix"`: prompts
            computed once where the model allows it, whatever it costs.
        reference: another model that will see the same rows; what it does not allow is not chosen.
    """

    def __init__(self, model: nn.Module, wanted: LayoutName = "auto", *, reference: nn.Module | None = None) -> None:
        attention = str(getattr(_config_of(model), "_attn_implementation", None))
        self._otherwise: Layout = PaddedLayout()
        if wanted == "padded":
            self._why = "asked for"
        elif wanted != "packed" and not attention.startswith(VARLEN):
            self._why = f"attention {attention} has no packed kernel"
        elif not is_packing_exact(model):
            self._why = f"{type(model).__name__} does not keep packed rows apart"
        else:
            self._why = "asked for" if wanted == "packed" else f"attention {attention}"
            self._otherwise = PackedLayout()
        self._prefix = PrefixChoice(model) if wanted in ("auto", "shared_prefix") else None
        self._prefix_is_asked_for = wanted == "shared_prefix"
        if self._prefix is not None and reference is not None and (why := PrefixChoice(reference).why_not):
            self._prefix, self._why = None, f"{self._why}; of the reference: {why}"

    def __call__(self, rows: RowTokens, token_budget: int) -> tuple[Layout, str]:
        """The layout for these rows in micro-batches of that many tokens, and one line that says why."""
        if self._prefix is None:
            return self._otherwise, self._why
        layout, why = self._prefix(rows, token_budget, self._otherwise, whatever_it_costs=self._prefix_is_asked_for)
        return layout, why if layout is not self._otherwise else f"{self._why}; {why}"


@torch.no_grad()
def is_packing_exact(model: nn.Module) -> bool:
    """Whether two packed rows get the states that each gets alone: tried on a few tokens.

    Not so where a state is carried from token to token, or where attention does not heed positions.
    """
    one = next(model.parameters())
    first, second = torch.tensor([[0, 1, 1, 0], [1, 0, 1, 1]], device=one.device)
    rows = RowTokens([first[:2], second[:1]], [first[2:], second[1:]], [0, 1])
    packed = PackedLayout().hidden(model, rows).float()  # (C, H)
    alone = [hidden_states(model, rows.fed(row)[None])[0, -len(rows.completions[row]) :] for row in range(2)]
    difference = (packed - torch.cat(alone).float()).abs().max()
    return bool(difference <= (1e-4 if one.dtype.itemsize >= 4 else 3e-2) * packed.abs().max())


def _config_of(model: nn.Module) -> object:
    while not hasattr(model, "config") and isinstance(getattr(model, "module", None), nn.Module):
        model = model.module  # type: ignore[assignment]
    return getattr(model, "config", None)
