"""What may never change a gradient: how rows are split, sorted, laid out and skipped. In float64, to 1e-12."""

from copy import deepcopy
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_update import batch_of, batches, plain_update, policy, same_weights
from small_models import small_model

from rewardgate.grpo import LossConfig
from rewardgate.grpo.update import PolicyUpdate, UpdateBatch, UpdateConfig

LOSSES = (
    LossConfig(),
    LossConfig(reduction="sequence_mean", epsilon_high=0.28),
    LossConfig(form="gspo"),
    LossConfig(beta=0.1, kl_on_degenerate=False),
    LossConfig(entropy_coef=0.01, reduction="constant", completion_budget=6),
    LossConfig(importance="sequence", importance_cap=3.0),
)
MODEL, REFERENCE = policy(), policy(seed=5)


@settings(max_examples=12)
@given(
    batches(others=("rollout_logprobs",)),
    st.sampled_from(LOSSES),
    st.fixed_dictionaries(
        {
            "token_budget": st.sampled_from([1, 9, 20, None]),
            "layout": st.sampled_from(["padded", "packed"]),
            "skip": st.booleans(),
            "full_pass_every": st.sampled_from([None, 1]),
            "degenerate_gradient": st.booleans(),
            "entropy": st.booleans(),
        }
    ),
    st.sampled_from([(1, 1), (2, 2)]),
)
def test_splitting_sorting_packing_and_skipping(
    batch: UpdateBatch, loss: LossConfig, options: dict[str, Any], times: tuple[int, int]
) -> None:
    epochs, mini_batches = times
    config = UpdateConfig(
        loss=loss, epochs=epochs, mini_batches=mini_batches, max_grad_norm=None, chunk_mib=0.001, **options
    )
    model, plain = deepcopy(MODEL), deepcopy(MODEL)
    PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=0.05), config, reference=REFERENCE).step(batch)
    plain_update(plain, torch.optim.SGD(plain.parameters(), lr=0.05), batch, config, reference=REFERENCE)
    same_weights(model, plain)


def test_the_order_of_rows_changes_nothing() -> None:
    lengths = [(3, 4), (1, 1), (2, 6), (4, 2)]
    batch, order = batch_of(lengths), [2, 0, 3, 1]
    turned = UpdateBatch(
        [batch.prompt_ids[row] for row in order],  # type: ignore[misc]
        [batch.completion_ids[row] for row in order],  # type: ignore[misc]
        batch.advantages[order],
    )
    models = []
    for one in (batch, turned):
        model = deepcopy(MODEL)
        PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=0.05), UpdateConfig(token_budget=9)).step(one)
        models.append(model)
    same_weights(*models)


def test_bfloat16_autocast_keeps_float32_masters_and_comes_near_the_exact_step() -> None:
    batch = batch_of([(3, 4), (1, 1), (2, 6), (4, 2)], dead={1})
    moves = []
    for autocast in (None, "bfloat16"):
        model = small_model("Llama")
        before = torch.cat([one.detach().flatten().clone() for one in model.parameters()])
        config = UpdateConfig(autocast=autocast, max_grad_norm=None)
        PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=1.0), config).step(batch)
        assert all(one.dtype is torch.float32 for one in model.parameters())
        moves.append(before - torch.cat([one.detach().flatten() for one in model.parameters()]))
    assert 0 < (moves[1] - moves[0]).norm() / moves[0].norm() < 0.02


def test_a_model_in_bfloat16_is_updated_in_bfloat16() -> None:
    model = small_model("Llama").to(torch.bfloat16)
    stats = PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=1.0)).step(batch_of([(3, 4), (2, 6)]))
    assert stats.optimizer_steps == 1
    assert all(one.dtype is torch.bfloat16 for one in model.parameters())


def test_accelerate_in_bfloat16_is_the_autocast_of_our_own() -> None:
    accelerate = pytest.importorskip("accelerate", reason="NOT RUN: needs accelerate")
    batch, models = batch_of([(3, 4), (1, 1), (2, 6), (4, 2)], dead={1}), []
    for prepares in (False, True):
        model: Any = small_model("Llama")
        optimizer: Any = torch.optim.SGD(model.parameters(), lr=1.0)
        accelerator = accelerate.Accelerator(cpu=True, mixed_precision="bf16") if prepares else None
        if accelerator is not None:
            model, optimizer = accelerator.prepare(model, optimizer)
        config = UpdateConfig(autocast=None if prepares else "bfloat16", epochs=2)
        stats = PolicyUpdate(model, optimizer, config, accelerator=accelerator).step(batch)
        assert stats.optimizer_steps == 2
        models.append(model)
    same_weights(*models, tolerance=2e-3)
