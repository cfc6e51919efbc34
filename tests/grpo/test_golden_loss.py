"""Loss, KL and gate against figures computed elsewhere (and agreed with peers' code), to 1e-9 in float64."""

import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from rewardgate.grpo import gate, gate_mode, importance_weights, kl_per_token, policy_loss, sequence_log_ratios
from rewardgate.grpo.lm_head import LmHead
from rewardgate.grpo.logprobs import selected_logprobs

Case = dict[str, Any]


def tensor(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def check_token(case: Case) -> None:
    inputs, params = case["inputs"], case["params"]
    logprobs = tensor([[inputs["logp"]]]).requires_grad_()
    loss, _ = policy_loss(
        logprobs,
        tensor([[inputs["old"]]]),
        tensor([inputs["adv"]]),
        torch.tensor([[True]]),
        epsilon_low=params["eps_low"],
        epsilon_high=params["eps_high"],
        dual_clip=params["dual_clip"],
    )
    loss.backward()
    assert logprobs.grad is not None
    assert loss.item() == pytest.approx(case["expected"]["loss"], abs=case["tol"])
    assert logprobs.grad.item() == pytest.approx(case["expected"]["dlogp"], abs=case["tol"])


def batch_loss(case: Case) -> tuple[Tensor, Tensor]:
    inputs, params = case["inputs"], case["params"]
    mask = torch.tensor(inputs["mask"]) > 0
    logprobs = tensor(inputs["logp"]).requires_grad_()
    reduction, normalizer = {
        "token-mean": ("token_mean", None),
        "seq-mean-token-mean": ("sequence_mean", None),
        # The mean over rows with a token of their sums: a constant divisor.
        "seq-mean-token-sum": ("constant", int(mask.any(1).sum())),
    }[params["agg"]]
    loss, _ = policy_loss(
        logprobs,
        tensor(inputs["old"]),
        tensor(inputs["adv"]),
        mask,
        epsilon_low=params["eps_low"],
        epsilon_high=params["eps_high"],
        dual_clip=params.get("dual_clip"),
        reduction=reduction,
        normalizer=normalizer,
    )
    return loss, logprobs


def check_loss(case: Case) -> None:
    assert batch_loss(case)[0].item() == pytest.approx(case["expected"], abs=case["tol"])


def check_gradient(case: Case) -> None:
    loss, logprobs = batch_loss(case)
    loss.backward()
    torch.testing.assert_close(logprobs.grad, tensor(case["expected"]), rtol=0, atol=case["tol"])


def check_form(case: Case, **options: Any) -> None:
    inputs, expected = case["inputs"], case["expected"]
    logprobs = tensor(inputs["logp"]).requires_grad_()
    mask = torch.tensor(inputs["mask"]) > 0
    loss, _ = policy_loss(logprobs, tensor(inputs["old"]), tensor(inputs["adv"]), mask, **options)
    loss.backward()
    assert loss.item() == pytest.approx(expected["loss"], abs=case["tol"])
    torch.testing.assert_close(logprobs.grad, tensor(expected["dlogp"]), rtol=0, atol=case["tol"])


def check_gspo(case: Case) -> None:
    inputs, clip = (
        case["inputs"],
        {"epsilon_low": case["params"]["eps_low"], "epsilon_high": case["params"]["eps_high"]},
    )
    for form in ("gspo", "gspo_token"):
        check_form(case, form=form, reduction="sequence_mean", **clip)
    mask = torch.tensor(inputs["mask"]) > 0
    ratios = sequence_log_ratios(tensor(inputs["logp"]) - tensor(inputs["old"]), mask).exp()[:, 0]
    torch.testing.assert_close(ratios, tensor(case["expected"]["seq_ratio"]), rtol=0, atol=case["tol"])


def check_cispo(case: Case) -> None:
    params = case["params"]
    if params["variant"] == "verl":
        check_form(case, form="cispo_band", epsilon_low=params["eps_low"], epsilon_high=params["eps_high"])
    else:
        # TRL's epsilon_high is the cap itself.
        check_form(case, form="cispo_cap", ratio_cap=params["eps_high"])


def check_logprobs(case: Case) -> None:
    # A head that is the identity: hidden states are logits.
    logits = tensor(case["inputs"]["logits"])
    head = LmHead(torch.eye(logits.shape[1], dtype=torch.float64))
    found, _ = selected_logprobs(
        logits, torch.tensor(case["inputs"]["ids"]), head, temperature=case["params"]["temperature"]
    )
    torch.testing.assert_close(found, tensor(case["expected"]), rtol=0, atol=case["tol"])


def check_weights(case: Case) -> None:
    inputs = case["inputs"]
    weights = importance_weights(
        tensor(inputs["old"]),
        tensor(inputs["rollout"]),
        torch.tensor(inputs["mask"]) > 0,
        cap=case["params"]["cap"],
        level=case["params"]["level"],
    )
    torch.testing.assert_close(weights, tensor(case["expected"]), rtol=0, atol=case["tol"])


def check_kl(case: Case) -> None:
    logprobs = tensor(case["inputs"]["logp"]).requires_grad_()
    for estimator in ("k1", "k2", "k3"):
        kl = kl_per_token(logprobs, tensor(case["inputs"]["ref"]), estimator=estimator)
        (gradient,) = torch.autograd.grad(kl, logprobs)
        assert kl.item() == pytest.approx(case["expected"][estimator], abs=case["tol"])
        assert gradient.item() == pytest.approx(case["expected"][f"d{estimator}"], abs=case["tol"])


def check_verigate(case: Case) -> None:
    steps, params = case["inputs"]["steps"], case["params"]
    n_steps = max(map(len, steps))
    step_rewards = tensor([row + [nan] * (n_steps - len(row)) for row in steps])
    advantages = gate(
        tensor(case["inputs"]["rewards"]),
        torch.zeros(len(steps), dtype=torch.int64),
        step_rewards,
        torch.arange(n_steps).expand_as(step_rewards),
        ~step_rewards.isnan(),
        estimator_options={"ddof": params["ddof"], "epsilon": params["eps"]},
        ddof=params["ddof"],
        epsilon=params["eps"],
        **{name: value for name, value in gate_mode("verigate").options().items() if name in ("cumulate", "scale")},
    ).advantages
    for found, expected in zip(advantages.tolist(), case["expected"]["adv"], strict=True):
        assert found[: len(expected)] == pytest.approx(expected, abs=case["tol"])


CHECKS: dict[str, Callable[[Case], None]] = {
    "ppo_token": check_token,
    "ppo_loss": check_loss,
    "ppo_loss_grad": check_gradient,
    "tis_weights": check_weights,
    "kl": check_kl,
    "adv_verigate": check_verigate,
    "cispo": check_cispo,
    "gspo": check_gspo,
    "selected_logprob": check_logprobs,
}


@pytest.mark.parametrize("op", CHECKS)
def test_every_golden_case_is_met(shared: Path, op: str) -> None:
    cases = json.loads((shared / "cases" / "grpo_golden_dev.json").read_text())["cases"]
    mine = [case for case in cases if case["op"] == op]
    assert mine
    for case in mine:
        CHECKS[op](case)
