"""Which models give the same states where a prompt is computed once: what their layers see, and a trial on some tokens.

A configuration tells how far layers look back, which a few tokens cannot show; whether the model carries a state from
token to token, knows tokens by their place in the row, looks ahead or reads its mask in another way, the trial shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import ArgumentError
from .causal_lm import hidden_states
from .prefix_groups import PrefixGroup, positions_of
from .prefix_mask import SharedPrefixMask, dense_mask

__all__ = ["AttentionKinds", "attention_kinds", "text_config", "try_shared_prefix"]

LAYER_KINDS = {"full_attention", "sliding_attention"}

STRETCHING = ("dynamic", "longrope")
"""Kinds of rotary positions that turn on the longest row of a batch."""


@dataclass(frozen=True)
class AttentionKinds:
    """What a model's layers see, and in which form they take their mask.

    Args:
        windows: how many of the latest tokens a layer sees, None for all; where layers differ, by the name of their
            kind.
        is_dense: attention adds its mask to its scores (`eager`), so that the mask must be there in full.
    """

    windows: int | Mapping[str, int | None] | None
    is_dense: bool

    def mask(self, groups: Sequence[PrefixGroup], dtype: torch.dtype, device: torch.device) -> Any:
        """What the model takes as `attention_mask`."""

        def of(window: int | None) -> Tensor:
            if self.is_dense:
                return dense_mask(groups, window, dtype, device)
            return SharedPrefixMask(groups, window, device)

        if isinstance(self.windows, Mapping):
            return {kind: of(window) for kind, window in self.windows.items()}
        return of(self.windows)


def attention_kinds(model: nn.Module) -> AttentionKinds:
    """As the configuration has it.

    Raises:
        ArgumentError: attention other than `sdpa` or `eager`, or layers that are no attention over the latest tokens.
    """
    config = text_config(model)
    attention = getattr(config, "_attn_implementation", None)
    if attention not in ("sdpa", "eager"):
        raise ArgumentError(f"model: expected attention sdpa or eager, got {attention}")
    return AttentionKinds(_windows(config), attention == "eager")


def try_shared_prefix(model: nn.Module) -> AttentionKinds:
    """The kinds of a model that gives the states of padded copies where prompts are computed once.

    Raises:
        ArgumentError: a model that does not, with the reason.
    """
    kinds = attention_kinds(model)
    config = text_config(model)
    if any(hasattr(module, "_orig_mod") or module._compiled_call_impl is not None for module in model.modules()):
        raise ArgumentError("model: expected one that is not compiled, for its mask is an object of Python's")
    if getattr(config, "output_router_logits", False):
        raise ArgumentError("model: expected no loss over the load of experts, for it counts all tokens computed")
    rope = getattr(config, "rope_parameters", None) or {}
    for one in (rope, *(value for value in rope.values() if isinstance(value, dict))):  # for all layers, or by kind
        if one.get("rope_type") in STRETCHING:
            raise ArgumentError(f"model: expected positions that do not stretch, got rope_type {one['rope_type']}")
    _try(model, kinds)
    return kinds


def text_config(model: nn.Module) -> Any:
    """The configuration of the language model, inside whatever wraps it.

    Raises:
        ArgumentError: there is none.
    """
    for module in model.modules():
        config: Any = getattr(module, "config", None)
        if hasattr(config, "get_text_config"):
            return config.get_text_config()
    raise ArgumentError(f"model: expected a causal language model of transformers, got {type(model).__name__}")


def _windows(config: Any) -> int | dict[str, int | None] | None:
    window = getattr(config, "sliding_window", None)
    kinds = set(getattr(config, "layer_types", None) or ())
    if not kinds:
        return window  # one mask for all layers
    if kinds - LAYER_KINDS:
        raise ArgumentError(f"model: expected layers of {sorted(LAYER_KINDS)}, got {sorted(kinds - LAYER_KINDS)}")
    if "sliding_attention" in kinds:
        return {"full_attention": None, "sliding_attention": window}
    return None


@torch.no_grad()
def _try(model: nn.Module, kinds: AttentionKinds) -> None:
    one = next(model.parameters())
    # Each token beside others of its own row only, and behind the same ones: 0 and 1 are in every vocabulary.
    rows = [([1, 0, 1], [[0, 1], [1]]), ([0, 1], [[1, 1], [0, 0, 1]])]
    groups = [PrefixGroup(len(prompt), tuple(map(len, completions))) for prompt, completions in rows]
    ids = [token for prompt, completions in rows for part in (prompt, *completions) for token in part]
    positions = positions_of(groups)[None].to(one.device)
    mask = kinds.mask(groups, one.dtype, one.device)
    try:
        packed = hidden_states(
            model, torch.tensor([ids], device=one.device), position_ids=positions, attention_mask=mask
        )[0].float()
    except ArgumentError:
        raise
    except Exception as error:  # whatever a model does with a mask that it does not expect
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"model: expected a mask of four dimensions to be taken as it is, got {reason}") from error
    start = 0
    for prompt, completions in rows:
        behind = start + len(prompt)
        for completion in completions:
            alone = hidden_states(model, torch.tensor([prompt + completion], device=one.device))[0].float()
            ours = torch.cat([packed[start : start + len(prompt)], packed[behind : behind + len(completion)]])
            tolerance = (1e-4 if one.dtype.itemsize >= 4 else 3e-2) * alone.abs().max()
            if not bool((ours - alone).abs().max() <= tolerance):
                raise ArgumentError(
                    f"model: expected the states that every row has alone, got others from {type(model).__name__}"
                )
            behind += len(completion)
        start = behind
