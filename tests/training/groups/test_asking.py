from collections.abc import Sequence
from typing import Any

import pytest
from scripted_generator import Asked, ScriptedGenerator, numbered_prompts

from rewardgate import verifiers
from rewardgate.errors import ArgumentError, WorkerError
from rewardgate.training.base import Sampled, Sampling
from rewardgate.training.groups.asking import attempt
from rewardgate.training.groups.judging import Judging
from rewardgate.verifiers import Outcome, Verdict

SAMPLING = Sampling(max_tokens=8)
EXACT = Judging(verifiers.get("exact"))


def say(asked: Asked) -> str:
    return str(asked.prompt + 100 + asked.sample)


class Short(ScriptedGenerator):
    """Loses one completion of the first prompt."""

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        first, *others = super().generate(prompt_ids, counts, sampling, seed=seed)
        return [first[1:], *others]


class Broken(ScriptedGenerator):
    def generate(self, *_: Any, **__: Any) -> list[list[Sampled]]:
        raise OSError("no such device")


def test_every_completion_has_its_own_verdict() -> None:
    done = attempt(numbered_prompts(3), 2, ScriptedGenerator(say), EXACT, SAMPLING, seed=0)
    assert [one.rewards for one in done.attempts] == [[1.0, 0.0]] * 3
    assert [[verdict.extracted for verdict in one.verdicts] for one in done.attempts] == [
        [one.text for one in attempts.completions] for attempts in done.attempts
    ]


def test_what_is_missing_shifts_no_verdict_to_another_prompt() -> None:
    with pytest.raises(ArgumentError, match=r"generator: expected \[2, 2\] completions, got \[1, 2\]"):
        attempt(numbered_prompts(2), 2, Short(say), EXACT, SAMPLING, seed=0)


def test_an_engine_that_fails_is_named() -> None:
    with pytest.raises(WorkerError, match="generator: OSError: no such device"):
        attempt(numbered_prompts(2), 2, Broken(say), EXACT, SAMPLING, seed=0)


def test_a_reward_that_is_not_finite_is_none() -> None:
    class Infinite:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            return Verdict(Outcome.INCORRECT, float("inf"), rule="length", detail="")

    (found,) = attempt(numbered_prompts(1), 2, ScriptedGenerator(say), Judging(Infinite()), SAMPLING, seed=0).attempts
    assert found.rewards == [None, None]
