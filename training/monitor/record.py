"""What a training loop knows at the end of a step: plain data, handed to the monitor once."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from ...diagnostics import Pool
from ...errors import ArgumentError
from ...grpo import GateReport

__all__ = ["HeldOut", "StepRecord"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """The judged rollouts of prompts that nobody trains on.

    Args:
        rewards: (B,) raw outcome rewards; None or NaN where unknown.
        prompt_ids: (B,) the prompt of each.
    """

    rewards: Sequence[float | None]
    prompt_ids: Sequence[Hashable]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepRecord:
    """One step of training.

    What was *sampled* is every rollout that was generated and judged for the step, those that dynamic sampling threw
    away among them: rates of what was kept would say that nothing is ever degenerate. The *batch* is what the update
    was given.

    Args:
        step: 1, 2, …; a resumed run repeats those after its checkpoint.
        rewards: (S,) raw outcome rewards of what was sampled; None or NaN where unknown.
        group_ids: (S,) the group of each.
        outcomes: (S,) of the verdicts, as `verifiers.Outcome` names them; None where there is none.
        n_tokens: (S,) tokens of each completion; None where unknown.
        truncated: (S,) whether it was cut off; None where unknown.
        logprob_sums: (S,) the sampler's log-probabilities of its tokens, summed; None where unknown.
        advantages: (B, T) of the batch, 0 at padding; None where there was no update.
        completion_mask: (B, T) bool, True = a token of the completion.
        gate: of `grpo.gate`, `result.gated.report` of a `pipeline.TokenAdvantages`; None without a gate.
        asked: rollouts of the batch that the step scorer was asked about: `result.n_asked`.
        failed: those of them on which it failed.
        mismatch: of sampler and trainer, by name: the fields of `generation.SamplerMismatch`.
        update: what the update recorded, by name: `UpdateStats.figures()`.
        pools: prompts by pool: `PromptPools.counts`.
        ledger: what sampling cost, by name: `LedgerRow.flat()`.
        held_out: by the name of the set of prompts, `""` where there is but one; empty at steps that evaluate nothing.
        seconds: wall seconds by phase (`generate`, `judge`, `update`, …).

    Raises:
        ArgumentError: lists of different lengths, or advantages without a mask of their shape.
    """

    step: int
    rewards: Sequence[float | None]
    group_ids: Sequence[Hashable]
    outcomes: Sequence[str | None] | None = None
    n_tokens: Sequence[int | None] | None = None
    truncated: Sequence[bool | None] | None = None
    logprob_sums: Sequence[float | None] | None = None
    advantages: Tensor | None = None
    completion_mask: Tensor | None = None
    gate: GateReport | None = None
    asked: int = 0
    failed: int = 0
    mismatch: Mapping[str, float] = field(default_factory=dict)
    update: Mapping[str, float] = field(default_factory=dict)
    pools: Mapping[Pool, int] = field(default_factory=dict)
    ledger: Mapping[str, float | None] = field(default_factory=dict)
    held_out: Mapping[str, HeldOut] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("group_ids", "outcomes", "n_tokens", "truncated", "logprob_sums"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.rewards):
                raise ArgumentError(f"{name}: expected one entry a reward ({len(self.rewards)}), got {len(values)}")
        if self.advantages is None:
            return
        if self.completion_mask is None or self.completion_mask.shape != self.advantages.shape:
            got = None if self.completion_mask is None else tuple(self.completion_mask.shape)
            raise ArgumentError(f"completion_mask: expected shape {tuple(self.advantages.shape)}, got {got}")
