"""Estimators and diagnostics against figures computed elsewhere (and agreed with peers' code), to 1e-9 in float64."""

import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from rewardgate.diagnostics import collapse_rates, iid_degenerate_share
from rewardgate.grpo import (
    PromptMeans,
    beside_virtual,
    gae_advantages,
    group_advantages,
    ngrpo_advantages,
    refill_cost,
    reinforce_pp_advantages,
    rlzvp_advantages,
    virtual_count,
)

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
    # numpy reads None, a reward that is unknown, as NaN.
    return torch.from_numpy(np.array(values, dtype=np.float64))


def mask_of(case: Case) -> Tensor:
    return torch.tensor(case["inputs"]["mask"]) > 0


def avspo(case: Case) -> list[float]:
    virtual, params = float64(case["inputs"]["virtual"]), case["params"]
    advantages = beside_virtual(float64(case["inputs"]["rewards"]), virtual, ddof=params["ddof"], epsilon=params["eps"])
    return advantages.tolist()


def ngrpo(case: Case) -> list[float]:
    params = case["params"]
    beside_one = avspo({**case, "inputs": {**case["inputs"], "virtual": [params["r_max"]]}})
    rewards = float64(case["inputs"]["rewards"]).unsqueeze(0)
    options = {"max_reward": params["r_max"], "ddof": params["ddof"], "epsilon": params["eps"]}
    assert ngrpo_advantages(rewards, **options).tolist() == [pytest.approx(beside_one, abs=1e-12)]
    return beside_one


def reinforce_pp(case: Case) -> list[list[float]]:
    options = {"gamma": case["params"]["gamma"], "epsilon": case["params"]["eps"]}
    return reinforce_pp_advantages(float64(case["inputs"]["token_rewards"]), mask_of(case), **options).tolist()


def gae(case: Case) -> dict[str, list[list[float]]]:
    inputs, params = case["inputs"], case["params"]
    options = {"gamma": params["gamma"], "lam": params["lam"], "whiten": params["whiten"]}
    if params["whiten"]:
        options["epsilon"] = params["eps"]
    found = gae_advantages(float64(inputs["token_rewards"]), float64(inputs["values"]), mask_of(case), **options)
    return {name: value.tolist() for name, value in zip(("adv", "ret"), found, strict=True) if name in case["expected"]}


def rlzvp(case: Case) -> list[list[float]]:
    rewards, rows = float64(case["inputs"]["rewards"]), [float64(row) for row in case["inputs"]["entropies"]]
    entropy = pad_sequence(rows, batch_first=True, padding_value=nan)
    groups = torch.zeros(len(rows), dtype=torch.int64)
    found = rlzvp_advantages(rewards, groups, entropy, ~entropy.isnan(), alpha=case["params"]["alpha"])
    return [row[: len(known)] for row, known in zip(found.tolist(), rows, strict=True)]


def refilling(case: Case) -> dict[str, float]:
    params = case["params"]
    share = iid_degenerate_share(case["inputs"]["p"], params["G"])
    cost = refill_cost(share, wanted_groups=params["want_groups"], group_size=params["G"])
    return {"expected_groups": cost.groups, "expected_rollouts": cost.rollouts, "overhead": cost.overhead}


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
    "adv_reinforce_pp": reinforce_pp,
    "adv_rlzvp": rlzvp,
    "adv_rloo": by_estimator("rloo"),
    "adv_sign": by_estimator("sign"),
    "avspo_num_virtual": lambda case: virtual_count(
        case["inputs"]["acr"], case["params"]["G"], alpha=case["params"]["alpha"]
    ),
    "dynamic_sampling_cost": refilling,
    "ema": ema,
    "gae": gae,
    "group_diagnostics": diagnostics,
    "homogeneous_prob": lambda case: iid_degenerate_share(case["inputs"]["p"], case["params"]["G"]),
}
IN_OTHER_FILES = {
    *("adv_verigate", "cispo", "gspo", "kl", "ppo_loss", "ppo_loss_grad", "ppo_token"),
    *("selected_logprob", "tis_weights"),
}


def flat(value: Any) -> list[float]:
    """The numbers of nested lists, None as NaN."""
    if isinstance(value, list):
        return [number for entry in value for number in flat(entry)]
    return [nan if value is None else float(value)]


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
            assert flat(got) == pytest.approx(flat(wanted), rel=0, abs=case["tol"]), case["id"]


def test_every_op_is_computed_somewhere(shared: Path) -> None:
    assert {case["op"] for case in golden(shared)} <= set(OPS) | IN_OTHER_FILES
