"""Under peft: a frozen head, a trained copy of it, an adapter on it, and adapters that move positions."""

from typing import Any

import pytest
import torch
from small_models import VOCABULARY, small_model

from rewardgate.errors import ArgumentError
from rewardgate.grpo.causal_lm import head_of, hidden_states
from rewardgate.grpo.fused_loss import fused_token_loss

peft = pytest.importorskip("peft", reason="NOT RUN: needs peft")

IDS = torch.randint(3, VOCABULARY, (2, 9), generator=torch.Generator().manual_seed(5))


def lora(family: str = "Llama", **options: Any) -> Any:
    """With adapters whose second factor is not 0, as after some steps."""
    config = peft.LoraConfig(**{"r": 2, "target_modules": ["q_proj", "v_proj"], "task_type": "CAUSAL_LM", **options})
    model = peft.get_peft_model(small_model(family).double(), config)
    with torch.no_grad():
        for name, one in model.named_parameters():
            if one.requires_grad:
                one.add_(0.1 * torch.randn(one.shape, generator=torch.Generator().manual_seed(len(name))))
    return model


@pytest.mark.parametrize("options", [{}, {"modules_to_save": ["lm_head"]}])
def test_gradients_of_adapters_and_of_a_trained_copy_of_the_head_are_the_models_own(options: dict[str, Any]) -> None:
    model = lora(**options)
    head = head_of(model)
    assert head.is_frozen is not bool(options)
    trained = {name: one for name, one in model.named_parameters() if one.requires_grad}
    logits = model(input_ids=IDS).logits[:, :-1]
    logits.log_softmax(-1).gather(-1, IDS[:, 1:, None]).sum().backward()
    plain = {name: one.grad for name, one in trained.items()}
    model.zero_grad()
    hidden = hidden_states(model, IDS)[:, :-1]
    fused_token_loss(hidden, IDS[:, 1:], head, lambda logprobs, _, __: logprobs).loss.backward()
    for name, one in trained.items():
        torch.testing.assert_close(one.grad, plain[name], rtol=1e-9, atol=1e-12, msg=name)
    assert all(one.grad is None for one in model.parameters() if not one.requires_grad)


def test_with_adapters_off_the_head_is_the_first_one() -> None:
    model = lora(modules_to_save=["lm_head"])
    with_adapter = head_of(model)
    with model.disable_adapter():
        without = head_of(model)
        hidden = hidden_states(model, IDS)
        assert torch.equal(without.logits(hidden), model(input_ids=IDS).logits)
    assert without.weight is model.get_base_model().lm_head.original_module.weight
    assert without.weight is not with_adapter.weight


def test_an_adapter_on_the_head_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        ArgumentError, match=r"output layer without an adapter, got peft.*; leave it out of target_modules"
    ):
        head_of(lora(target_modules=["q_proj", "lm_head"]))


def test_an_adapter_on_a_tied_embedding_that_the_head_does_not_see_is_no_error() -> None:
    model = lora("Gemma", target_modules=["q_proj", "embed_tokens"])
    assert torch.equal(head_of(model).logits(hidden_states(model, IDS)), model(input_ids=IDS).logits)


def test_virtual_tokens_are_refused() -> None:
    config = peft.PromptTuningConfig(num_virtual_tokens=2, task_type="CAUSAL_LM")
    model = peft.get_peft_model(small_model("Llama"), config)
    for call in (head_of, lambda one: hidden_states(one, IDS)):
        with pytest.raises(ArgumentError, match="model: expected adapters that leave positions as they are"):
            call(model)
