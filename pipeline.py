"""Groups, a verifier and a step scorer to token advantages: the only place where the three rooms meet.

    responses ─ verifier ─▶ outcome rewards ─ group_kinds ─▶ mixed groups: the estimator
                                                  │
                                                  └─ open groups: steps ─ scorer ─▶ step scores ─ gate ─▶ token credit

The scorer is called for the rollouts of open groups only, and of those for the ones that have an outcome.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan, nan
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .diagnostics import GroupKinds, group_kinds
from .errors import ArgumentError
from .grpo import GateConfig, GatedAdvantages, ScaleState, gate, gate_mode
from .prm import StepRow, StepScore, StepScorer
from .prm.scoring import score_values, step_scores
from .prm.spans import step_ids, token_bytes
from .prm.steps import Rule, step_spans
from .prm.tokenizers import encoded
from .rollouts.messages import completion_text
from .rollouts.records import Group, Rollout
from .rollouts.writing import advantage_row
from .verifiers.base import Verdict, Verifier
from .verifiers.batch import verify_many

__all__ = ["TokenAdvantages", "advantage_rows", "iter_token_advantages", "tally", "token_advantages"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class TokenAdvantages:
    """A batch of rollouts with the advantage of each of their tokens, and everything that it was made of.

    Without a tokenizer a *token* is a step: T is then the number of steps of the longest rollout.

    Args:
        groups: N groups; their rollouts, group after group, are the B rows.
        verdicts: (B,) of the verifier; None where the rewards are those of the file.
        outcome_rewards: (B,) float64, NaN = unknown.
        group_ids: (B,) int64.
        kinds: the kind of each group.
        token_ids: (B,) the ids of each rollout's tokens, as logged or by the tokenizer; None without a tokenizer.
        steps: (B,) the spans of each rollout's steps, in characters of its text.
        step_scores: (B,) a score for each step; None where the scorer was not called.
        step_ids: (B, T) int64, the step that each token belongs to; -1 for special tokens and padding.
        completion_mask: (B, T) bool, True = a token of the completion.
        gated: the advantages, the gate's report, and the state for the next batch.
    """

    groups: tuple[Group, ...]
    verdicts: tuple[Verdict, ...] | None
    outcome_rewards: Tensor
    group_ids: Tensor
    kinds: GroupKinds
    token_ids: tuple[list[int], ...] | None
    steps: tuple[tuple[Span, ...], ...]
    step_scores: tuple[list[StepScore] | None, ...]
    step_ids: Tensor
    completion_mask: Tensor
    gated: GatedAdvantages

    @property
    def rollouts(self) -> tuple[Rollout, ...]:
        """The B rollouts, in the order of the rows."""
        return tuple(rollout for group in self.groups for rollout in group.rollouts)

    @property
    def advantages(self) -> Tensor:
        """(B, T) float64, 0 at padding."""
        return self.gated.advantages

    @property
    def n_scored_rows(self) -> int:
        """Rollouts that the step scorer was called for."""
        return sum(scores is not None for scores in self.step_scores)


def token_advantages(
    groups: Iterable[Group],
    verifier: Verifier | None,
    scorer: StepScorer,
    gate_config: GateConfig | None = None,
    tokenizer: Any = None,
    *,
    split: Rule = "auto",
    scale_state: ScaleState | None = None,
    workers: int = 0,
    budget_s: float | None = None,
) -> TokenAdvantages:
    """The gated advantages of a batch of groups: outcomes first, steps only where outcomes say nothing.

    Args:
        groups: of one policy update; the scale of open groups is matched to the mixed ones beside them.
        verifier: judges outcomes; None takes the rewards that the rollouts carry.
        scorer: called once, with the rollouts of the open groups.
        gate_config: None is the mode `rules`, for scorers that prove steps wrong.
        tokenizer: what `prm.spans.token_bytes` reads; None gives one advantage a step. Ids that a rollout
            carries are used as they are; other texts are encoded (any tokenizer with `encode`), without
            special tokens.
        split: where steps begin, see `prm.steps.step_spans`.
        scale_state: of the batch before, for batches without a mixed group.
        workers, budget_s: of `verifiers.iter_verdicts`.

    Raises:
        ArgumentError: no group, a rollout whose ids are not its text (the message names its line), or a
            scorer that does not answer with one score in [0, 1] or None for each step.

    Example:
        >>> import rewardgate.prm as prm, rewardgate.verifiers as verifiers
        >>> from rewardgate.rollouts import Group, Rollout
        >>> texts = ("3 * 4 = 12\\n\\nso 12 + 1 = 14", "3 * 4 = 11\\n\\nso 11 + 1 = 12")
        >>> rows = tuple(Rollout(prompt_id="p", response=text, target="13") for text in texts)
        >>> group = Group(group_id="p", rollouts=rows)
        >>> result = token_advantages([group], verifiers.get("math"), prm.get("arithmetic"))
        >>> result.kinds.kinds[0], result.n_scored_rows
        (<GroupKind.ALL_WRONG: 'all_wrong'>, 2)
        >>> result.advantages.tolist()
        [[0.0, -1.0], [-1.0, -1.0]]
    """
    config = gate_mode("rules") if gate_config is None else gate_config
    groups = tuple(groups)
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    if not rollouts:
        raise ArgumentError("groups: expected at least one, got 0")
    ids = [number for number, group in enumerate(groups) for _ in group.rollouts]
    verdicts = None
    if verifier is None:
        rewards = [rollout.reward for rollout in rollouts]
    else:
        verdicts = tuple(verify_many(verifier, rollouts, workers=workers, budget_s=budget_s))
        rewards = [verdict.reward for verdict in verdicts]
    kinds = group_kinds(rewards, ids, correct_at=config.correct_at, wrong_at=config.wrong_at)

    texts = ["" if rollout.response is None else completion_text(rollout.response) for rollout in rollouts]
    steps = tuple(step_spans(text, rule=split) for text in texts)
    asked = [
        row
        for row, (number, reward) in enumerate(zip(ids, rewards, strict=True))
        if reward is not None and str(kinds.kinds[number]) in config.open_on
    ]
    answers = step_scores(scorer, [_step_row(rollouts[row], texts[row], steps[row]) for row in asked])
    scores: list[list[StepScore] | None] = [None] * len(rollouts)
    for row, answer in zip(asked, answers, strict=True):
        scores[row] = answer
    values = [
        [nan] * len(spans) if row is None else score_values(row) for spans, row in zip(steps, scores, strict=True)
    ]
    token_ids = None
    step_of_token = [np.arange(len(spans)) for spans in steps]
    if tokenizer is not None:
        token_ids = tuple(
            encoded(tokenizer, text) if rollout.token_ids is None else rollout.token_ids.tolist()
            for rollout, text in zip(rollouts, texts, strict=True)
        )
        step_of_token = [_steps_of(*row, tokenizer) for row in zip(rollouts, texts, steps, token_ids, strict=True)]
    lengths = torch.tensor([len(row) for row in step_of_token])
    step_id_table = _padded(step_of_token, fill=-1, dtype=torch.int64)
    completion_mask = torch.arange(step_id_table.shape[1]) < lengths[:, None]
    outcome_rewards = torch.tensor([nan if reward is None else reward for reward in rewards], dtype=torch.float64)
    group_ids = torch.tensor(ids)
    gated = gate(
        outcome_rewards,
        group_ids,
        _padded(values, fill=nan, dtype=torch.float64),
        step_id_table,
        completion_mask,
        scale_state=scale_state,
        **config.options(),
    )
    return TokenAdvantages(
        groups,
        verdicts,
        outcome_rewards,
        group_ids,
        kinds,
        token_ids,
        steps,
        tuple(scores),
        step_id_table,
        completion_mask,
        gated,
    )


def iter_token_advantages(
    groups: Iterable[Group],
    verifier: Verifier | None,
    scorer: StepScorer,
    gate_config: GateConfig | None = None,
    tokenizer: Any = None,
    *,
    batch_groups: int = 64,
    split: Rule = "auto",
    workers: int = 0,
    budget_s: float | None = None,
) -> Iterator[TokenAdvantages]:
    """`token_advantages` of `batch_groups` groups after the other, each given the scale of those before it.

    Raises:
        ArgumentError: `batch_groups` below 1, and what `token_advantages` raises.
    """
    if batch_groups < 1:
        raise ArgumentError(f"batch_groups: expected at least 1, got {batch_groups}")
    remaining, scale_state = iter(groups), None
    while batch := list(islice(remaining, batch_groups)):
        result = token_advantages(
            batch,
            verifier,
            scorer,
            gate_config,
            tokenizer,
            split=split,
            scale_state=scale_state,
            workers=workers,
            budget_s=budget_s,
        )
        scale_state = result.gated.scale_state
        yield result


def advantage_rows(result: TokenAdvantages, *, first_row: int = 0) -> Iterator[dict[str, Any]]:
    """One plain row a rollout, as `rewardgate advantages` writes them: `rollouts.writing.ADVANTAGE_FIELDS`."""
    group_of_row = result.group_ids.tolist()
    rewards, advantages, ids = (
        table.tolist() for table in (result.outcome_rewards, result.advantages, result.step_ids)
    )
    lengths = result.completion_mask.sum(1).tolist()
    for row, rollout in enumerate(result.rollouts):
        number, length = group_of_row[row], lengths[row]
        scores = result.step_scores[row] or [StepScore(None, "", "")] * len(result.steps[row])
        yield advantage_row(
            rollout,
            row=first_row + row,
            group_id=result.groups[number].group_id,
            kind=str(result.kinds.kinds[number]),
            reward=None if isnan(rewards[row]) else rewards[row],
            advantages=advantages[row][:length],
            step_ids=ids[row][:length],
            token_ids=None if result.token_ids is None else result.token_ids[row],
            steps=[
                {"start": start, "end": end, "score": score.value, "rule": score.rule, "detail": score.detail}
                for (start, end), score in zip(result.steps[row], scores, strict=True)
            ],
        )


def tally(result: TokenAdvantages) -> Counter[str]:
    """What a batch adds to the totals of a file: rollouts, groups, opened groups, rollouts that were scored, tokens
    (steps without a tokenizer) and those with an advantage other than 0."""
    return Counter(
        rollouts=len(result.rollouts),
        groups=len(result.groups),
        opened=sum(result.gated.report.opened.values()),
        scored=result.n_scored_rows,
        units=int(result.completion_mask.sum()),
        nonzero=int((result.advantages != 0).sum()),
    )


def _step_row(rollout: Rollout, text: str, spans: Sequence[Span]) -> StepRow:
    return StepRow(rollout.prompt or "", tuple(text[start:end] for start, end in spans), rollout.target)


def _steps_of(
    rollout: Rollout, text: str, spans: Sequence[Span], token_ids: Sequence[int], tokenizer: Any
) -> "np.ndarray[Any, Any]":
    try:
        return step_ids(text, spans, token_bytes(tokenizer, token_ids))
    except ArgumentError as error:
        raise ArgumentError(f"{_place(rollout)}: {error}") from error


def _place(rollout: Rollout) -> str:
    return f'a rollout of "{rollout.prompt_id}"' if rollout.source is None else str(rollout.source)


def _padded(rows: Sequence[Any], *, fill: float, dtype: torch.dtype) -> Tensor:
    """(B, longest row) with `fill` behind each row."""
    width = max(map(len, rows), default=0)
    table = torch.full((len(rows), width), fill, dtype=dtype)
    for number, row in enumerate(rows):
        table[number, : len(row)] = torch.as_tensor(row, dtype=dtype)
    return table
