"""Which layout a model and its rows get, and why."""

from typing import Literal

import torch
from torch import nn

from ..causal_lm import hidden_states
from .layout import Layout
from .packed import PackedLayout
from .padded import PaddedLayout
from .row_tokens import RowTokens

__all__ = ["LayoutName", "choose_layout", "is_packing_exact"]

LayoutName = Literal["auto", "padded", "packed"]

VARLEN = ("flash_attention", "flex_attention")
"""How the names of attention implementations begin that do not pay for what lies between packed rows."""


def choose_layout(model: nn.Module, rows: RowTokens, wanted: LayoutName = "auto") -> tuple[Layout, str]:
    """The layout for rows of a model, and one line that says why.

    `"auto"`: packed where attention has a variable-length kernel and the model keeps packed rows apart, else padded:
    with the block mask of the other kinds of attention a packed row costs the square of its whole length.
    """
    attention = str(getattr(getattr(model, "config", None), "_attn_implementation", None))
    if wanted == "padded" or (wanted == "auto" and not attention.startswith(VARLEN)):
        return PaddedLayout(), "asked for" if wanted == "padded" else f"attention {attention} has no packed kernel"
    if not is_packing_exact(model):
        return PaddedLayout(), f"{type(model).__name__} does not keep packed rows apart"
    return PackedLayout(), "asked for" if wanted == "packed" else f"attention {attention}"


@torch.no_grad()
def is_packing_exact(model: nn.Module) -> bool:
    """Whether two packed rows get the states that each gets alone: tried on a few tokens.

    Not so where a state is carried from token to token, or where attention does not heed positions.
    """
    device = next(model.parameters()).device
    rows = RowTokens(
        [torch.tensor([0, 1], device=device), torch.tensor([1], device=device)],
        [torch.tensor([1, 0, 1], device=device), torch.tensor([0, 1, 1], device=device)],
        [0, 1],
    )
    packed = PackedLayout().hidden(model, rows).float()  # (C, H)
    alone = torch.cat(
        [hidden_states(model, rows.fed(row)[None])[0, -len(rows.completions[row]) :] for row in range(2)]
    ).float()
    tolerance = 1e-4 if next(model.parameters()).dtype.itemsize >= 4 else 3e-2
    return bool((packed - alone).abs().max() <= tolerance * alone.abs().max())
