"""The worked example for prime-rl on traces of its shape; prime-rl is not on the package index and is stood in for."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from host_examples import TEXT, completion, example

from rewardgate.integrations.host_gate import HostGate


@dataclass
class Node:
    token_ids: list[int]
    mask: list[bool]
    advantages: list[float] | None = None


@dataclass
class Branch:
    nodes: list[Node]
    trainable: bool = True


@dataclass
class Trace:
    reward: float
    branches: list[Branch]
    has_error: bool = False
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = [node for branch in self.branches for node in branch.nodes]


@dataclass
class Episode:
    traces: list[Trace]


def iter_trainable_traces(episodes: list[Episode]) -> Any:
    return ((episode, trace) for episode in episodes for trace in episode.traces if not trace.has_error)


def assign_advantages(trace: Trace, values: float | list[float]) -> None:
    """prime-rl's contract: a number, or one for each sampled token of trainable branches, in their order."""
    nodes = [node for branch in trace.branches if branch.trainable for node in branch.nodes if any(node.mask)]
    total = sum(sum(node.mask) for node in nodes)
    spread = [values] * total if isinstance(values, float) else list(values)
    assert len(spread) == total
    for node in nodes:
        node.advantages, spread = spread[: sum(node.mask)], spread[sum(node.mask) :]


class GRPOAlgorithm:
    """Centred on the group, as prime-rl's."""

    async def score_group(self, episodes: list[Episode]) -> None:
        traces = [trace for _, trace in iter_trainable_traces(episodes)]
        for trace in traces:
            assign_advantages(trace, trace.reward - sum(one.reward for one in traces) / len(traces))


@pytest.fixture
def prime(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = example(
        monkeypatch,
        "prime_rl_rewards",
        {
            "verifiers.v1": {"Episode": Episode, "Trace": Trace},
            "prime_rl.orchestrator.algo": {"ALGORITHM_CLASSES": {"grpo": GRPOAlgorithm}},
            "prime_rl.orchestrator.algo.base": {"iter_trainable_traces": iter_trainable_traces},
            "prime_rl.orchestrator.algo.grpo": {"GRPOAlgorithm": GRPOAlgorithm},
            "prime_rl.orchestrator.algo.routing": {"assign_advantages": assign_advantages},
        },
    )
    monkeypatch.setattr(module, "gate", cache(lambda: HostGate(tokenizer=TEXT)))
    return module


def trace(reward: float, *, is_lost: bool = False, has_error: bool = False) -> Trace:
    ids = completion(is_lost=is_lost)
    question, answer = Node([7, 7], [False, False]), Node(ids, [True] * len(ids))
    aside = Branch([Node([8], [True])], trainable=False)
    return Trace(reward, [Branch([question, answer]), aside], has_error)


def scored(prime: ModuleType, *traces: Trace) -> list[list[float] | None]:
    algorithm = prime.ALGORITHM_CLASSES["grpo"]()
    asyncio.run(algorithm.score_group([Episode([one]) for one in traces]))
    return [one.branches[0].nodes[1].advantages for one in traces]


def test_a_mixed_group_keeps_the_hosts_advantages(prime: ModuleType) -> None:
    assert scored(prime, trace(1.0), trace(0.0, is_lost=True)) == [[0.5] * 2, [-0.5] * 4]


def test_tokens_of_a_wrong_group_are_charged_from_the_first_wrong_step_on(prime: ModuleType) -> None:
    assert scored(prime, trace(0.0, is_lost=True), trace(0.0)) == [[0.0, 0.0, -1.0, 0.0], [0.0, 0.0]]


def test_a_rollout_whose_reward_raised_is_as_if_it_were_not_there(prime: ModuleType) -> None:
    found = scored(prime, trace(0.0, has_error=True), trace(0.0, is_lost=True), trace(0.0))
    assert found[0] is None
    assert found[1:] == scored(prime, trace(0.0, is_lost=True), trace(0.0))


def test_a_group_of_errors_alone_is_left_alone(prime: ModuleType) -> None:
    assert scored(prime, trace(0.0, has_error=True)) == [None]
