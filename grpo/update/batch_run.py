"""One batch on its way through the model: passes with and without a graph, optimizer steps, and what they saw."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any

import torch
from torch import Tensor, nn

from ..fused_loss import fused_token_loss
from ..lm_head import LmHead
from ..loss_config import LossConfig
from ..ratios import importance_weights
from ..reductions import token_weights
from .config import UpdateConfig
from .figures import token_figures
from .layout import Layout
from .padded import PaddedLayout
from .plan import StepPlan
from .ranks import Ranks
from .row_tokens import RowTokens
from .scoring import Scored, TokenData, score, score_with_loss
from .skipping import Needed
from .stats import NOT_FINITE, StepStats
from .work import Work

__all__ = ["BatchRun", "Policy"]


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """What is trained, and with what: the same for every batch."""

    model: nn.Module
    head: LmHead
    optimizer: Any
    ranks: Ranks
    config: UpdateConfig
    token_budget: int

    @property
    def parameters(self) -> list[nn.Parameter]:
        return [one for one in self.model.parameters() if one.requires_grad]


class BatchRun:
    """Runs the plans of one batch.

    Args:
        policy: what is trained.
        work: the batch on the device.
        needed: what is run with a graph.
        seen: (B, T) bool, True = scored, with a graph or without: what the figures are of.
        tokens: the rows cut to what is run with a graph.
        layout: of all rows.
        live_only: whether any process leaves a counted token unseen.

    `logprobs` and `entropies` (B, T) are the last that were found, `old_logprobs` those under the weights of before.
    """

    def __init__(
        self,
        policy: Policy,
        work: Work,
        needed: Needed,
        seen: Tensor,
        tokens: RowTokens,
        layout: Layout,
        *,
        live_only: bool,
    ) -> None:
        self._policy, self._work, self._needed, self._seen = policy, work, needed, seen
        self._tokens, self._layout, self._live_only = tokens, layout, live_only
        self.logprobs = torch.zeros_like(work.advantages)
        has_entropy = policy.config.entropy or policy.config.loss.entropy_coef > 0
        self.entropies = torch.zeros_like(work.advantages) if has_entropy else None
        self.old_logprobs = work.old_logprobs
        self.ref_logprobs = work.ref_logprobs
        self.fillers = self.positions = 0

    def scored(self, rows: Iterable[int], *, model: nn.Module | None = None, head: LmHead | None = None) -> Scored:
        """(B, T) of what is seen of some rows, 0 elsewhere, without a graph; by another model where one is given."""
        policy, config = self._policy, self._policy.config
        chosen = [row for row in rows if bool(self._seen[row].any())]
        logprobs = torch.zeros_like(self.logprobs)
        entropies = torch.zeros_like(self.logprobs) if self.entropies is not None and model is None else None
        whole = self._work.tokens.of(chosen)
        for places in self._layout.micro_batches(whole, policy.token_budget):
            group = [chosen[place] for place in places]
            with policy.ranks.autocast(config.autocast):
                found = score(
                    policy.ranks.bare if model is None else model,
                    policy.head if head is None else head,
                    self._layout,
                    whole.of(places),
                    self._seen[group],
                    temperature=config.temperature,
                    entropy=entropies is not None,
                    chunk_mib=config.chunk_mib,
                )
            _place(logprobs, group, self._seen[group], found.logprobs)
            if entropies is not None and found.entropies is not None:
                _place(entropies, group, self._seen[group], found.entropies)
        return Scored(logprobs, entropies)

    def look(self, plan: StepPlan) -> None:
        """Score what is seen of a plan's rows and not run with a graph."""
        is_run = self._needed.rows.tolist()
        rows = [row for row in plan.rows if not (is_run[row] and plan.has_gradient)]
        found = self.scored(rows)
        self.logprobs[rows] = found.logprobs[rows]
        if self.entropies is not None and found.entropies is not None:
            self.entropies[rows] = found.entropies[rows]

    def differentiate(self, plan: StepPlan, *, is_moved: bool) -> tuple[float, float]:
        """Gradients of a plan's loss in every parameter, averaged over processes.

        Args:
            plan: with a gradient.
            is_moved: whether the weights may have moved since the batch arrived. If not, the ratio is 1, and these
                log-probabilities become the old ones.

        Returns:
            This process's share of the loss, and the norm of the gradient of the plan's first phase (NaN of one).
        """
        policy, config = self._policy, self._policy.config
        data, by_token = self._data(plan, is_moved=is_moved)
        losses, first_norm = [self.logprobs.new_zeros(())], nan
        for phase, length in zip(plan.phases, plan.lengths, strict=True):
            for number in range(length):
                with policy.ranks.meeting(is_last=number == length - 1), policy.ranks.autocast(config.autocast):
                    if number < len(phase):
                        loss = self._forward(phase[number], data, by_token=by_token)
                        losses.append(loss.detach())
                    else:
                        loss = self._filler()
                    policy.ranks.backward(loss)
            if len(plan.phases) > 1 and first_norm != first_norm:
                first_norm = float(total_norm(policy.parameters))
        return float(torch.stack(losses).sum()), first_norm

    def remember_old(self, plan: StepPlan) -> None:
        """Keep the log-probabilities of a plan's rows, just found before any step, where a later step asks for them."""
        if self._work.old_logprobs is None and self.old_logprobs is not None:
            self.old_logprobs[plan.rows] = self.logprobs[plan.rows]

    def move(self, loss: float, degenerate_norm: float) -> StepStats:
        """The optimizer's step on the gradients that there are, if they are finite; they are gone afterwards."""
        policy, limit = self._policy, self._policy.config.max_grad_norm
        norm = total_norm(policy.parameters)
        size = float(norm)
        is_strange = not (isfinite(size) and isfinite(loss))
        if bool(policy.ranks.highest([float(is_strange)])[0]):
            policy.optimizer.zero_grad(set_to_none=True)
            return StepStats(why_not=NOT_FINITE, degenerate_grad_norm=degenerate_norm)
        if limit is not None:
            torch.nn.utils.clip_grads_with_norm_(policy.parameters, limit, norm)
        policy.optimizer.step()
        policy.optimizer.zero_grad(set_to_none=True)
        return StepStats(
            grad_norm=size,
            degenerate_grad_norm=degenerate_norm,
            is_clipped=limit is not None and size > limit,
            is_stepped=True,
        )

    def described(self, record: StepStats, plan: StepPlan, *, is_moved: bool) -> StepStats:
        """The record with figures of what was seen: of the loss, and with the ratio against the sampler."""
        config = self._policy.config.loss
        data, _ = self._data(plan, is_moved=is_moved)
        rows, mask, known = plan.rows, self._seen[plan.rows], data.at(plan.rows)
        entropy = None if self.entropies is None else self.entropies[rows]
        options: dict[str, Any] = {"live_only": self._live_only}
        own = token_figures(config, known, self.logprobs[rows], mask, entropy, **options)
        if "rollout_logprobs" not in known:
            return replace(record, loss=own)
        lag = LossConfig(ratio_against="rollout", epsilon_low=config.epsilon_low, epsilon_high=config.epsilon_high)
        known = {name: known[name] for name in ("advantages", "weights", "rollout_logprobs")}
        return replace(record, loss=own, sampler=token_figures(lag, known, self.logprobs[rows], mask, **options))

    def _data(self, plan: StepPlan, *, is_moved: bool) -> tuple[TokenData, bool]:
        """What the loss reads, and whether it takes tokens one by one."""
        config, work = self._policy.config.loss, self._work
        counts = self._mask_of(plan.rows) & work.counts
        weights = token_weights(
            counts, reduction=config.reduction, normalizer=plan.normalizer, dtype=self.logprobs.dtype
        )
        is_known = is_moved or work.old_logprobs is not None
        old = self.old_logprobs if is_known and config.ratio_against == "old" else None
        rollout, importance = work.rollout_logprobs, None
        if config.importance_level == "sequence" and rollout is not None and old is not None:
            importance = importance_weights(old, rollout, work.counts, cap=config.cap, level="sequence")
        degenerate = None if work.degenerate is None else work.degenerate[:, None].expand_as(work.counts)
        data = TokenData(work.advantages, weights, old, rollout, self.ref_logprobs, importance, degenerate)
        is_by_row = config.form in ("gspo", "gspo_token") or (
            config.importance_level == "sequence" and rollout is not None and importance is None
        )
        return data, not is_by_row

    def _forward(self, rows: list[int], data: TokenData, *, by_token: bool) -> Tensor:
        policy, config = self._policy, self._policy.config
        needed = self._needed.graph[rows]
        tokens = self._tokens.of(rows)
        loss, found = score_with_loss(
            policy.model,
            policy.head,
            self._layout,
            tokens,
            needed,
            data.at(rows, needed if by_token else None),
            config.loss,
            temperature=config.temperature,
            entropy=config.entropy,
            chunk_mib=config.chunk_mib,
        )
        self.positions += self._layout.positions(tokens)
        _place(self.logprobs, rows, needed, found.logprobs)
        if self.entropies is not None and found.entropies is not None:
            _place(self.entropies, rows, needed, found.entropies)
        return loss

    def _filler(self) -> Tensor:
        """A loss of 0 that reaches every parameter, of the least tokens: another process has a micro-batch more."""
        self.fillers += 1
        tokens = self._work.tokens
        one = RowTokens([tokens.prompts[0][-1:]], [tokens.completions[0][:1]], [0])
        hidden = PaddedLayout().hidden(self._policy.model, one)
        return fused_token_loss(
            hidden, one.completions[0], self._policy.head, lambda logprobs, _, __: logprobs * 0
        ).loss

    def _mask_of(self, rows: list[int]) -> Tensor:
        mask = torch.zeros(len(self.logprobs), 1, dtype=torch.bool, device=self.logprobs.device)
        mask[rows] = True
        return mask


def total_norm(parameters: list[nn.Parameter]) -> Tensor:
    """Of all gradients together."""
    return torch.nn.utils.get_total_norm([one.grad for one in parameters if one.grad is not None])


def _place(target: Tensor, rows: list[int], mask: Tensor, values: Tensor) -> None:
    """Put (N,) values at the places of a mask (b, T) of some rows of the target (B, T)."""
    of_rows = target[rows]
    of_rows[mask] = values.to(target.dtype)
    target[rows] = of_rows
