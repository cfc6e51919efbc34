"""A whole update, held against a plain one: a row at a time, all logits, every row run. In float64."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import torch
from double_models import AllDouble
from plain_update import batch_of, plain_update, policy, same_weights
from torch import nn

from rewardgate.errors import ArgumentError
from rewardgate.grpo import LossConfig
from rewardgate.grpo.update import PolicyUpdate, UpdateBatch, UpdateConfig

LENGTHS = [(3, 4), (1, 1), (2, 6), (4, 2), (2, 3), (1, 5)]


def sgd(model: nn.Module, lr: float = 0.05) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr)


def both(
    batch: UpdateBatch, config: UpdateConfig, *, family: str = "Qwen2", reference: Any = None, lr: float = 0.05
) -> Any:
    """Updated the plain way and by `PolicyUpdate`; the record of the latter."""
    model = policy(family)
    plain = deepcopy(model)
    stats = PolicyUpdate(model, sgd(model, lr), config, reference=reference).step(batch)
    plain_update(plain, sgd(plain, lr), batch, config, reference=reference)
    same_weights(model, plain)
    assert any(
        not torch.equal(one, other) for one, other in zip(model.parameters(), policy(family).parameters(), strict=True)
    )
    return stats


@pytest.mark.parametrize("family", ["Qwen2", "Qwen3", "Llama", "Mistral"])
def test_a_plain_grpo_batch_moves_the_weights_as_a_plain_loop_does(family: str) -> None:
    stats = both(batch_of(LENGTHS, dead={0, 2}), UpdateConfig(max_grad_norm=None), family=family)
    assert (stats.rows, stats.tokens, stats.rows_skipped, stats.tokens_skipped) == (6, 21, 2, 10)
    assert stats.optimizer_steps == 1


FORMS = {
    "clip": LossConfig(epsilon_high=0.28),
    "dual_clip": LossConfig(dual_clip=1.5),
    "gspo": LossConfig(form="gspo", epsilon_low=0.1, epsilon_high=0.1),
    "cispo": LossConfig(form="cispo_band"),
    "sequence_mean": LossConfig(reduction="sequence_mean"),
    "constant": LossConfig(reduction="constant", completion_budget=8),
    "against rollout": LossConfig(ratio_against="rollout"),
    "importance off": LossConfig(importance="off"),
    "importance by sequence": LossConfig(importance="sequence", importance_cap=3.0),
    "entropy": LossConfig(entropy_coef=0.05),
}


@pytest.mark.parametrize("loss", FORMS.values(), ids=FORMS)
def test_many_epochs_and_mini_batches_with_clipped_ratios_are_the_plain_loops(loss: LossConfig) -> None:
    batch = batch_of(LENGTHS, dead={1, 2}, others=("rollout_logprobs",), holes=True)
    config = UpdateConfig(loss=loss, epochs=2, mini_batches=2, temperature=0.8, max_grad_norm=0.5)
    stats = both(batch, config, lr=0.5)
    assert len(stats.steps) == 4
    assert max(step.loss.ratio_max for step in stats.steps) > 1.05
    shares = [step.loss.clipped_low + step.loss.clipped_high for step in stats.steps[1:]]
    assert sum(shares) > 0, "nothing was clipped: the test would not see a ratio of 1"


@pytest.mark.parametrize("family", ["Qwen2", "Llama", "Mistral"])
def test_prompts_that_are_computed_once_move_the_weights_as_their_copies_do(family: str) -> None:
    batch = batch_of([(5, 4), (5, 1), (5, 6), (3, 2), (3, 3), (3, 5)], dead={1}, others=("rollout_logprobs",))
    prompts = [batch.prompt_ids[0]] * 3 + [batch.prompt_ids[3]] * 3
    config = UpdateConfig(layout="shared_prefix", loss=LossConfig(beta=0.1), epochs=2, mini_batches=2, token_budget=24)
    with AllDouble():
        stats = both(replace(batch, prompt_ids=prompts), config, family=family, reference=policy(family, sharp=20.0))
    assert (stats.layout, stats.optimizer_steps) == ("shared_prefix", 4)


def test_old_logprobs_that_the_batch_brings_are_the_ratios() -> None:
    batch = batch_of(LENGTHS, others=("old_logprobs",))
    stats = both(batch, UpdateConfig(epochs=2, max_grad_norm=None))
    assert stats.steps[0].loss.ratio_max != 1


@pytest.mark.parametrize("kl_on_degenerate", [True, False])
def test_the_kl_to_a_second_model_holds_rows_without_an_advantage_too_unless_told_otherwise(
    kl_on_degenerate: bool,
) -> None:
    loss = LossConfig(beta=0.1, kl_on_degenerate=kl_on_degenerate)
    batch = batch_of(LENGTHS, dead={0, 3})
    stats = both(batch, UpdateConfig(loss=loss, mini_batches=2, max_grad_norm=None), reference=policy(seed=7))
    if kl_on_degenerate:
        assert (stats.rows_skipped, stats.why_not_skipped) == (0, "beta = 0.1: every token has a gradient of its KL")
    else:
        assert (stats.rows_skipped, stats.why_not_skipped) == (2, None)
    assert stats.loss.kl > 0


def test_a_batch_in_which_every_row_is_dead_leaves_weights_and_optimizer_bit_identical() -> None:
    model = policy()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
    update = PolicyUpdate(model, optimizer)
    update.step(batch_of(LENGTHS))  # so that there is momentum, which would move weights
    weights, state = deepcopy(model.state_dict()), deepcopy(optimizer.state_dict())
    stats = update.step(batch_of(LENGTHS, dead=set(range(6))))
    assert all(torch.equal(one, model.state_dict()[name]) for name, one in weights.items())
    for number, entries in state["state"].items():
        for name, one in entries.items():
            assert torch.equal(one, optimizer.state_dict()["state"][number][name])
    assert (stats.optimizer_steps, stats.micro_batches, stats.rows_skipped) == (0, 0, 6)
    assert stats.steps[0].why_not == "no row has a gradient"
    assert (update.batches, update.optimizer_steps) == (2, 1)


def test_dead_rows_run_for_another_reason_still_do_not_make_a_step() -> None:
    model = policy()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    update = PolicyUpdate(model, optimizer, UpdateConfig(skip=False))
    update.step(batch_of(LENGTHS))
    weights = deepcopy(model.state_dict())
    stats = update.step(batch_of(LENGTHS, dead=set(range(6))))
    assert all(torch.equal(one, model.state_dict()[name]) for name, one in weights.items())
    assert (stats.optimizer_steps, stats.why_not_skipped) == (0, "skip = False")
    assert stats.loss.tokens == 21


def test_a_full_pass_measures_skipped_rows_and_changes_no_weight() -> None:
    batch = batch_of(LENGTHS, dead={0, 2}, others=("rollout_logprobs",))
    found = {}
    for every in (None, 1):
        model = policy()
        update = PolicyUpdate(model, sgd(model), UpdateConfig(full_pass_every=every, epochs=2, entropy=True))
        found[every] = model, update.step(batch)
    same_weights(found[None][0], found[1][0])
    live, full = (stats for _, stats in found.values())
    assert (live.loss.tokens, full.loss.tokens) == (2 * 11, 2 * 21)
    assert (live.loss.live_only, full.loss.live_only, full.is_full_pass) == (True, False, True)
    assert full.rows_skipped == 2
    everything = PolicyUpdate(model := policy(), sgd(model), UpdateConfig(skip=False, epochs=2, entropy=True)).step(
        batch
    )
    assert full.loss.figures() == pytest.approx(everything.loss.figures(), rel=1e-9, abs=1e-12, nan_ok=True)
    assert full.steps[0].sampler is not None
    assert everything.steps[0].sampler is not None
    assert full.steps[0].sampler.k3 == pytest.approx(everything.steps[0].sampler.k3)


def test_full_passes_come_every_so_many_batches() -> None:
    model = policy()
    update = PolicyUpdate(model, sgd(model), UpdateConfig(full_pass_every=2))
    assert [update.step(batch_of(LENGTHS, dead={0})).is_full_pass for _ in range(4)] == [False, True, False, True]


def test_a_gradient_that_is_not_finite_costs_the_step_is_counted_and_the_batch_kept(tmp_path: Any) -> None:
    from rewardgate.grpo.update import load_batch

    model = policy()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    update = PolicyUpdate(model, optimizer, UpdateConfig(save_nonfinite=tmp_path / "kept", mini_batches=2))
    batch = batch_of(LENGTHS)
    update.step(batch)
    good = deepcopy(model.state_dict())
    broken = model.get_input_embeddings().weight
    with torch.no_grad():
        broken[int(batch.completion_ids[0][0])] = float("nan")
    state = deepcopy(optimizer.state_dict()["state"][0])
    stats = update.step(batch)
    assert (stats.optimizer_steps, stats.nonfinite_steps, update.nonfinite_steps) == (0, 2, 2)
    assert all(torch.equal(one, model.state_dict()[name]) for name, one in good.items() if "layers" in name)
    assert all(torch.equal(one, optimizer.state_dict()["state"][0][name]) for name, one in state.items())
    assert all(one.grad is None for one in model.parameters())
    assert stats.saved is not None
    kept = load_batch(stats.saved)
    assert all(torch.equal(one, other) for one, other in zip(kept.completion_ids, batch.completion_ids, strict=True))  # type: ignore[arg-type]
    assert torch.equal(kept.advantages, batch.advantages)
    assert kept.rollout_logprobs is None


def test_clipping_scales_the_whole_gradient() -> None:
    lengths: list[torch.Tensor] = []
    for limit in (None, 0.01):
        model = policy()
        before = torch.cat([one.detach().flatten().clone() for one in model.parameters()])
        stats = PolicyUpdate(model, sgd(model, 1.0), UpdateConfig(max_grad_norm=limit)).step(batch_of(LENGTHS))
        lengths.append(before - torch.cat([one.detach().flatten() for one in model.parameters()]))
        assert stats.steps[0].is_clipped is (limit is not None)
        assert stats.steps[0].grad_norm == pytest.approx(lengths[0].norm().item(), rel=1e-9)
    assert lengths[1].norm().item() == pytest.approx(0.01, rel=1e-4)
    torch.testing.assert_close(lengths[1] / lengths[1].norm(), lengths[0] / lengths[0].norm(), rtol=1e-6, atol=1e-9)


def test_a_run_resumed_is_the_run_bit_for_bit() -> None:
    config = UpdateConfig(epochs=2, mini_batches=2, shuffle=True, seed=3)
    batches = [batch_of(LENGTHS, seed=seed, dead={seed}) for seed in range(4)]

    def fresh(state: Any = None) -> tuple[Any, Any, PolicyUpdate]:
        # Dropout too: what it draws must not depend on where the run began.
        model = policy("Llama", attention_dropout=0.3).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        update = PolicyUpdate(model, optimizer, config)
        if state is not None:
            for one, saved in zip((model, optimizer, update), state, strict=True):
                one.load_state_dict(saved)
        return model, optimizer, update

    model, optimizer, update = fresh()
    for batch in batches[:2]:
        update.step(batch)
    state = deepcopy([one.state_dict() for one in (model, optimizer, update)])
    for batch in batches[2:]:
        update.step(batch)
    torch.manual_seed(99)
    again, _, resumed = fresh(state)
    for batch in batches[2:]:
        resumed.step(batch)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), again.parameters(), strict=True))
    assert (resumed.batches, resumed.optimizer_steps) == (4, 16)
    with pytest.raises(ArgumentError, match="state: expected entries batches, optimizer_steps, nonfinite_steps"):
        resumed.load_state_dict({"batches": 1})


def test_the_callers_random_numbers_are_left_alone() -> None:
    model = policy("Llama", attention_dropout=0.3).train()
    update = PolicyUpdate(model, sgd(model))
    torch.manual_seed(5)
    state = torch.get_rng_state()
    stats = update.step(batch_of(LENGTHS, dead={0}))
    assert torch.equal(torch.get_rng_state(), state)
    assert stats.why_not_skipped == "dropout: random numbers depend on the rows that are run"


def test_activation_checkpointing_changes_nothing_and_needs_training_mode() -> None:
    batch, models = batch_of(LENGTHS, dead={1}), []
    for is_on in (False, True):
        model = policy("Llama").train()
        PolicyUpdate(model, sgd(model), UpdateConfig(activation_checkpointing=is_on, epochs=2)).step(batch)
        models.append(model)
    same_weights(*models)
    model.eval()
    with pytest.raises(ArgumentError, match=r"activation_checkpointing: expected a model in training mode"):
        PolicyUpdate(model, sgd(model), UpdateConfig(activation_checkpointing=True)).step(batch)


def test_the_gradient_of_degenerate_groups_is_measured_where_asked() -> None:
    batch = batch_of(LENGTHS)
    degenerate = torch.tensor([True, False, False, True, False, False])
    batch = UpdateBatch(batch.prompt_ids, batch.completion_ids, batch.advantages, degenerate=degenerate)
    alone = UpdateBatch(batch.prompt_ids, batch.completion_ids, batch.advantages * degenerate, degenerate=degenerate)
    options = {"max_grad_norm": None}
    whole = PolicyUpdate(model := policy(), sgd(model), UpdateConfig(degenerate_gradient=True, **options)).step(batch)
    only = PolicyUpdate(model := policy(), sgd(model), UpdateConfig(**options)).step(alone)
    plain = PolicyUpdate(model := policy(), sgd(model), UpdateConfig(**options)).step(batch)
    assert whole.steps[0].degenerate_grad_norm == pytest.approx(only.steps[0].grad_norm, rel=1e-9)
    assert whole.steps[0].grad_norm == pytest.approx(plain.steps[0].grad_norm, rel=1e-9)


@pytest.mark.parametrize(
    ("loss", "lacks"),
    [
        (
            LossConfig(ratio_against="rollout"),
            r'rollout_logprobs: expected a tensor with ratio_against="rollout", got None',
        ),
        (LossConfig(importance="token"), 'rollout_logprobs: expected a tensor with importance="token", got None'),
        (LossConfig(beta=0.1), r"ref_logprobs: expected a tensor or a reference with beta = 0.1, got None"),
        (LossConfig(beta=0.1, kl_on_degenerate=False), "degenerate: expected a tensor with kl_on_degenerate=False"),
    ],
)
def test_what_an_option_needs_and_the_batch_lacks_is_named(loss: LossConfig, lacks: str) -> None:
    model = policy()
    update = PolicyUpdate(model, sgd(model), UpdateConfig(loss=loss))
    with pytest.raises(ArgumentError, match=lacks):
        update.step(UpdateBatch([[1]], [[2]], torch.ones(1)))


def test_ids_that_the_model_does_not_have_and_things_that_are_no_batch_are_refused() -> None:
    model = policy()
    update = PolicyUpdate(model, sgd(model))
    with pytest.raises(ArgumentError, match=r"ids in \[0, 61\), got 61"):
        update.step(UpdateBatch([[1]], [[61]], torch.ones(1)))
    with pytest.raises(ArgumentError, match="batch: expected an UpdateBatch, got dict"):
        update.step({})  # type: ignore[arg-type]


def test_every_figure_has_a_name_and_a_number() -> None:
    model = policy()
    batch = batch_of(LENGTHS, dead={0}, others=("rollout_logprobs",))
    stats = PolicyUpdate(model, sgd(model)).step(batch)
    figures = stats.figures()
    assert all(isinstance(value, int | float) for value in figures.values())
    assert {"live_ratio_mean", "grad_norm", "skipped_tokens", "sampler_live_k3", "seconds_gradient", "peak_mib"} <= set(
        figures
    )
    assert figures["skipped_tokens"] == pytest.approx(4 / 21)
    assert (stats.layout, stats.layout_why) == ("shared_prefix", "layers at 0.61 x the cost of padded")
