"""Attention over packed groups whose prompt stands there once, with no square of the packed length.

A dense mask of the packed row would cost its square, and twice that for what causal kernels leave out. Here the mask
is an object that takes over `scaled_dot_product_attention` where it is handed to it, as the biases of
`torch.nn.attention.bias` do: the prompt attends to itself; completions, side by side in a batch, to its keys and
their own. So it goes wherever a mask goes: through wrappers, adapters and checkpointed layers, which call attention
once more in the backward pass. No model is changed and nothing is registered.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ..errors import ArgumentError
from .prefix_groups import PrefixGroup, visible

__all__ = ["SharedPrefixMask", "dense_mask"]


def dense_mask(groups: Sequence[PrefixGroup], window: int | None, dtype: torch.dtype, device: torch.device) -> Tensor:
    """(1, 1, L, L) to be added to attention scores: 0 where a token is seen, the lowest number elsewhere."""
    return _additive(visible(groups, window).to(device), dtype)[None, None]


class SharedPrefixMask(Tensor):
    """Stands for the (1, 1, L, L) mask of packed groups, and computes attention under it piece by piece.

    Args:
        groups: in the order in which they stand.
        window: how many of the latest tokens a token sees, itself included; None: all.
        device: of the queries.

    Raises:
        ArgumentError: dropout in attention, or any other use than as the mask of `scaled_dot_product_attention`
            (a model that combines masks, say).

    Example:
        >>> q, k, v = torch.randn(3, 1, 2, 6, 8).unbind(0)  # (1, heads, L, width)
        >>> groups = [PrefixGroup(2, (3, 1))]
        >>> mask = SharedPrefixMask(groups, None, q.device)
        >>> ours = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        >>> theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible(groups))
        >>> torch.allclose(ours, theirs, atol=1e-6)
        True
    """

    groups: tuple[PrefixGroup, ...]
    window: int | None
    _additive_masks: dict[tuple[int, torch.dtype], Tensor]

    @staticmethod
    def __new__(
        cls, groups: Sequence[PrefixGroup], window: int | None, device: torch.device | str
    ) -> "SharedPrefixMask":
        length = sum(group.tokens for group in groups)
        shape_only = torch.zeros(1, 1, 1, 1, dtype=torch.bool, device=device).expand(1, 1, length, length)
        mask = Tensor._make_subclass(cls, shape_only)
        mask.groups, mask.window, mask._additive_masks = tuple(groups), window, {}
        return mask

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is functional.scaled_dot_product_attention:
            return _masked_attention(*args, **kwargs)
        if func in _ASKS_ONLY:
            return super().__torch_function__(func, types, args, kwargs)
        raise ArgumentError(
            "attention_mask: expected to be read by scaled_dot_product_attention alone, "
            f"got {getattr(func, '__name__', func)}"
        )

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return f"SharedPrefixMask({self.groups}, window={self.window})"

    def attend(self, query: Tensor, key: Tensor, value: Tensor, scale: float | None) -> Tensor:
        """(1, heads, L, width) of queries, keys and values as packed; the same of values."""
        sizes = [length for group in self.groups for length in (group.prompt, *group.completions)]
        # One split and one concatenation: the backward pass of a slice would fill a whole row with zeros each.
        pieces = list(zip(*(one.split(sizes, 2) for one in (query, key, value)), strict=True))
        found: list[Tensor] = []
        for group in self.groups:
            prompt, *completions = pieces[len(found) : len(found) + 1 + len(group.completions)]
            found.append(self._attend_prompt(prompt, scale))
            found += self._attend_completions(group, prompt, completions, scale)
        return torch.cat(found, 2)

    def _attend_prompt(self, prompt: Sequence[Tensor], scale: float | None) -> Tensor:
        query, key, value = prompt
        length = query.shape[2]
        if self.window is None or length <= self.window:
            return functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)
        mask = self._mask(0, length, query)
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)

    def _attend_completions(
        self, group: PrefixGroup, prompt: Sequence[Tensor], completions: Sequence[Sequence[Tensor]], scale: float | None
    ) -> list[Tensor]:
        found = [values for _, _, values in completions]  # those without a token stay as they are
        seen = group.seen(self.window)
        _, prompt_keys, prompt_values = (one[:, :, group.prompt - seen :] for one in prompt)
        for numbers in group.batches:
            longest = group.completions[numbers[0]]
            query, own_keys, own_values = (
                _side_by_side([completions[number][part] for number in numbers], longest) for part in range(3)
            )  # (n, heads, longest, width); padding is on the right, where no token looks
            key, value = (
                torch.cat([shared.expand(len(numbers), -1, -1, -1), own], 2)
                for shared, own in ((prompt_keys, own_keys), (prompt_values, own_values))
            )
            mask = self._mask(seen, longest, query)
            attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)
            for number, one in zip(numbers, attended.split(1), strict=True):
                found[number] = one[:, :, : group.completions[number]]
        return found

    def _mask(self, before: int, length: int, like: Tensor) -> Tensor:
        """(length, before + length): tokens that stand behind `before` others, all of them within the window.

        Kept for the next layer, as a float: a boolean one would be turned into a float by every call and be held by
        each until the backward pass.
        """
        known = self._additive_masks.get((before, like.dtype))
        if known is None or len(known) < length:
            sees = torch.ones(length, before + length, dtype=torch.bool, device=like.device).tril(before)
            if self.window is not None:
                sees = sees.triu(before + 1 - self.window)
            known = self._additive_masks[before, like.dtype] = _additive(sees, like.dtype)
        return known[:length, : before + length]


_ASKS_ONLY = {
    getattr(Tensor, name).__get__ for name in ("shape", "dtype", "device", "ndim", "requires_grad", "is_cuda")
}
_ASKS_ONLY |= {Tensor.size, Tensor.dim, Tensor.numel}
"""What may be asked of the mask: its data are one False for all entries, and mean nothing."""


def _masked_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    if not isinstance(attn_mask, SharedPrefixMask) or dropout_p or is_causal or enable_gqa:
        raise ArgumentError(
            "attention: expected the mask as attn_mask, no dropout and as many heads of keys as of queries, "
            f"got dropout_p {dropout_p}, is_causal {is_causal}, enable_gqa {enable_gqa}"
        )
    return attn_mask.attend(query, key, value, scale)


def _side_by_side(pieces: Sequence[Tensor], length: int) -> Tensor:
    """Pieces (1, heads, at most length, width) as one (n, heads, length, width), padded on the right with 0."""
    return torch.cat(
        [functional.pad(one, (0, 0, 0, length - one.shape[2])) if one.shape[2] < length else one for one in pieces]
    )


def _additive(sees: Tensor, dtype: torch.dtype) -> Tensor:
    lowest = torch.finfo(dtype).min
    return torch.zeros(sees.shape, dtype=dtype, device=sees.device).masked_fill_(~sees, lowest)
