"""The worked example for SkyRL: its environment everywhere, its trainer where SkyRL is installed.

`.ci/host-examples` installs skyrl and skyrl-gym; without them what needs SkyRL's trainer is skipped.
"""

import sys
import typing
from collections import defaultdict
from importlib.util import find_spec
from math import isnan, nan
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from host_examples import TEXT, completion, example

with_skyrl = pytest.mark.skipif(find_spec("skyrl") is None, reason="NOT RUN: no SkyRL; .ci/host-examples runs this")
PROMPT = [5, 6]


class BaseTextEnv:
    pass


@pytest.fixture
def skyrl(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if find_spec("skyrl") is not None and sys.version_info < (3, 12):
        import typing_extensions

        # SkyRL says 3.11, but has pydantic read a typing.TypedDict, which takes 3.12.
        monkeypatch.setattr(typing, "TypedDict", typing_extensions.TypedDict)
    return example(
        monkeypatch,
        "skyrl_rewards",
        {
            "ray": {"remote": lambda **_: lambda function: function},
            "skyrl_gym.envs.base_text_env": {"BaseTextEnv": BaseTextEnv, "BaseTextEnvStepOutput": dict},
            "skyrl.backends.skyrl_train.training_batch": {"TrainingInputBatch": dict},
            "skyrl.train.config": {"SkyRLTrainConfig": object},
            "skyrl.train.entrypoints.main_base": {"BasePPOExp": object},
            "skyrl.train.generators.base": {"GeneratorOutput": dict},
            "skyrl.train.trainer": {"RayPPOTrainer": object},
            "skyrl.train.utils": {"initialize_ray": None, "validate_cfg": None},
        },
    )


def test_an_environment_rewards_an_answer_and_an_unknown_reward_is_nan(skyrl: ModuleType) -> None:
    right, wrong, unknown = (
        skyrl.VerifiedEnv(extras={"reward_spec": {"method": "rule", "ground_truth": target}})
        for target in ("13", "14", None)
    )
    said = [environment.step(r"so \boxed{13}") for environment in (right, wrong, unknown)]
    assert [step["reward"] for step in said[:2]] == [1.0, 0.0]
    assert isnan(said[2]["reward"])
    assert all(step["done"] for step in said)
    assert [environment.get_metrics() for environment in (wrong, unknown)] == [
        {"rewardgate_unscored": 0.0},
        {"rewardgate_unscored": 1.0},
    ]


class Run:
    """SkyRL's trainer, from generated rows to advantages, without its workers."""

    def __init__(self, skyrl: ModuleType, *, estimator: str = "grpo") -> None:
        from skyrl.train.config import SkyRLTrainConfig

        self.trainer = skyrl.GatedTrainer.__new__(skyrl.GatedTrainer)
        self.trainer.cfg = SkyRLTrainConfig()
        self.trainer.cfg.trainer.algorithm.advantage_estimator = estimator
        self.trainer.all_metrics = {}
        self.trainer.tokenizer = SimpleNamespace(pad_token_id=0)
        self.trainer.gate = skyrl.HostGate(tokenizer=TEXT, config=skyrl.GATE)
        self.trainer.dispatch = SimpleNamespace(get_lcm_dp_size=lambda: 4)  # pads the batch to a multiple of four

    def data(self, *rows: tuple[str, float, bool]) -> Any:
        """The training batch after its advantages, of rows (prompt, reward, whether the response is lost)."""
        config = self.trainer.cfg
        config.trainer.train_batch_size = config.trainer.policy_mini_batch_size = len({uid for uid, _, _ in rows})
        config.generator.n_samples_per_prompt = len(rows)
        responses = [completion(is_lost=is_lost) for _, _, is_lost in rows]
        output: Any = defaultdict(lambda: None)
        output.update(
            prompt_token_ids=[PROMPT] * len(rows),
            response_ids=responses,
            rewards=[[0.0] * (len(ids) - 1) + [reward] for ids, (_, reward, _) in zip(responses, rows, strict=True)],
            loss_masks=[[1] * len(ids) for ids in responses],
        )
        uids = [uid for uid, _, _ in rows]
        output, uids = self.trainer.postprocess_generator_output(output, uids)
        batch = self.trainer.convert_to_training_input(output, uids)
        batch["values"] = None
        return self.trainer.compute_advantages_and_returns(batch)

    def advantages(self, *rows: tuple[str, float, bool]) -> list[list[float]]:
        """Of the tokens of each response."""
        data = self.data(*rows)
        masks = data["response_mask"].bool()
        return [data["advantages"][number][masks[number]].tolist() for number in range(len(rows))]


@with_skyrl
def test_a_mixed_group_gets_what_skyrls_own_estimator_gives_it(skyrl: ModuleType) -> None:
    import torch
    from skyrl.backends.skyrl_train.utils.ppo_utils import compute_grpo_outcome_advantage

    found = Run(skyrl).advantages(("p", 1.0, False), ("p", 0.0, True), ("p", 0.0, False))
    rewards = torch.tensor([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    expected, _ = compute_grpo_outcome_advantage(rewards, torch.ones(3, 2), ["p"] * 3)
    for row, other in zip(found, expected[:, 0].tolist(), strict=True):
        assert row == pytest.approx([other] * len(row), abs=1e-6)


@with_skyrl
def test_tokens_of_a_wrong_group_are_charged_from_the_first_wrong_step_on(skyrl: ModuleType) -> None:
    run = Run(skyrl)
    assert run.advantages(("p", 0.0, True), ("p", 0.0, False)) == [[0.0, 0.0, -1.0, 0.0], [0.0, 0.0]]
    assert run.trainer.all_metrics["gate/groups/opened"] == 1.0


@with_skyrl
def test_a_row_without_an_outcome_is_as_if_it_were_not_there(skyrl: ModuleType) -> None:
    rows = [("p", 1.0, False), ("p", 0.0, True), ("p", 0.0, False)]
    run = Run(skyrl)
    data = run.data(("p", nan, True), *rows)
    found = [row[mask.bool()].tolist() for row, mask in zip(data["advantages"], data["response_mask"], strict=True)]
    assert found[0] == [0.0] * 4
    for row, other in zip(found[1:], Run(skyrl).advantages(*rows), strict=True):
        assert row == pytest.approx(other, abs=1e-6)
    assert data["loss_mask"].sum(1).tolist() == [0, 2, 4, 2]
    assert run.trainer.all_metrics["reward/avg_raw_reward"] == pytest.approx(1 / 3)
    assert run.trainer.all_metrics["gate/rows/unscored"] == 0.25
