"""Our losses beside those of TRL's and verl's own code: values, gradients and clipped shares, in float64.

TRL computes its loss inside its trainer: its method is called on an object that has what it reads and no more.
"""

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from rewardgate.grpo import LossConfig, gae_advantages, importance_weights, kl_per_token, policy_loss, value_losses

T64 = torch.float64
CLIP = {"epsilon_low": 0.2, "epsilon_high": 0.28}


@pytest.fixture
def verl() -> Any:
    return pytest.importorskip("verl.trainer.ppo.core_algos", reason="NOT RUN: verl is not installed")


@pytest.fixture
def trl() -> Any:
    return pytest.importorskip("trl", reason="NOT RUN: TRL is not installed")


@pytest.fixture
def batch() -> dict[str, Tensor]:
    """Rows of 6, 3, 1 and 5 tokens; log-ratios up to ±1.5, so that every branch of a clip is met."""
    generator = torch.Generator().manual_seed(1)
    lengths = torch.tensor([6, 3, 1, 5])
    logprobs = -3 * torch.rand(4, 6, generator=generator, dtype=T64)
    return {
        "logprobs": logprobs,
        "old_logprobs": logprobs + 3 * torch.rand(4, 6, generator=generator, dtype=T64) - 1.5,
        "ref_logprobs": logprobs + torch.rand(4, 6, generator=generator, dtype=T64) - 0.5,
        "rollout_logprobs": logprobs + torch.rand(4, 6, generator=generator, dtype=T64) - 0.5,
        "entropy": torch.rand(4, 6, generator=generator, dtype=T64),
        "advantages": torch.tensor([1.2, -0.7, 0.4, -1.5], dtype=T64),
        "completion_mask": torch.arange(6) < lengths[:, None],
    }


def of_ours(batch: dict[str, Tensor], **options: Any) -> tuple[float, Tensor, Any]:
    named = ("advantages", "completion_mask")
    optional = {name: options.pop(name) for name in ("ref_logprobs", "rollout_logprobs", "entropy") if name in options}
    logprobs = batch["logprobs"].clone().requires_grad_()
    loss, stats = policy_loss(logprobs, batch["old_logprobs"], *(batch[name] for name in named), **optional, **options)
    loss.backward()
    assert logprobs.grad is not None
    return loss.item(), logprobs.grad, stats


def of_trl(trl: Any, batch: dict[str, Tensor], **options: Any) -> tuple[float, Tensor, dict[str, list[float]]]:
    """TRL's loss of one process and one micro-batch, its gradient and what it logged."""
    logprobs, mask = batch["logprobs"].clone().requires_grad_(), batch["completion_mask"].long()
    args = SimpleNamespace(
        delta=options.get("delta"),
        use_bias_correction_kl=options.get("times_ratio", False),
        off_policy_mask_threshold=None,
        steps_per_generation=1,
    )
    has_weights = "importance_sampling_ratio" in options
    trainer = SimpleNamespace(
        _get_per_token_logps_and_entropies=lambda *_, **__: (logprobs, batch["entropy"], None),
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level=options.get("level", "token"),
        beta=options.get("beta", 0.0),
        loss_type=options.get("loss_type", "dapo"),
        epsilon_low=options.get("epsilon_low", 0.2),
        epsilon_high=options.get("epsilon_high", 0.2),
        args=args,
        use_vllm=has_weights,
        vllm_importance_sampling_correction=has_weights,
        max_completion_length=10,
        model=SimpleNamespace(training=True),
        current_gradient_accumulation_steps=1,
        accelerator=SimpleNamespace(
            num_processes=1, gather=lambda x: x, reduce=lambda x, reduction: x, sync_gradients=True
        ),
        _entropy_bonus_enabled="entropy_coef" in options,
        use_adaptive_entropy=False,
        entropy_coef=options.get("entropy_coef", 0.0),
        _metrics={"train": defaultdict(list)},
    )
    inputs = {
        "prompt_ids": torch.zeros(4, 1, dtype=torch.int64),
        "prompt_mask": torch.ones(4, 1, dtype=torch.int64),
        "completion_ids": torch.zeros(4, 6, dtype=torch.int64),
        "completion_mask": mask,
        "advantages": batch["advantages"],
        "old_per_token_logps": batch["old_logprobs"],
        "ref_per_token_logps": batch["ref_logprobs"],
        "num_items_in_batch": mask.sum(),
        "importance_sampling_ratio": options.get("importance_sampling_ratio"),
    }
    loss = trl.GRPOTrainer._compute_loss(trainer, None, inputs)
    loss.backward()
    assert logprobs.grad is not None
    return loss.item(), logprobs.grad, trainer._metrics["train"]


TRL_FORMS = {
    "clip, token mean": ({"loss_type": "dapo", **CLIP}, CLIP),
    "clip, sequence mean": ({"loss_type": "grpo", **CLIP}, {**CLIP, "reduction": "sequence_mean"}),
    "clip, constant": ({"loss_type": "dr_grpo", **CLIP}, {**CLIP, "reduction": "constant", "normalizer": 4 * 10}),
    "delta": ({"delta": 1.5, **CLIP}, {"delta": 1.5, **CLIP}),
    "delta inside the range": ({"delta": 1.1, **CLIP}, {"delta": 1.1, **CLIP}),
    "KL": ({"beta": 0.1, **CLIP}, {"beta": 0.1, **CLIP}),
    "KL times ratio": ({"beta": 0.1, "times_ratio": True}, {"beta": 0.1, "kl_times_ratio": True}),
    "entropy": ({"entropy_coef": 0.1}, {"entropy_coef": 0.1}),
    "GSPO": ({"level": "sequence", "loss_type": "grpo"}, {"form": "gspo", "reduction": "sequence_mean"}),
    "CISPO, one cap": ({"loss_type": "cispo", "epsilon_high": 1.7}, {"form": "cispo_cap", "ratio_cap": 1.7}),
}


@pytest.mark.parametrize("name", TRL_FORMS)
def test_losses_and_gradients_are_trls(trl: Any, batch: dict[str, Tensor], name: str) -> None:
    its_options, ours = TRL_FORMS[name]
    theirs, gradient, logged = of_trl(trl, batch, **its_options)
    read = {"KL": "ref_logprobs", "KL times ratio": "ref_logprobs", "entropy": "entropy"}
    given = {read[name]: batch[read[name]]} if name in read else {}
    loss, slopes, stats = of_ours(batch, **ours, **given)
    assert loss == pytest.approx(theirs, rel=1e-12, abs=1e-12)
    torch.testing.assert_close(slopes, gradient, rtol=1e-12, atol=1e-12)
    if name.startswith("clip"):
        assert stats.clipped_low == pytest.approx(logged["clip_ratio/low_mean"][0], abs=1e-7)
        assert stats.clipped_high == pytest.approx(logged["clip_ratio/high_mean"][0], abs=1e-7)
    if name == "KL":
        assert stats.kl == pytest.approx(logged["kl"][0], abs=1e-7)


@pytest.mark.parametrize("level", ["token", "sequence"])
def test_truncated_importance_weights_are_trls_and_weigh_the_same(
    trl: Any, batch: dict[str, Tensor], level: str
) -> None:
    mask, cap = batch["completion_mask"], 1.3
    difference = (batch["old_logprobs"] - batch["rollout_logprobs"]) * mask
    # TRL's own lines stand in the middle of its generation step: a clamp at the top, of the token or of the sum.
    theirs = difference.sum(1, keepdim=True) if level == "sequence" else difference
    theirs = theirs.exp().clamp(max=cap).expand_as(difference)
    ours = importance_weights(batch["old_logprobs"], batch["rollout_logprobs"], mask, cap=cap, level=level)
    torch.testing.assert_close(ours, theirs * mask, rtol=1e-12, atol=1e-12)
    loss, gradient, _ = of_trl(trl, batch, importance_sampling_ratio=theirs)
    weighted = {"rollout_logprobs": batch["rollout_logprobs"], "importance": level, "importance_cap": cap}
    found, slopes, _ = of_ours(batch, **weighted)
    assert found == pytest.approx(loss, rel=1e-12)
    torch.testing.assert_close(slopes, gradient, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "mode", "ours"),
    [
        ("vanilla", "token-mean", {"dual_clip": 3.0}),
        ("vanilla", "seq-mean-token-mean", {"dual_clip": 3.0, "reduction": "sequence_mean"}),
        ("vanilla", "seq-mean-token-sum", {"dual_clip": 3.0, "reduction": "constant", "normalizer": 4}),
        ("gspo", "seq-mean-token-mean", {"form": "gspo", "reduction": "sequence_mean"}),
        ("gspo", "token-mean", {"form": "gspo_token"}),
        ("cispo", "token-mean", {"form": "cispo_band"}),
    ],
)
def test_losses_and_gradients_are_verls(
    verl: Any, batch: dict[str, Tensor], name: str, mode: str, ours: dict[str, Any]
) -> None:
    from verl.workers.config import FSDPActorConfig

    config = FSDPActorConfig(
        strategy="fsdp", rollout_n=1, ppo_micro_batch_size_per_gpu=1, clip_ratio_low=0.2, clip_ratio_high=0.28
    )
    logprobs, mask = batch["logprobs"].clone().requires_grad_(), batch["completion_mask"]
    theirs, _ = verl.get_policy_loss_fn(name)(
        batch["old_logprobs"],
        logprobs,
        batch["advantages"][:, None].expand_as(logprobs),
        mask.double(),
        loss_agg_mode=mode,
        config=config,
    )
    theirs.backward()
    loss, slopes, _ = of_ours(batch, **CLIP, **ours)
    # verl's sequence mean divides by the length plus 1e-8.
    assert loss == pytest.approx(theirs.item(), rel=2e-8)
    torch.testing.assert_close(slopes, logprobs.grad, rtol=2e-8, atol=1e-12)


def test_the_two_conventions_of_cispo_differ_where_their_name_is_one(batch: dict[str, Tensor]) -> None:
    # 1.28 as a cap, and 0.28 as a distance from 1: the same above, another below.
    cap = LossConfig(form="cispo_cap", ratio_cap=1.28)
    band = LossConfig(form="cispo_band", epsilon_low=1.0, epsilon_high=0.28)
    narrow = LossConfig(form="cispo_band", **CLIP)
    of_cap, of_band, of_narrow = (of_ours(batch, config=config)[1] for config in (cap, band, narrow))
    assert torch.equal(of_cap, of_band)
    assert not torch.allclose(of_cap, of_narrow)


@pytest.mark.parametrize(("ours", "theirs"), [("k1", "kl"), ("k2", "mse"), ("k3", "low_var_kl")])
def test_estimates_of_the_kl_are_verls(verl: Any, batch: dict[str, Tensor], ours: str, theirs: str) -> None:
    expected = verl.kl_penalty(batch["logprobs"], batch["ref_logprobs"], theirs)
    found = kl_per_token(batch["logprobs"], batch["ref_logprobs"], estimator=ours)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.9, 0.95)])
def test_a_critics_advantages_and_loss_are_verls_tool_tokens_included(
    verl: Any, batch: dict[str, Tensor], gamma: float, lam: float
) -> None:
    mask = batch["completion_mask"].clone()
    mask[0, 2:4] = False  # a tool's answer
    rewards, values = batch["entropy"] * mask, batch["ref_logprobs"]
    advantages, returns = verl.compute_gae_advantage_return(rewards, values, mask.double(), gamma, lam)
    ours, our_returns = gae_advantages(rewards, values, mask, gamma=gamma, lam=lam, whiten=True)
    # verl's mean divides by the count plus 1e-8.
    torch.testing.assert_close(ours, advantages * mask, rtol=1e-7, atol=1e-7)
    torch.testing.assert_close(our_returns, returns * mask, rtol=1e-12, atol=1e-12)
    predicted = batch["old_logprobs"]
    its_loss, _ = verl.compute_value_loss(predicted, returns, values, mask.double(), 0.2)
    losses = value_losses(predicted, returns, old_values=values, clip=0.2)
    assert losses[mask].mean().item() == pytest.approx(its_loss.item(), rel=1e-7)
