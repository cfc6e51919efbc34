"""Completions to what an arm may know of them: outcomes, steps, step scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import nan
from typing import Any, NamedTuple

import torch
from policy import Characters
from sampling import sample
from tasks import Task
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from totals import WholeDerivation

from rewardgate.prm import StepRow, StepScorer
from rewardgate.prm.scoring import score_values, step_scores
from rewardgate.prm.spans import step_ids
from rewardgate.prm.steps import step_spans
from rewardgate.verifiers.batch import verify_many

VERIFIER = WholeDerivation()


class Row(NamedTuple):
    """One rollout; `reward` is the verifier's: 1 where the whole derivation is right."""

    prompt: str
    ids: list[int]
    logprobs: list[float]
    text: str
    ended: bool
    reward: float


@dataclass(frozen=True)
class Group:
    """The rollouts of one prompt; what `training.sampling` reads."""

    rows: list[Row]

    @property
    def rewards(self) -> list[float]:
        return [row.reward for row in self.rows]

    @property
    def n_tokens(self) -> int:
        return sum(len(row.ids) for row in self.rows)


def drawn(model: Any, task: Task, prompts: Sequence[str], count: int, **options: Any) -> tuple[list[Group], float]:
    """`count` verified rollouts of each prompt, and the entropy they were sampled at. Options are of `sample`."""
    characters = Characters(task.alphabet)
    sampled = sample(
        model, [characters.encode(prompt) for prompt in prompts], count, max_tokens=task.max_tokens, **options
    )
    lengths = sampled.mask.sum(1).tolist()
    ids = [row[:length] for row, length in zip(sampled.ids.tolist(), lengths, strict=True)]
    logprobs = [row[:length] for row, length in zip(sampled.logprobs.tolist(), lengths, strict=True)]
    texts = [characters.decode(row) for row in ids]
    asked = [prompt for prompt in prompts for _ in range(count)]
    targets = {prompt: task.answer(prompt) for prompt in prompts}
    verdicts = verify_many(VERIFIER, [(text, targets[prompt]) for prompt, text in zip(asked, texts, strict=True)])
    rewards = [nan if one.reward is None else one.reward for one in verdicts]
    rows = [Row(*row) for row in zip(asked, ids, logprobs, texts, sampled.ended.tolist(), rewards, strict=True)]
    return [Group(rows[begin : begin + count]) for begin in range(0, len(rows), count)], sampled.entropy


@dataclass(frozen=True)
class Judged:
    """A batch that is learned from: B rows, group after group, and what `scorer` says of their steps when asked."""

    groups: list[Group]
    task: Task
    scorer: StepScorer

    @cached_property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]

    @cached_property
    def rewards(self) -> Tensor:
        """(B,) float64."""
        return torch.tensor([row.reward for row in self.rows], dtype=torch.float64)

    @cached_property
    def group_ids(self) -> Tensor:
        """(B,) int64."""
        return torch.tensor([number for number, group in enumerate(self.groups) for _ in group.rows])

    @cached_property
    def mask(self) -> Tensor:
        """(B, T) bool, True = sampled, the end token among them."""
        lengths = torch.tensor([len(row.ids) for row in self.rows])
        return torch.arange(int(lengths.max())) < lengths[:, None]

    @cached_property
    def step_ids(self) -> Tensor:
        """(B, T) the step of every token, -1 for the end."""
        pieces = Characters(self.task.alphabet).bytes_of
        table = [
            torch.from_numpy(step_ids(row.text, _lines(row.text), [pieces[one] for one in row.ids]))
            for row in self.rows
        ]
        return pad_sequence(table, batch_first=True, padding_value=-1)

    @cached_property
    def step_rewards(self) -> Tensor:
        """(B, S) of the scorer, NaN = no such step."""
        return self._scored_by(self.scorer)

    @cached_property
    def exact(self) -> Tensor:
        """(B, S) of the task's own scorer, which the other is held against."""
        return self.step_rewards if self.scorer is self.task.scorer else self._scored_by(self.task.scorer)

    def _scored_by(self, scorer: StepScorer) -> Tensor:
        rows = [StepRow(row.prompt, tuple(row.text[start:end] for start, end in _lines(row.text))) for row in self.rows]
        values = [score_values(scores) for scores in step_scores(scorer, rows)]
        width = max(1, *map(len, values))
        return torch.tensor([row + [nan] * (width - len(row)) for row in values], dtype=torch.float64)


@lru_cache(maxsize=4_096)
def _lines(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(step_spans(text, rule="lines"))
