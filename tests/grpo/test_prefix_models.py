"""What a model's layers see is read; a model whose states would differ is refused, with the reason."""

from typing import Any

import pytest
import torch
from small_models import small_model
from torch import nn

from rewardgate.errors import ArgumentError
from rewardgate.grpo.prefix_groups import PrefixGroup
from rewardgate.grpo.prefix_mask import SharedPrefixMask
from rewardgate.grpo.prefix_models import AttentionKinds, attention_kinds, text_config, try_shared_prefix


def test_windows_are_read_by_the_kind_of_layer() -> None:
    assert attention_kinds(small_model("Llama")) == AttentionKinds(None, is_dense=False)
    assert attention_kinds(small_model("Mistral", sliding_window=7)) == AttentionKinds(7, is_dense=False)
    assert attention_kinds(small_model("Qwen3")) == AttentionKinds(None, is_dense=False)
    by_kind = {"full_attention": None, "sliding_attention": 5}
    assert attention_kinds(small_model("Gemma2", sliding_window=5)) == AttentionKinds(by_kind, is_dense=True)


def test_a_mask_has_the_form_that_the_model_takes() -> None:
    groups, device = [PrefixGroup(1, (2, 1))], torch.device("cpu")
    assert isinstance(AttentionKinds(3, is_dense=False).mask(groups, torch.float32, device), SharedPrefixMask)
    masks = AttentionKinds({"full_attention": None, "sliding_attention": 2}, is_dense=True).mask(
        groups, torch.float64, device
    )
    assert {kind: (mask.shape, mask.dtype) for kind, mask in masks.items()} == {
        "full_attention": ((1, 1, 4, 4), torch.float64),
        "sliding_attention": ((1, 1, 4, 4), torch.float64),
    }


def test_the_configuration_is_found_inside_wrappers() -> None:
    model = small_model("Llama")
    assert text_config(nn.ModuleList([nn.ModuleList([model])])) is model.config
    with pytest.raises(ArgumentError, match="model: expected a causal language model of transformers, got Linear"):
        text_config(nn.Linear(1, 1))


@pytest.mark.parametrize(
    ("family", "changes", "reason"),
    [
        ("Mamba", {}, "expected layers of .*, got \\['linear_attention'\\]"),
        ("Bloom", {}, "expected a mask of four dimensions to be taken as it is"),
        ("Llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}}, "rope_type dynamic"),
        ("Mixtral", {"output_router_logits": True}, "no loss over the load of experts"),
        ("Gemma", {"use_bidirectional_attention": True}, "expected the states that every row has alone"),
    ],
)
def test_a_model_that_shared_prompts_would_change_is_refused(family: str, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        try_shared_prefix(small_model(family, **changes))


def test_other_kinds_of_attention_are_refused() -> None:
    model = small_model("Llama")
    model.config._attn_implementation = "flash_attention_2"
    with pytest.raises(ArgumentError, match="model: expected attention sdpa or eager, got flash_attention_2"):
        try_shared_prefix(model)


def test_a_compiled_model_is_refused() -> None:
    model, other = small_model("Llama"), small_model("Llama")
    model.model.layers[0]._compiled_call_impl = model.model.layers[0]._call_impl  # as Module.compile leaves it
    other._orig_mod = small_model("Llama")  # as torch.compile wraps it
    for compiled in (model, other):
        with pytest.raises(ArgumentError, match="model: expected one that is not compiled"):
            try_shared_prefix(compiled)


class CarriesState(nn.Module):
    """A layer whose output depends on what stood before it in the packed row."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.inner(hidden + 0.1 * hidden.cumsum(1))


def test_a_state_that_is_carried_along_the_row_is_noticed() -> None:
    model = small_model("Qwen2")
    model.model.layers[1].mlp = CarriesState(model.model.layers[1].mlp)
    with pytest.raises(ArgumentError, match="model: expected the states that every row has alone, got others"):
        try_shared_prefix(model)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("family", ["Qwen2", "Gemma2", "Mixtral", "GPT2"])
def test_the_trial_passes_in_any_precision_and_leaves_no_gradient(family: str, dtype: torch.dtype) -> None:
    model = small_model(family).to(dtype).train()
    state = torch.get_rng_state()
    if family == "GPT2":
        model.eval()
    try_shared_prefix(model)
    assert all(one.grad is None for one in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)
