"""The worked example for tinker-cookbook: its environment everywhere, its data where the cookbook is installed.

`.ci/host-examples` installs tinker and tinker-cookbook; without them what needs their rollouts and data is skipped.
"""

import asyncio
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from host_examples import TEXT, completion, example

from rewardgate.errors import RewardgateError

with_the_cookbook = pytest.mark.skipif(
    find_spec("tinker_cookbook") is None, reason="NOT RUN: no tinker-cookbook; .ci/host-examples runs this"
)
PROMPT = [5, 6]


@dataclass
class StepResult:
    """The cookbook's, with its names."""

    reward: float
    episode_done: bool
    next_observation: Any
    next_stop_condition: Any
    metrics: dict[str, float] = field(default_factory=dict)
    logs: dict[str, Any] = field(default_factory=dict)


class ProblemEnv:
    stop_condition: tuple[int, ...] = ()

    def __init__(self, renderer: Any) -> None:
        self.renderer = renderer


@pytest.fixture
def cookbook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    model_input = SimpleNamespace(empty=list)
    types = {"Action": list, "ActionExtra": dict, "StepResult": StepResult, "Trajectory": object}
    return example(
        monkeypatch,
        "tinker_rewards",
        {
            "tinker": {"ModelInput": model_input, "Datum": object},
            "tinker_cookbook.renderers": {
                "Renderer": object,
                "get_text_content": lambda message: message["content"],
            },
            "tinker_cookbook.rl.data_processing": {},
            "tinker_cookbook.rl.train": {},
            "tinker_cookbook.rl.problem_env": {"ProblemEnv": ProblemEnv},
            "tinker_cookbook.rl.types": {**types, "TrajectoryGroup": object, "PARSE_ERROR_MASKED_METRIC_KEY": "masked"},
        },
    )


def renderer(said: str = "") -> Any:
    """A cookbook renderer that reads every action as `said`, or as the text of its tokens."""

    def parse_response(action: list[int]) -> tuple[dict[str, str], None]:
        text = said or b"".join(TEXT[token] or b"" for token in action).decode()
        return {"role": "assistant", "content": text}, None

    def build_generation_prompt(_: Any) -> Any:
        import tinker

        return tinker.ModelInput.from_ints(PROMPT)

    return SimpleNamespace(
        parse_response=parse_response, get_stop_sequences=list, build_generation_prompt=build_generation_prompt
    )


def test_a_response_is_rewarded_by_the_verifier(cookbook: ModuleType) -> None:
    steps = [
        asyncio.run(cookbook.VerifiedProblem(renderer(said), "What is 3 * 4 + 1?", "13").step([0, 1]))
        for said in (r"\boxed{13}", r"\boxed{14}")
    ]
    assert [step.reward for step in steps] == [1.0, 0.0]
    assert [step.metrics for step in steps] == [{"verdicts/correct": 1.0}, {"verdicts/incorrect": 1.0}]
    assert all(step.episode_done for step in steps)


def test_an_unknown_reward_raises_with_its_reason(cookbook: ModuleType) -> None:
    with pytest.raises(RewardgateError, match=r"reward: unknown \(bad_target"):
        asyncio.run(cookbook.VerifiedProblem(renderer("13"), "What is 3 * 4 + 1?", "").step([0]))


def group_of(cookbook: ModuleType, targets: list[str], responses: list[list[int]]) -> Any:
    """A group as the cookbook's own rollouts make it, under the strategy that the example names."""
    from tinker_cookbook.completers import TokensWithLogprobs
    from tinker_cookbook.rl.rollout_strategy import MinViableGroup
    from tinker_cookbook.rl.rollouts import do_group_rollout
    from tinker_cookbook.rl.types import EnvGroupBuilder

    class Builder(EnvGroupBuilder):
        async def make_envs(self) -> Any:
            return [cookbook.VerifiedProblem(renderer(), "What is 3 * 4 + 1?", target) for target in targets]

    said = iter(responses)

    async def policy(model_input: Any, stop: Any) -> TokensWithLogprobs:
        tokens = next(said)
        return TokensWithLogprobs(tokens=tokens, maybe_logprobs=[-1.0] * len(tokens))

    strategy = MinViableGroup(min_successful=2, max_retries=0)
    return asyncio.run(do_group_rollout(Builder(), policy, strategy=strategy))


Placed = dict[tuple[float, tuple[int, ...]], list[float]]
"""(reward, tokens) -> the advantages of the tokens: `MinViableGroup` keeps rollouts in the order in which they end."""


def advantages_of(cookbook: ModuleType, group: Any) -> Placed:
    """After the cookbook's own assembling."""
    from tinker_cookbook.rl import data_processing, train

    cookbook.plug_in(TEXT)
    data, places = train.assemble_training_data([group], data_processing.compute_advantages([group]))
    rewards = group.get_total_rewards()
    found: Placed = {}
    for datum, place in zip(data, places, strict=True):
        mask = datum.loss_fn_inputs["mask"].to_torch().bool()
        tokens = datum.loss_fn_inputs["target_tokens"].to_torch()[mask].tolist()
        advantages = datum.loss_fn_inputs["advantages"].to_torch()
        assert not advantages[~mask].any()
        found[rewards[place["traj_idx"]], tuple(tokens)] = advantages[mask].tolist()
    return found


LOST, SILENT = completion(is_lost=True), completion(is_lost=False)


@with_the_cookbook
def test_a_mixed_group_is_centred_as_the_cookbook_does(cookbook: ModuleType) -> None:
    found = advantages_of(cookbook, group_of(cookbook, ["12", "13"], [SILENT, SILENT]))
    assert found == {(1.0, tuple(SILENT)): [0.5] * 2, (0.0, tuple(SILENT)): [-0.5] * 2}


@with_the_cookbook
def test_tokens_of_a_wrong_group_are_charged_from_the_first_wrong_step_on(cookbook: ModuleType) -> None:
    found = advantages_of(cookbook, group_of(cookbook, ["13", "13"], [LOST, SILENT]))
    assert found == {(0.0, tuple(LOST)): [0.0, 0.0, -1.0, 0.0], (0.0, tuple(SILENT)): [0.0, 0.0]}


@with_the_cookbook
def test_a_rollout_without_an_outcome_is_as_if_it_were_not_there(cookbook: ModuleType) -> None:
    targets, responses = ["12", "13", "13"], [SILENT, LOST, SILENT]
    with_it = group_of(cookbook, ["", *targets], [SILENT, *responses])
    assert [error.error_type for error in with_it.rollout_errors] == ["RewardgateError"]
    found, expected = advantages_of(cookbook, with_it), advantages_of(cookbook, group_of(cookbook, targets, responses))
    assert found.keys() == expected.keys()
    for rollout, advantages in found.items():
        assert advantages == pytest.approx(expected[rollout], abs=1e-6)
