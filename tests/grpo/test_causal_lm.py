"""A model in two parts: together they give its own logits, for every family; what is not known is refused."""

from typing import Any

import pytest
import torch
from small_models import FAMILIES, VOCABULARY, small_model
from torch import Tensor, nn

from rewardgate.errors import ArgumentError
from rewardgate.grpo.causal_lm import head_of, hidden_states
from rewardgate.grpo.fused_loss import fused_token_loss
from rewardgate.grpo.logprobs import selected_logprobs

IDS = torch.randint(3, VOCABULARY, (2, 9), generator=torch.Generator().manual_seed(5))
ATTENTION = torch.ones_like(IDS)


def logprobs_by(model: nn.Module, temperature: float = 1.0) -> Tensor:
    """(B, L - 1), from all logits."""
    logits = model(input_ids=IDS, attention_mask=ATTENTION).logits[:, :-1]
    return (logits / temperature).log_softmax(-1).gather(-1, IDS[:, 1:, None])[..., 0]


@pytest.mark.parametrize("family", FAMILIES)
def test_hidden_states_and_head_give_the_models_own_logprobs_and_gradients(family: str) -> None:
    model = small_model(family).double()
    head = head_of(model)
    assert head.weight is model.get_output_embeddings().weight
    names = dict(model.named_parameters())
    logprobs_by(model, 0.7).sum().backward()
    plain = {name: one.grad for name, one in names.items()}
    model.zero_grad()

    hidden = hidden_states(model, IDS, attention_mask=ATTENTION)[:, :-1]
    result = fused_token_loss(hidden, IDS[:, 1:], head, lambda logprobs, _, __: logprobs, temperature=0.7)
    result.loss.backward()
    with torch.no_grad():
        torch.testing.assert_close(result.logprobs, logprobs_by(model, 0.7), rtol=1e-9, atol=1e-12)
    for name, one in names.items():
        torch.testing.assert_close(one.grad, plain[name], rtol=1e-9, atol=1e-12, msg=name)


def test_what_a_family_does_to_its_logits_is_read() -> None:
    assert head_of(small_model("Gemma2")).softcap == 30.0
    assert head_of(small_model("Gemma2", final_logit_softcapping=None)).softcap is None
    assert head_of(small_model("Granite")).scale == pytest.approx(1 / 3)
    assert head_of(small_model("Cohere")).scale == 0.25
    assert head_of(small_model("Qwen3")).scale == 1.0


@pytest.mark.parametrize("change", [{"final_logit_softcapping": 7.0}, {"logit_scale": 0.5}, {"logits_scaling": 2.0}])
def test_a_configuration_that_the_model_does_not_follow_is_refused(change: dict[str, float]) -> None:
    model = small_model("Llama")
    for name, value in change.items():
        setattr(model.config, name, value)
    with pytest.raises(ArgumentError, match="model: expected logits cap"):
        head_of(model)


def test_a_head_that_does_something_unknown_is_refused() -> None:
    model = small_model("Llama")
    model.lm_head.register_forward_hook(lambda module, inputs, output: output * 1.01)
    with pytest.raises(ArgumentError, match="what this family does to its logits is not known here"):
        head_of(model)


def test_a_cap_that_small_logits_do_not_feel_is_noticed() -> None:
    # Random weights: logits below 1, where a cap of 30 changes the fourth digit. The probe's are 60.
    model = small_model("Gemma2")
    model.config.final_logit_softcapping = 30.0
    head_of(model)
    model.forward = _without_cap(model)  # type: ignore[method-assign]
    with pytest.raises(ArgumentError, match="model: expected logits cap"):
        head_of(model)


def _without_cap(model: Any) -> Any:
    forward = model.forward

    def uncapped(input_ids: Tensor, logits_to_keep: int = 0, **inputs: Any) -> Any:
        model.config.final_logit_softcapping, cap = None, model.config.final_logit_softcapping
        try:
            return forward(input_ids=input_ids, **inputs)
        finally:
            model.config.final_logit_softcapping = cap

    return uncapped


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("family", ["Qwen2", "Gemma2", "Granite"])
def test_a_half_precision_model_passes_the_check_and_agrees_within_its_own_rounding(
    family: str, dtype: torch.dtype
) -> None:
    model = small_model(family).to(dtype)
    head = head_of(model)
    with torch.no_grad():
        logprobs, _ = selected_logprobs(hidden_states(model, IDS)[:, :-1], IDS[:, 1:], head)
        theirs = model(input_ids=IDS).logits[:, :-1].float().log_softmax(-1).gather(-1, IDS[:, 1:, None])[..., 0]
    torch.testing.assert_close(logprobs, theirs, rtol=0, atol=0.02)


def test_the_check_leaves_mode_and_random_numbers_and_hooks_as_they_were() -> None:
    model = small_model("Llama", attention_dropout=0.5).train()
    model.model.layers[0].eval()
    state = torch.get_rng_state()
    head_of(model)
    assert torch.equal(torch.get_rng_state(), state)
    assert (model.training, model.model.layers[0].training) == (True, False)
    assert not model.get_decoder()._forward_hooks
    assert all(one.grad is None for one in model.parameters())


def test_the_head_meets_no_position_on_the_way_to_hidden_states() -> None:
    model, rows = small_model("Qwen2"), []
    model.lm_head.register_forward_hook(lambda module, inputs, output: rows.append(output.shape[1]))
    assert hidden_states(model, IDS).shape == (2, 9, 16)
    assert rows == [0]


def test_hooks_are_gone_after_an_error_of_the_model() -> None:
    model = small_model("Qwen2")
    with pytest.raises(IndexError):
        hidden_states(model, torch.tensor([[VOCABULARY + 5]]))
    assert not model.get_decoder()._forward_hooks


class Wrapper(nn.Module):
    """As DDP and accelerate wrap a model."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module, self.calls = module, 0

    def forward(self, **inputs: Any) -> Any:
        self.calls += 1
        return self.module(**inputs)


def test_a_wrapper_is_called_and_looked_into() -> None:
    model = small_model("Qwen2")
    wrapper = Wrapper(Wrapper(model))
    assert head_of(wrapper).weight is model.lm_head.weight
    assert torch.equal(hidden_states(wrapper, IDS), hidden_states(model, IDS))
    assert wrapper.calls == 1


def test_gradient_checkpointing_changes_no_gradient() -> None:
    found = []
    for is_on in (False, True):
        model = small_model("Llama").double().train()
        if is_on:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        hidden = hidden_states(model, IDS)[:, :-1]
        fused_token_loss(hidden, IDS[:, 1:], head_of(model), lambda logprobs, _, __: logprobs).loss.backward()
        found.append([one.grad for one in model.parameters()])
    for plain, checkpointed in zip(*found, strict=True):
        torch.testing.assert_close(plain, checkpointed, rtol=1e-12, atol=1e-14)


def test_what_is_no_causal_language_model_is_refused() -> None:
    for model in (nn.Linear(2, 2), small_model("Llama").model):
        with pytest.raises(ArgumentError, match="model: expected"):
            head_of(model)
