"""Estimators and diagnostics against figures computed elsewhere (and agreed with peers' code), to 1e-9 in float64."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from rewardgate.diagnostics import collapse_rates, iid_degenerate_share
from rewardgate.grpo import PromptMeans, beside_virtual, group_advantages, virtual_count

Case = dict[str, Any]


def by_estimator(name: str, *options: str) -> Callable[[Case], list[float]]:
    """What an estimator says of a case; options are passed on under our names."""
    ours = {"eps": "epsilon", "ddof": "ddof"}

    def advantages(case: Case) -> list[float]:
        names = case["inputs"].get("ids", ["all"] * len(case["inputs"]["rewards"]))
        ids = torch.tensor([sorted(set(names)).index(group) for group in names])
        passed = {ours[option]: case["params"][option] for option in options}
        return group_advantages(float64(case["inputs"]["rewards"]), ids, estimator=name, **passed).tolist()

    return advantages


def float64(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def avspo(case: Case) -> list[float]:
    virtual, params = float64(case["inputs"]["virtual"]), case["params"]
    advantages = beside_virtual(float64(case["inputs"]["rewards"]), virtual, ddof=params["ddof"], epsilon=params["eps"])
    return advantages.tolist()


def ngrpo(case: Case) -> list[float]:
    return avspo({**case, "inputs": {**case["inputs"], "virtual": [case["params"]["r_max"]]}})


def ema(case: Case) -> dict[str, list[float]]:
    means, prompt, raw, corrected = PromptMeans(decay=case["params"]["beta"]), torch.tensor([0]), [], []
    for value in case["inputs"]["values"]:
        means = means.updated(float64([value]), prompt)
        raw.append(means.totals[0])
        corrected.append(means.mean(0))
    return {"raw": raw, "bias_corrected": corrected}


def diagnostics(case: Case) -> dict[str, float]:
    rows = case["inputs"]["rewards"]
    rewards = [reward for row in rows for reward in row]
    ids = [number for number, row in enumerate(rows) for _ in row]
    rates = collapse_rates(rewards, ids, ddof=case["params"]["ddof"], tau=case["params"]["tau"])
    return {
        "all_correct_rate": rates.all_correct_rate,
        "all_wrong_rate": rates.all_wrong_rate,
        "acr": rates.acr,
        "nonzero_advantage_rate": rates.nonzero_advantage_rate,
        "observed_homogeneous": rates.degenerate_rate,
    }


OPS: dict[str, Callable[[Case], Any]] = {
    "adv_avspo_given_virtual": avspo,
    "adv_drgrpo": by_estimator("dr_grpo"),
    "adv_grpo": by_estimator("grpo", "eps", "ddof"),
    "adv_ngrpo": ngrpo,
    "adv_rloo": by_estimator("rloo"),
    "adv_sign": by_estimator("sign"),
    "avspo_num_virtual": lambda case: virtual_count(
        case["inputs"]["acr"], case["params"]["G"], alpha=case["params"]["alpha"]
    ),
    "ema": ema,
    "group_diagnostics": diagnostics,
    "homogeneous_prob": lambda case: iid_degenerate_share(case["inputs"]["p"], case["params"]["G"]),
}
IN_OTHER_FILES = {"adv_verigate", "kl", "ppo_loss", "ppo_loss_grad", "ppo_token", "tis_weights"}


def golden(shared: Path) -> list[Case]:
    return json.loads((shared / "cases" / "grpo_golden_dev.json").read_text())["cases"]


@pytest.mark.parametrize("op", OPS)
def test_every_golden_case_is_met(shared: Path, op: str) -> None:
    mine = [case for case in golden(shared) if case["op"] == op]
    assert mine
    for case in mine:
        ours, expected = OPS[op](case), case["expected"]
        pairs = [(ours[name], expected[name]) for name in ours] if isinstance(ours, dict) else [(ours, expected)]
        for got, wanted in pairs:
            assert got == pytest.approx(wanted, rel=0, abs=case["tol"]), case["id"]


def test_what_nothing_here_computes_is_known(shared: Path) -> None:
    assert {case["op"] for case in golden(shared)} - set(OPS) - IN_OTHER_FILES == {
        *("adv_reinforce_pp", "adv_rlzvp", "cispo", "dynamic_sampling_cost", "gae", "gspo", "selected_logprob"),
    }
