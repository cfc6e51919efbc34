"""A generator that says what a test wants: the first id of a prompt names it."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from rewardgate.training import Sampled, Sampling
from rewardgate.training.prompts import Prompt


class Asked(NamedTuple):
    """What a completion is asked for."""

    prompt: int
    sample: int
    sampling: Sampling
    random: Random


class ScriptedGenerator:
    """Answers with `say(asked)`: a text, one token a character and one more for the end; `…` cuts it off."""

    policy_version = 0

    def __init__(self, say: Callable[[Asked], str]) -> None:
        self._say = say
        self.calls: list[tuple[list[int], list[int], Sampling, int]] = []
        self.pushed: list[int] = []

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        names = [ids[0] for ids in prompt_ids]
        self.calls.append((names, list(counts), sampling, seed))
        return [
            [self._sampled(Asked(name, sample, sampling, Random(f"{seed} {name} {sample}"))) for sample in range(count)]
            for name, count in zip(names, counts, strict=True)
        ]

    def push(self, model: Any, *, policy_version: int) -> None:
        self.policy_version = policy_version
        self.pushed.append(policy_version)

    def close(self) -> None:
        pass

    def _sampled(self, asked: Asked) -> Sampled:
        text = self._say(asked)
        is_cut, text = text.endswith("…"), text.removesuffix("…")
        ids = [*map(ord, text), *([] if is_cut else [0])] or [0]
        return Sampled(tuple(ids), (-1.0,) * len(ids), text, "length" if is_cut else "stop")


def numbered_prompts(n: int) -> list[Prompt]:
    """Prompt i asks for i + 100 and is named by the token i."""
    return [Prompt(f"p{number}", f"{number}+100=", str(number + 100), (number,)) for number in range(n)]
