"""The worked example for NeMo-RL on batches of its shape; NeMo-RL is not on the package index and is stood in for."""

from math import isnan, nan
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

import pytest
import torch
from host_examples import TEXT, completion, example

T = TypeVar("T")


class EnvironmentInterface(Generic[T]):
    pass


class EnvironmentReturn(NamedTuple, Generic[T]):
    """NeMo-RL's, with the names of its fields in their order."""

    observations: Any
    metadata: Any
    next_stop_strings: Any
    rewards: Any
    terminateds: Any
    answers: Any = None


@pytest.fixture
def nemo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return example(
        monkeypatch,
        "nemo_rl_rewards",
        {
            "ray": {"remote": lambda cls: cls},
            "nemo_rl.algorithms": {"grpo": ModuleType("nemo_rl.algorithms.grpo")},
            "nemo_rl.environments.interfaces": {
                "EnvironmentInterface": EnvironmentInterface,
                "EnvironmentReturn": EnvironmentReturn,
            },
        },
    )


def log(answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "What is 3 * 4 + 1?"}, {"role": "assistant", "content": answer}]


def test_an_environment_rewards_a_batch_and_an_unknown_reward_is_nan(nemo: ModuleType) -> None:
    logs = [log(r"\boxed{13}"), log(r"\boxed{14}"), log(r"\boxed{13}")]
    environment = nemo.Verified()
    found = environment.step(logs, [{"target": "13"}, {"target": "13"}, {"target": ""}])
    assert found.rewards[:2].tolist() == [1.0, 0.0]
    assert isnan(found.rewards[2])
    assert found.terminateds.all()
    assert found.answers[:2] == ["13", "14"]
    assert [row["content"] for row in found.observations] == ["correct", "incorrect", "bad_target"]
    _, metrics = environment.global_post_process_and_metrics({"total_reward": found.rewards})
    assert metrics == {"rewardgate_unscored": pytest.approx(1 / 3)}


PROMPT = [5, 6]


def advantages(nemo: ModuleType, *rows: tuple[float, bool]) -> torch.Tensor:
    """What the trainer gets for rows of one prompt, (reward, whether the response is lost), padded to 8 tokens."""
    prompt_ids = torch.tensor([PROMPT] * len(rows))
    mask, logs = torch.zeros(len(rows), 8), []
    for number, (_, is_lost) in enumerate(rows):
        ids = completion(is_lost=is_lost)
        mask[number, len(PROMPT) : len(PROMPT) + len(ids)] = 1
        logs.append([{"token_ids": torch.tensor(PROMPT)}, {"token_ids": torch.tensor(ids)}])
    rewards = torch.tensor([reward for reward, _ in rows])
    estimator = nemo.GatedEstimator(TEXT)
    return estimator.compute_advantage(
        prompt_ids=prompt_ids, rewards=rewards, mask=mask, repeated_batch={"message_log": logs}, logprobs_policy=None
    )


def test_tokens_of_a_wrong_group_are_charged_from_the_first_wrong_step_on(nemo: ModuleType) -> None:
    found = advantages(nemo, (0.0, True), (0.0, False))
    assert found.tolist() == [[0, 0, 0, 0, -1, 0, 0, 0], [0] * 8]


def test_a_row_without_an_outcome_is_as_if_it_were_not_there(nemo: ModuleType) -> None:
    rows = [(1.0, False), (0.0, True), (0.0, False)]
    found, expected = advantages(nemo, (nan, True), *rows), advantages(nemo, *rows)
    assert found[0].tolist() == [0.0] * 8
    assert torch.allclose(found[1:], expected, atol=1e-6)


def test_it_is_plugged_in_where_the_trainer_chooses_its_estimator(nemo: ModuleType) -> None:
    nemo.plug_in(TEXT)
    assert isinstance(nemo.grpo._create_advantage_estimator({"grpo": {}}), nemo.GatedEstimator)
