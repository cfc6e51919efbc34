"""Attention piece by piece is attention under the dense mask; the mask refuses whatever else is done with it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from shared_prompts import prefix_groups
from torch import Tensor
from torch.nn import functional

from rewardgate.errors import ArgumentError
from rewardgate.grpo.prefix_groups import PrefixGroup, visible
from rewardgate.grpo.prefix_mask import SharedPrefixMask, dense_mask

GROUPS = [PrefixGroup(7, (5, 0, 5, 2, 9)), PrefixGroup(1, (3, 4)), PrefixGroup(8)]


def inputs(length: int, dtype: torch.dtype = torch.float64, width: int = 4) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, 2, length, width, generator=generator, dtype=dtype).requires_grad_() for _ in range(3)]


@given(prefix_groups(), st.none() | st.integers(1, 12))
def test_values_and_gradients_are_those_of_the_dense_mask(groups: list[PrefixGroup], window: int | None) -> None:
    length = sum(group.tokens for group in groups)
    query_key_value = inputs(length)
    slopes = torch.randn(1, 2, length, 4, dtype=torch.float64)
    found = []
    for mask in (SharedPrefixMask(groups, window, "cpu"), visible(groups, window)):
        values = functional.scaled_dot_product_attention(*query_key_value, attn_mask=mask, scale=0.7)
        found.append([values, *torch.autograd.grad(values, query_key_value, slopes)])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_values_may_be_narrower_than_keys() -> None:
    query, key, value = inputs(44)
    ours, theirs = (
        functional.scaled_dot_product_attention(query, key, value[..., :3], attn_mask=mask)
        for mask in (SharedPrefixMask(GROUPS, None, "cpu"), visible(GROUPS))
    )
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_the_dense_mask_is_added() -> None:
    mask = dense_mask([PrefixGroup(1, (1, 1))], None, torch.float32, torch.device("cpu"))
    low = torch.finfo(torch.float32).min
    assert mask.tolist() == [[[[0.0, low, low], [0.0, 0.0, low], [0.0, low, 0.0]]]]


def test_the_mask_looks_like_one_and_takes_no_memory() -> None:
    mask = SharedPrefixMask([PrefixGroup(1000, (500,) * 64)], None, "cpu")
    assert isinstance(mask, Tensor)
    assert (mask.shape, mask.ndim, mask.dtype, mask.size(2)) == ((1, 1, 33_000, 33_000), 4, torch.bool, 33_000)
    assert mask.device == torch.device("cpu")
    assert "PrefixGroup(prompt=1000" in repr(mask)


def test_bfloat16_differs_by_its_rounding() -> None:
    exact, rounded = (
        functional.scaled_dot_product_attention(
            *inputs(44, dtype), attn_mask=SharedPrefixMask(GROUPS, 6, "cpu")
        ).float()
        for dtype in (torch.float32, torch.bfloat16)
    )
    torch.testing.assert_close(rounded, exact, rtol=0.03, atol=0.03)


@pytest.mark.parametrize(
    "use",
    [
        lambda mask: mask + 1,
        lambda mask: mask & mask,
        lambda mask: mask[..., :3],
        lambda mask: mask.float(),
        lambda mask: torch.where(mask, 0.0, 1.0),
        lambda mask: bool(mask.any()),
    ],
)
def test_whoever_reads_the_mask_as_numbers_is_told(use: Callable[[Tensor], Any]) -> None:
    with pytest.raises(ArgumentError, match="attention_mask: expected to be read by scaled_dot_product_attention"):
        use(SharedPrefixMask(GROUPS, None, "cpu"))


@pytest.mark.parametrize("option", [{"dropout_p": 0.1}, {"is_causal": True}, {"enable_gqa": True}])
def test_attention_with_options_that_it_does_not_have_is_refused(option: dict[str, Any]) -> None:
    ((name, value),) = option.items()
    with pytest.raises(ArgumentError, match=f"attention: expected .*{name} {value}"):
        functional.scaled_dot_product_attention(*inputs(44), attn_mask=SharedPrefixMask(GROUPS, None, "cpu"), **option)
