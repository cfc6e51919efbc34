"""The worked example for slime on samples of its shape; slime itself needs CUDA and is stood in for."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from host_examples import TEXT, completion, example

from rewardgate.integrations.host_gate import HostGate

ARGS: Any = SimpleNamespace(context_parallel_size=1)
PROMPT = [9, 9, 9]


@dataclass
class Sample:
    """slime's, as far as the example reads and writes it."""

    group_index: int | None = None
    prompt: Any = "What is 3 * 4 + 1?"
    tokens: list[int] = field(default_factory=list)
    response: str = ""
    response_length: int = 0
    label: str | None = "13"
    reward: Any = None
    loss_mask: list[int] | None = None
    remove_sample: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)

    def get_reward_value(self, args: Any) -> float:
        return self.reward


@pytest.fixture
def slime(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = example(monkeypatch, "slime_rewards", {"slime.utils.types": {"Sample": Sample}})
    monkeypatch.setattr(module, "gate", cache(lambda: HostGate(tokenizer=TEXT)))
    return module


def sample(group: int, response: str, *, label: str | None = "13", is_lost: bool = False, **fields: Any) -> Any:
    ids = completion(is_lost=is_lost)
    return Sample(
        group_index=group, response=response, label=label, tokens=PROMPT + ids, response_length=len(ids), **fields
    )


def rewarded(slime: ModuleType, *samples: Any) -> list[Any]:
    """As slime's rollout leaves them."""
    for one in samples:
        one.reward = asyncio.run(slime.outcome(ARGS, one))
    return list(samples)


def test_rewards_are_floats_and_an_unknown_one_is_marked(slime: ModuleType) -> None:
    right, wrong, unknown = rewarded(
        slime, sample(0, r"\boxed{13}"), sample(0, r"\boxed{14}"), sample(0, r"\boxed{13}", label=None)
    )
    assert [one.reward for one in (right, wrong, unknown)] == [1.0, 0.0, 0.0]
    assert [one.metadata["rewardgate_unscored"] for one in (right, wrong, unknown)] == [False, False, True]
    assert unknown.metadata["rewardgate_outcome"] == "bad_target"


def test_tokens_of_a_wrong_group_are_charged_from_the_first_wrong_step_on(slime: ModuleType) -> None:
    samples = rewarded(slime, sample(0, "14", is_lost=True), sample(0, "no idea"))
    raw, per_token = slime.post_process(ARGS, samples)
    assert raw == [0.0, 0.0]
    assert per_token == [[0.0, 0.0, -1.0, 0.0], [0.0, 0.0]]
    data: dict[str, Any] = {
        "rewards": per_token,
        "raw_reward": raw,
        "loss_masks": [torch.ones(4), torch.ones(2)],
    }
    slime.advantages(ARGS, data)
    assert [row.tolist() for row in data["advantages"]] == per_token
    assert sum(data["rewards"]) == 0.0  # slime's own log does this next


def test_a_sample_without_an_outcome_is_as_if_it_were_not_there(slime: ModuleType) -> None:
    def group() -> list[Any]:
        return [sample(0, r"\boxed{13}"), sample(0, "14", is_lost=True), sample(0, "14")]

    _, expected = slime.post_process(ARGS, rewarded(slime, *group()))
    unknown = sample(0, "13", label=None)
    samples = rewarded(slime, unknown, *group())
    _, found = slime.post_process(ARGS, samples)
    assert found[0] == [0.0, 0.0]
    for row, other in zip(found[1:], expected, strict=True):
        assert row == pytest.approx(other, abs=1e-6)
    assert [one.remove_sample for one in samples] == [True, False, False, False]


def test_an_empty_response_has_no_tokens_of_its_prompt(slime: ModuleType) -> None:
    (empty,) = rewarded(slime, Sample(group_index=0, tokens=PROMPT, response_length=0))
    _, per_token = slime.post_process(ARGS, [empty, *rewarded(slime, sample(0, "14", is_lost=True))])
    assert per_token == [[], [0.0, 0.0, -1.0, 0.0]]


def test_context_parallelism_is_refused_rather_than_misaligned(slime: ModuleType) -> None:
    with pytest.raises(NotImplementedError, match="slice_log_prob_with_cp"):
        slime.advantages(SimpleNamespace(context_parallel_size=2), {"rewards": [], "loss_masks": []})
