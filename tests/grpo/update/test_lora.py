"""Adapters are trained as a plain loop trains them, with the model below them as the reference."""

from copy import deepcopy
from typing import Any

import pytest
import torch
from plain_update import batch_of, plain_update, policy, same_weights

from rewardgate.errors import ArgumentError
from rewardgate.grpo import LossConfig
from rewardgate.grpo.update import PolicyUpdate, UpdateConfig

peft = pytest.importorskip("peft", reason="NOT RUN: needs peft")

LENGTHS = [(3, 4), (1, 1), (2, 6), (4, 2)]


def adapted(**options: Any) -> Any:
    config = peft.LoraConfig(**{"r": 2, "target_modules": ["q_proj", "v_proj"], "task_type": "CAUSAL_LM", **options})
    model = peft.get_peft_model(policy("Llama"), config)
    with torch.no_grad():
        for name, one in model.named_parameters():
            if one.requires_grad:
                one.add_(0.1 * torch.randn(one.shape, generator=torch.Generator().manual_seed(len(name))))
    return model


@pytest.mark.parametrize("options", [{}, {"modules_to_save": ["lm_head"]}])
def test_adapters_move_as_a_plain_loop_moves_them_with_the_base_as_reference(options: dict[str, Any]) -> None:
    model = adapted(**options)
    plain = deepcopy(model)
    batch = batch_of(LENGTHS, dead={1})
    config = UpdateConfig(loss=LossConfig(beta=0.1), epochs=2, token_budget=9)

    def sgd(one: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([weight for weight in one.parameters() if weight.requires_grad], lr=0.1)

    stats = PolicyUpdate(model, sgd(model), config, reference="adapter_off").step(batch)
    plain_update(plain, sgd(plain), batch, config, reference=policy("Llama"))
    same_weights(model, plain)
    assert stats.loss.kl > 0
    frozen = {name for name, one in model.named_parameters() if not one.requires_grad}
    first = dict(adapted(**options).named_parameters())
    assert all(torch.equal(one, first[name]) is (name in frozen) for name, one in model.named_parameters())


def test_dropout_of_adapters_is_a_reason_not_to_skip() -> None:
    model = adapted(lora_dropout=0.1).train()
    stats = PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=0.1)).step(batch_of(LENGTHS, dead={1}))
    assert (stats.rows_skipped, stats.why_not_skipped) == (0, "dropout: random numbers depend on the rows that are run")


def test_adapter_off_of_a_model_without_adapters_is_refused() -> None:
    model = policy("Llama")
    with pytest.raises(ArgumentError, match='reference: expected a model under peft with "adapter_off", got LlamaFor'):
        PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=0.1), reference="adapter_off")
