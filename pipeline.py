"""Groups, a verifier and a step scorer to token advantages: the only place where the three rooms meet.

    responses ─ verifier ─▶ outcome rewards ─ group_kinds ─▶ mixed groups: the estimator
                                                  │
                                                  └─ open groups: steps ─ scorer ─▶ step scores ─ gate ─▶ token credit

The scorer is called for the rollouts of open groups only, and of those for the ones that have an outcome. Without a
scorer no group opens.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from .diagnostics import GroupKinds, group_kinds
from .errors import ArgumentError
from .grpo import GateConfig, GatedAdvantages, ScaleState, gate, gate_mode
from .prm import StepRow, StepScore, StepScorer, step_scorers
from .prm.blocks import Span
from .prm.scoring import score_values, step_scores
from .prm.spans import step_ids
from .prm.steps import Rule, step_spans
from .prm.token_bytes import token_bytes
from .prm.tokenizers import encoded
from .rollouts.messages import completion_text
from .rollouts.records import Group, Rollout
from .rollouts.writing import advantage_row
from .verifiers.base import Verdict, Verifier
from .verifiers.batch import verify_many

__all__ = ["TokenAdvantages", "advantage_rows", "iter_token_advantages", "token_advantages", "totals"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
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
        misfits: row -> why its tokens could not be laid on its text. They belong to no step: no step score
            reaches them, and the scorer is not asked.
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
    misfits: dict[int, str]
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
    def n_asked(self) -> int:
        """Rollouts that the step scorer was asked about."""
        return sum(scores is not None for scores in self.step_scores)


def token_advantages(
    groups: Iterable[Group],
    verifier: str | Verifier | None,
    scorer: str | StepScorer | None,
    gate_config: str | GateConfig = "rules",
    tokenizer: Any = None,
    *,
    rewards: Tensor | None = None,
    split: Rule = "auto",
    scale_state: ScaleState | None = None,
    workers: int = 0,
    budget_s: float | None = None,
) -> TokenAdvantages:
    """The gated advantages of a batch of groups: outcomes first, steps only where outcomes say nothing.

    Args:
        groups: of one policy update; the scale of open groups is matched to the mixed ones beside them.
        verifier: judges outcomes; None takes the rewards that the rollouts carry.
        scorer: called once, with the rollouts of the open groups; None: every group gets the estimator's advantages,
            and no text is cut into steps.
        gate_config: or the name of a mode; `rules` is for scorers that prove steps wrong.
        tokenizer: what `prm.token_bytes` reads; None gives one advantage a step. Ids that a rollout carries are
            used as they are; other texts are encoded (any tokenizer with `encode`), without special tokens.
        rewards: (B,) what the estimator compares, where it is more than the outcome; see `gate`.
        split: where steps begin, see `prm.steps.step_spans`.
        scale_state: of the batch before, for batches without a mixed group.
        workers, budget_s: of `verifiers.iter_verdicts`.

    Raises:
        UnknownNameError: a name that nobody registered.
        ArgumentError: no group; a tokenizer of no known kind; or a scorer that does not answer with one score in
            [0, 1] or None for each step.

    Example:
        >>> from rewardgate.rollouts import Group, Rollout
        >>> texts = ("3 * 4 = 12\\n\\nso 12 + 1 = 14", "3 * 4 = 11\\n\\nso 11 + 1 = 12")
        >>> rows = tuple(Rollout(prompt_id="p", response=text, target="13") for text in texts)
        >>> result = token_advantages([Group(group_id="p", rollouts=rows)], "math", "arithmetic")
        >>> result.kinds.kinds[0], result.n_asked
        (<GroupKind.ALL_WRONG: 'all_wrong'>, 2)
        >>> result.advantages.tolist()
        [[0.0, -1.0], [-1.0, -1.0]]
    """
    config = gate_mode(gate_config) if isinstance(gate_config, str) else gate_config
    asked = step_scorers.create(scorer) if isinstance(scorer, str) else scorer
    if asked is None:
        config = replace(config, open_on=())
    groups = tuple(groups)
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    if not rollouts:
        raise ArgumentError("groups: expected at least one, got 0")
    number_of_row = [number for number, group in enumerate(groups) for _ in group.rollouts]
    verdicts = None
    if verifier is not None:
        verdicts = tuple(verify_many(verifier, rollouts, workers=workers, budget_s=budget_s))
    judged = rollouts if verdicts is None else verdicts
    outcomes = [one.reward for one in judged]
    kinds = group_kinds(outcomes, number_of_row, correct_at=config.correct_at, wrong_at=config.wrong_at)

    rule = None if asked is None and tokenizer is not None else split
    laid = [_laid(rollout, tokenizer, rule) for rollout in rollouts]
    open_rows = [
        row
        for row, outcome in enumerate(outcomes)
        if outcome is not None and config.opens(kinds.kinds[number_of_row[row]]) and laid[row].misfit is None
    ]
    scores: list[list[StepScore] | None] = [None] * len(rollouts)
    questions = [_question(rollouts[row], laid[row]) for row in open_rows]
    if asked is not None:
        for row, answer in zip(open_rows, step_scores(asked, questions), strict=True):
            scores[row] = answer

    outcome_rewards = torch.tensor([nan if reward is None else reward for reward in outcomes], dtype=torch.float64)
    group_ids = torch.tensor(number_of_row)
    values = [
        [nan] * len(one.steps) if row is None else score_values(row) for one, row in zip(laid, scores, strict=True)
    ]
    step_table = _padded([one.step_ids for one in laid], -1, dtype=torch.int64)
    lengths = torch.tensor([len(one.step_ids) for one in laid])
    completion_mask = torch.arange(step_table.shape[1]) < lengths[:, None]
    gated = gate(
        outcome_rewards,
        group_ids,
        _padded(values, nan, dtype=torch.float64),
        step_table,
        completion_mask,
        rewards=rewards,
        scale_state=scale_state,
        **config.options(),
    )
    return TokenAdvantages(
        groups=groups,
        verdicts=verdicts,
        outcome_rewards=outcome_rewards,
        group_ids=group_ids,
        kinds=kinds,
        token_ids=None if tokenizer is None else tuple(one.token_ids for one in laid),
        misfits={row: one.misfit for row, one in enumerate(laid) if one.misfit is not None},
        steps=tuple(one.steps for one in laid),
        step_scores=tuple(scores),
        step_ids=step_table,
        completion_mask=completion_mask,
        gated=gated,
    )


def iter_token_advantages(
    groups: Iterable[Group],
    verifier: str | Verifier | None,
    scorer: str | StepScorer,
    gate_config: str | GateConfig = "rules",
    tokenizer: Any = None,
    *,
    batch_groups: int = 64,
    split: Rule = "auto",
    workers: int = 0,
    budget_s: float | None = None,
) -> Iterator[TokenAdvantages]:
    """`token_advantages` for `batch_groups` groups at a time; each batch is given the scale of those before it.

    Raises:
        ArgumentError: `batch_groups` below 1, and what `token_advantages` raises.
    """
    if batch_groups < 1:
        raise ArgumentError(f"batch_groups: expected at least 1, got {batch_groups}")
    remaining, scale_state = iter(groups), None
    limits = {"workers": workers, "budget_s": budget_s}
    while batch := list(islice(remaining, batch_groups)):
        result = token_advantages(
            batch, verifier, scorer, gate_config, tokenizer, split=split, scale_state=scale_state, **limits
        )
        scale_state = result.gated.scale_state
        yield result


def advantage_rows(result: TokenAdvantages, *, first_row: int = 0) -> Iterator[dict[str, Any]]:
    """One plain row a rollout, as `rewardgate advantages` writes them: `rollouts.writing.ADVANTAGE_FIELDS`."""
    number_of_row = result.group_ids.tolist()
    rewards = result.outcome_rewards.tolist()
    lengths = result.completion_mask.sum(1).tolist()
    for row, rollout in enumerate(result.rollouts):
        number, length, scores = number_of_row[row], lengths[row], result.step_scores[row]
        steps = [{"start": start, "end": end} for start, end in result.steps[row]]
        said: list[dict[str, Any]] = [dict.fromkeys(("score", "rule", "detail"))] * len(steps)
        if scores is not None:
            said = [{"score": score.value, "rule": score.rule, "detail": score.detail} for score in scores]
        yield advantage_row(
            rollout,
            row=first_row + row,
            group_id=result.groups[number].group_id,
            kind=str(result.kinds.kinds[number]),
            reward=None if isnan(rewards[row]) else rewards[row],
            advantages=result.advantages[row, :length].tolist(),
            step_ids=result.step_ids[row, :length].tolist(),
            token_ids=None if result.token_ids is None else result.token_ids[row],
            steps=[{**step, **score} for step, score in zip(steps, said, strict=True)],
            misfit=result.misfits.get(row),
        )


def totals(result: TokenAdvantages) -> Counter[str]:
    """What a batch adds to the totals of a file: rollouts, those without an outcome, those whose tokens do not fit
    their text, groups, opened groups, rollouts that the scorer was asked about, tokens (steps without a tokenizer)
    and those with an advantage other than 0."""
    return Counter(
        rollouts=len(result.rollouts),
        unknown=int(result.outcome_rewards.isnan().sum()),
        misfits=len(result.misfits),
        groups=len(result.groups),
        opened=sum(result.gated.report.opened.values()),
        asked=result.n_asked,
        units=int(result.completion_mask.sum()),
        nonzero=int((result.advantages != 0).sum()),
    )


class _Laid(NamedTuple):
    """A rollout's text cut into steps, and the step of each of its tokens: of each step itself without a tokenizer."""

    text: str
    steps: tuple[Span, ...]
    token_ids: list[int]
    step_ids: "np.ndarray[Any, Any]"
    misfit: str | None = None


def _laid(rollout: Rollout, tokenizer: Any, split: Rule | None) -> _Laid:
    """Cut by a rule; by None into nothing but tokens, which are of no step."""
    text = "" if rollout.response is None else completion_text(rollout.response)
    if split is None:
        ids = encoded(tokenizer, text) if rollout.token_ids is None else rollout.token_ids.tolist()
        return _Laid(text, (), ids, np.full(len(ids), -1))
    steps = step_spans(text, rule=split)
    if tokenizer is None:
        return _Laid(text, steps, [], np.arange(len(steps)))
    ids = encoded(tokenizer, text) if rollout.token_ids is None else rollout.token_ids.tolist()
    pieces = token_bytes(tokenizer, ids)
    try:
        return _Laid(text, steps, ids, step_ids(text, steps, pieces))
    except ArgumentError as error:
        return _Laid(text, steps, ids, np.full(len(ids), -1), str(error))


def _question(rollout: Rollout, laid: _Laid) -> StepRow:
    return StepRow(rollout.prompt or "", tuple(laid.text[start:end] for start, end in laid.steps), rollout.target)


def _padded(rows: Sequence[Any], fill: float, *, dtype: torch.dtype) -> Tensor:
    """(B, longest row) with `fill` behind each row."""
    tensors = [torch.as_tensor(row, dtype=dtype) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=fill)
