"""What an update did: one record an optimizer step, and one a batch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import nan

from ..loss_stats import LossStats, merge_loss_stats

__all__ = ["StepStats", "UpdateStats", "merge_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStats:
    """One optimizer step, or what should have been one; over all processes.

    Args:
        loss: of `policy_loss`, over the tokens that were scored.
        sampler: the same figures with the ratio against `rollout_logprobs`, whatever the loss reads: the lag. Its
            losses mean nothing. None where they were not given.
        grad_norm: Euclidean norm of the gradient before clipping; 0 where no row had one, NaN where it was not finite.
        degenerate_grad_norm: the same of the rows of degenerate groups alone; NaN where it was not asked for.
        is_clipped: the gradient was longer than `max_grad_norm`.
        is_stepped: the optimizer was called.
        why_not: why it was not.
    """

    loss: LossStats = field(default_factory=LossStats)
    sampler: LossStats | None = None
    grad_norm: float = nan
    degenerate_grad_norm: float = nan
    is_clipped: bool = False
    is_stepped: bool = False
    why_not: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateStats:
    """What `PolicyUpdate.step` did with a batch. Counts are over all processes, seconds and memory this one's.

    Args:
        steps: one an epoch and mini-batch, in their order.
        rows, tokens: of the batch, counted tokens; every epoch has them.
        rows_skipped, tokens_skipped: those that no pass with a graph read in an epoch, and that have no gradient.
        why_not_skipped: why rows without an advantage were run; None where none were.
        is_full_pass: what was skipped was scored without a graph, and the figures are of all rows.
        layout, layout_why: how rows were laid out, and why so.
        micro_batches: with a graph, most of any process, over all optimizer steps.
        fillers: how many of this process's had weight 0, run because another process had more.
        positions: that this process computed with a graph, padding and prompts included.
        steps_since_sampled: optimizer steps between sampling and this batch, mean over rows; NaN where unknown.
        seconds: by phase: `plan`, `old`, `reference`, `full_pass`, `gradient`, `optimizer`, `figures`.
        peak_mib: highest memory: on an accelerator allocated during this call, on a CPU resident since the process
            began.
        saved: where the batch lies, if a step was skipped for a gradient that was not finite.
    """

    steps: tuple[StepStats, ...] = ()
    rows: int = 0
    tokens: int = 0
    rows_skipped: int = 0
    tokens_skipped: int = 0
    why_not_skipped: str | None = None
    is_full_pass: bool = False
    layout: str = ""
    layout_why: str = ""
    micro_batches: int = 0
    fillers: int = 0
    positions: int = 0
    steps_since_sampled: float = nan
    seconds: dict[str, float] = field(default_factory=dict)
    peak_mib: float = nan
    saved: str | None = None

    @property
    def optimizer_steps(self) -> int:
        """How many there were."""
        return sum(step.is_stepped for step in self.steps)

    @property
    def nonfinite_steps(self) -> int:
        """Steps skipped because their gradient was not finite."""
        return sum(step.why_not == NOT_FINITE for step in self.steps)

    @property
    def loss(self) -> LossStats:
        """All optimizer steps in one: losses are means over them, shares and means weighted by tokens, rows and tokens
        counted at every visit."""
        merged = merge_loss_stats(step.loss for step in self.steps)
        count = max(len(self.steps), 1)
        return replace(merged, **{name: getattr(merged, name) / count for name in _LOSSES})

    def figures(self) -> dict[str, float]:
        """Everything by name, for a log: of the loss (see `LossStats.figures`), the gradient, and the work."""
        norms = [step.grad_norm for step in self.steps if step.grad_norm == step.grad_norm]
        degenerate = [step.degenerate_grad_norm for step in self.steps]
        counted = len(self.steps)
        found = self.loss.figures()
        found |= {
            "grad_norm": _mean(norms),
            "grad_norm_max": max(norms, default=nan),
            "grad_clipped": _mean([float(step.is_clipped) for step in self.steps]),
            "degenerate_grad_norm": _mean([norm for norm in degenerate if norm == norm]),
            "optimizer_steps": self.optimizer_steps,
            "idle_steps": counted - self.optimizer_steps - self.nonfinite_steps,
            "nonfinite_steps": self.nonfinite_steps,
            "batch_rows": self.rows,
            "batch_tokens": self.tokens,
            "skipped_rows": self.rows_skipped / self.rows if self.rows else nan,
            "skipped_tokens": self.tokens_skipped / self.tokens if self.tokens else nan,
            "is_full_pass": float(self.is_full_pass),
            "micro_batches": self.micro_batches,
            "filler_micro_batches": self.fillers,
            "positions": self.positions,
            "steps_since_sampled": self.steps_since_sampled,
            "peak_mib": self.peak_mib,
        }
        found |= {f"seconds_{name}": spent for name, spent in self.seconds.items()}
        if self.steps and self.steps[0].sampler is not None:
            # Before the weights move: the later steps' is lag and update together.
            lag = self.steps[0].sampler.figures()
            found |= {f"sampler_{name}": lag[name] for name in lag if name in _LAG}
        return found


NOT_FINITE = "gradient not finite"

_LOSSES = ("loss", "policy_loss", "kl_loss", "entropy_loss")
_LAG_OF_ALL = (
    *("k1", "k2", "k3", "ratio_mean", "ratio_max", "ratio_q01", "ratio_q50", "ratio_q99", "clamped"),
    "effective_share",
)
_LAG = {*_LAG_OF_ALL, *(f"live_{name}" for name in _LAG_OF_ALL)}


def merge_steps(by_process: Iterable[Sequence[StepStats]]) -> tuple[StepStats, ...]:
    """The records of all processes, step by step; what the processes know alike is taken from the first."""
    merged = []
    for steps in zip(*by_process, strict=True):
        sampled = [step.sampler for step in steps if step.sampler is not None]
        merged.append(
            replace(
                steps[0],
                loss=merge_loss_stats(step.loss for step in steps),
                sampler=merge_loss_stats(sampled) if sampled else None,
            )
        )
    return tuple(merged)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan
