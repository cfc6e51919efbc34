"""What may never change a gradient: how a batch is sorted, split over micro-batches and processes, cut into chunks of
tokens, and whether rows that have no gradient are run at all. In float64, for every form of the loss."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo import (
    LossConfig,
    importance_weights,
    merge_loss_stats,
    policy_loss,
    token_losses,
    token_weights,
)

T64 = torch.float64
FORMS = (
    {},
    {"epsilon_high": 0.28, "dual_clip": 3.0},
    {"delta": 1.5},
    {"form": "gspo"},
    {"form": "gspo_token"},
    {"form": "cispo_band"},
    {"form": "cispo_cap", "ratio_cap": 1.5},
    {"ratio_against": "rollout"},
)
REDUCTIONS = ({}, {"reduction": "sequence_mean"}, {"reduction": "constant", "completion_budget": 7})
IMPORTANCE = ({"importance": "off"}, {"importance": "token"}, {"importance": "sequence", "importance_cap": 1.2})
EXTRAS = (
    {},
    {"beta": 0.1, "kl_times_ratio": True},
    {"beta": 0.1, "kl": "k2", "kl_on_degenerate": False},
    {"entropy_coef": 0.05},
)

Batch = dict[str, Tensor]


@st.composite
def configs(draw: st.DrawFn) -> LossConfig:
    options: dict[str, Any] = {}
    for choices in (FORMS, REDUCTIONS, IMPORTANCE, EXTRAS):
        options |= draw(st.sampled_from(choices))
    if options.get("ratio_against") == "rollout":
        options = {name: value for name, value in options.items() if not name.startswith("importance")}
    return LossConfig(**options)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Rows of several lengths, some without a token, some with advantages of 0; those of degenerate groups are."""
    b, t = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))

    def grid(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(b, t, generator=generator, dtype=T64)

    logprobs = grid(-5, 0)
    degenerate = torch.rand(b, generator=generator) < 0.4
    return {
        "logprobs": logprobs,
        "old_logprobs": logprobs - grid(-0.6, 0.6),
        "advantages": grid(-2, 2).masked_fill(degenerate[:, None], 0),
        "completion_mask": torch.rand(b, t, generator=generator) < draw(st.sampled_from([0.1, 0.7, 1.0])),
        "rollout_logprobs": logprobs - grid(-0.6, 0.6),
        "ref_logprobs": logprobs - grid(-0.6, 0.6),
        "entropy": grid(0, 3),
        "degenerate": degenerate,
    }


def rows_of(batch: Batch, rows: list[int]) -> Batch:
    return {name: tensor[rows] for name, tensor in batch.items()}


def gradients(batch: Batch, config: LossConfig, normalizer: float) -> tuple[Tensor, Tensor, Any]:
    """Of the log-probabilities and of the entropies; and the record."""
    leaves = {name: batch[name].clone().requires_grad_() for name in ("logprobs", "entropy")}
    given = {**batch, **leaves}
    first = [given.pop(name) for name in ("logprobs", "old_logprobs", "advantages", "completion_mask")]
    if config.importance_level == "off" and config.ratio_against == "old":
        given["rollout_logprobs"] = None
    loss, stats = policy_loss(*first, **given, normalizer=normalizer, config=config)
    loss.backward()
    found = [leaf.grad if leaf.grad is not None else torch.zeros_like(leaf) for leaf in leaves.values()]
    return found[0], found[1], stats


def same(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@given(batches(), configs(), st.randoms(use_true_random=False))
def test_sorting_and_splitting_over_micro_batches_and_processes(batch: Batch, config: LossConfig, random: Any) -> None:
    n_rows = len(batch["logprobs"])
    owner = [random.randrange(4) for _ in range(n_rows)]  # two processes of two micro-batches, any of them empty
    shares = [[row for row in range(n_rows) if owner[row] == part] for part in range(4)]
    for share in shares:
        random.shuffle(share)
    normalizer = sum(config.normalizer(rows_of(batch, share)["completion_mask"]) for share in shares)
    assert normalizer == config.normalizer(batch["completion_mask"])
    whole_logprobs, whole_entropy, whole = gradients(batch, config, normalizer)
    records = []
    for share in shares:
        logprobs, entropy, stats = gradients(rows_of(batch, share), config, normalizer)
        same(logprobs, whole_logprobs[share])
        same(entropy, whole_entropy[share])
        records.append(stats)
    merged = merge_loss_stats(records)
    assert merged.ratios == whole.ratios
    assert merged.figures() == pytest.approx(whole.figures(), rel=1e-9, abs=1e-12, nan_ok=True)


@given(batches(), configs())
def test_rows_without_a_gradient_need_not_be_run(batch: Batch, config: LossConfig) -> None:
    config = replace(config, entropy_coef=0.0)
    normalizer = config.normalizer(batch["completion_mask"])
    whole, _, _ = gradients(batch, config, normalizer)
    is_dead = (batch["advantages"] * batch["completion_mask"] == 0).all(1)
    if config.beta > 0:
        is_dead &= batch["degenerate"] & (not config.kl_on_degenerate)
    live = (~is_dead).nonzero().flatten().tolist()
    alone, _, _ = gradients(rows_of(batch, live), config, normalizer)
    same(alone, whole[live])
    assert whole[is_dead].eq(0).all()


@given(batches(), configs(), st.integers(1, 4))
def test_a_token_level_loss_may_be_cut_anywhere(batch: Batch, config: LossConfig, size: int) -> None:
    normalizer = config.normalizer(batch["completion_mask"])
    whole, whole_entropy, _ = gradients(batch, config, normalizer)
    mask = batch["completion_mask"]
    weights = token_weights(mask, reduction=config.reduction, normalizer=normalizer, dtype=T64)
    # Weights a sequence, with the old log-probabilities known, are data: then what is left is token by token.
    importance = None
    if config.importance_level == "sequence":
        importance = importance_weights(
            batch["old_logprobs"], batch["rollout_logprobs"], mask, cap=config.cap, level="sequence"
        )
    if config.form in ("gspo", "gspo_token"):
        with pytest.raises(ArgumentError, match=r"completion_mask: expected a mask \(B, T\) with form"):
            token_losses(batch["logprobs"], batch["advantages"], LossConfig(form=config.form))
        return
    optional = ("old_logprobs", "rollout_logprobs", "ref_logprobs")
    flat = {name: batch[name][mask] for name in ("logprobs", "advantages", "entropy", *optional)}
    flat |= {"weights": weights[mask], "degenerate": batch["degenerate"][:, None].expand_as(mask)[mask]}
    if importance is not None:
        flat["importance"] = importance[mask]
    if config.importance_level == "off" and config.ratio_against == "old":
        del flat["rollout_logprobs"]
    slopes, entropy_slopes = [], []
    for start in range(0, int(mask.sum()), size):
        chunk = {name: tensor[start : start + size] for name, tensor in flat.items()}
        logprobs, entropy = (chunk.pop(name).requires_grad_() for name in ("logprobs", "entropy"))
        weight = chunk.pop("weights")
        losses = token_losses(logprobs, chunk.pop("advantages"), config, entropy=entropy, **chunk)
        found = torch.autograd.grad(
            (losses.total * weight).sum(), [logprobs, entropy], materialize_grads=True, allow_unused=True
        )
        slopes.append(found[0])
        entropy_slopes.append(found[1])
    if slopes:
        same(torch.cat(slopes), whole[mask])
        same(torch.cat(entropy_slopes), whole_entropy[mask])


@given(batches(), configs())
def test_over_kept_rows_the_step_is_as_large_as_if_the_others_had_not_been_sampled(
    batch: Batch, config: LossConfig
) -> None:
    kept = ~batch["degenerate"]
    rows = kept.nonzero().flatten().tolist()
    config = replace(config, normalize_over="kept", entropy_coef=0.0, beta=0.0)
    normalizer = config.normalizer(batch["completion_mask"], kept=kept)
    only = rows_of(batch, rows)
    assert normalizer == replace(config, normalize_over="batch").normalizer(only["completion_mask"])
    if normalizer > 0:
        whole, _, _ = gradients(
            batch | {"completion_mask": batch["completion_mask"] & kept[:, None]}, config, normalizer
        )
        alone, _, _ = gradients(only, config, normalizer)
        same(alone, whole[rows])


@pytest.mark.parametrize("importance", ["token", "sequence"])
def test_the_kl_and_the_entropy_are_not_weighed_by_the_samplers_mismatch(importance: str) -> None:
    logprobs = torch.tensor([[-1.0, -2.0]], dtype=T64)
    tensors = {"ref_logprobs": logprobs + 0.3, "entropy": torch.ones(1, 2, dtype=T64)}
    mask, nothing = torch.ones(1, 2, dtype=torch.bool), torch.zeros(1, dtype=T64)
    options = {"beta": 0.1, "entropy_coef": 0.2, "importance": importance}
    shifted, _ = policy_loss(logprobs, logprobs, nothing, mask, rollout_logprobs=logprobs - 0.5, **options, **tensors)
    equal, _ = policy_loss(logprobs, logprobs, nothing, mask, rollout_logprobs=logprobs, **options, **tensors)
    assert shifted.item() == equal.item() != 0
