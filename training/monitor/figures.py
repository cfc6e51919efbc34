"""The figures of one step, by the names under which every log has them; docs/monitor.md defines each.

Nothing is computed here that has a definition elsewhere: rates are `diagnostics`', a gate's figures its report's, an
update's its record's. What cannot be counted is NaN.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import nan

import numpy as np

from ...diagnostics import GroupKinds, Pool, collapse_rates, group_kinds, mean_pass_at_k, reward_values
from ...diagnostics.groups import FloatArray
from ...grpo.gate_metrics import gate_metrics
from ...verifiers.base import Outcome
from .record import HeldOut, StepRecord

__all__ = ["step_figures"]

_RATES = (
    *("all_correct_rate", "all_wrong_rate", "tied_rate", "mixed_rate", "degenerate_rate"),
    *("acr", "mean_std", "nonzero_advantage_rate"),
)


def step_figures(record: StepRecord, *, correct_at: float = 1.0, wrong_at: float = 0.0) -> dict[str, float]:
    """Everything that is logged of a step, one number a name.

    Args:
        record: of the step.
        correct_at, wrong_at: as in `diagnostics.group_kinds`.

    Example:
        >>> record = StepRecord(step=1, rewards=[1.0, 0.0, 0.0, 0.0], group_ids=["p", "p", "q", "q"])
        >>> figures = step_figures(record)
        >>> figures["groups/all_wrong_rate"], figures["success/mean"], figures["groups/nonzero_advantage_rate"]
        (0.5, 0.25, 0.5)
    """
    rates = collapse_rates(record.rewards, record.group_ids, correct_at=correct_at, wrong_at=wrong_at)
    found = {f"groups/{name}": getattr(rates, name) for name in _RATES}
    found |= _successes(rates.kinds)
    found |= _verdicts(record)
    found |= _lengths(record, correct_at)
    found |= _signal(record)
    mask = record.completion_mask
    if record.gate is not None:
        # Rows without an outcome are told of all that was sampled: `verdicts/unscored`.
        found |= gate_metrics(record.gate, asked=record.asked / len(record.rewards if mask is None else mask))
        found["gate/rows/failed"] = _share(record.failed, record.asked)
    for name, held_out in record.held_out.items():
        found |= _held_out(name, held_out, correct_at, wrong_at)
    found |= _pools(record.pools)
    rooms = {"ledger": record.ledger, "mismatch": record.mismatch, "update": record.update, "seconds": record.seconds}
    for room, known in rooms.items():
        found |= {f"{room}/{name}": nan if value is None else float(value) for name, value in known.items()}
    return found


def _successes(kinds: GroupKinds) -> dict[str, float]:
    """Where the success rates of the step's groups lie: a mean of 0.5 may be half of the prompts at 0 and half at 1."""
    rates = [won / scored for won, scored in zip(kinds.successes, kinds.scored, strict=True) if scored]
    found = {"groups/sampled": float(len(kinds)), "success/mean": _mean(rates)}
    return found | {f"success/{name}": value for name, value in _quantiles(rates, (0.1, 0.5, 0.9)).items()}


def _verdicts(record: StepRecord) -> dict[str, float]:
    n, is_unscored = len(record.rewards), np.isnan(reward_values(record.rewards))
    found = {"verdicts/unscored": _share(int(is_unscored.sum()), n)}
    if record.outcomes is None:
        return found
    counts = Counter(record.outcomes)
    found |= {f"verdicts/{outcome}": _share(counts[outcome], n) for outcome in map(str, Outcome)}
    # A reward is missing because of our machinery or because of the target, never because of the completion.
    is_fault = np.array([outcome is None or outcome == Outcome.ERROR for outcome in record.outcomes], dtype=bool)
    found["verdicts/unscored_fault"] = _share(int((is_unscored & is_fault).sum()), n)
    found["verdicts/unscored_target"] = _share(int((is_unscored & ~is_fault).sum()), n)
    return found


def _lengths(record: StepRecord, correct_at: float) -> dict[str, float]:
    found: dict[str, float] = {}
    if record.truncated is not None:
        found["length/truncated"] = _mean([float(one) for one in record.truncated if one is not None])
    if record.n_tokens is None:
        return found
    rewards, lengths = reward_values(record.rewards), _numbers(record.n_tokens)
    known = lengths[~np.isnan(lengths)]
    found |= {"length/mean": _mean(known), "length/max": float(known.max()) if len(known) else nan}
    found |= {f"length/{name}": value for name, value in _quantiles(known, (0.5, 0.95)).items()}
    found["length/mean_correct"] = _mean(lengths[(rewards >= correct_at) & ~np.isnan(lengths)])
    found["length/mean_wrong"] = _mean(lengths[(rewards < correct_at) & ~np.isnan(lengths)])
    if record.logprob_sums is not None:
        sums = _numbers(record.logprob_sums)
        is_known = ~np.isnan(sums) & ~np.isnan(lengths)
        # E[-log p] under p is the entropy: the mean over sampled tokens estimates it, and needs no other logits.
        found["sampled/entropy"] = _share(-float(sums[is_known].sum()), float(lengths[is_known].sum()))
    return found


def _signal(record: StepRecord) -> dict[str, float]:
    """How much of what was sampled moves the policy, and what each part of that cost."""
    if record.advantages is None or record.completion_mask is None:
        return {}
    is_live = (record.advantages != 0) & record.completion_mask
    sampled, rollouts, tokens = len(record.rewards), int(is_live.any(1).sum()), int(is_live.sum())
    found = {"signal/live_rollouts": _share(rollouts, sampled), "signal/rollouts_per_live": _share(sampled, rollouts)}
    if record.n_tokens is not None and None not in record.n_tokens:
        sampled = sum(count for count in record.n_tokens if count is not None)
        found["signal/live_tokens"] = _share(tokens, sampled)
        found["signal/tokens_per_live"] = _share(sampled, tokens)
    return found


def _pools(pools: Mapping[Pool, int]) -> dict[str, float]:
    """The counts, and the shares that the audit's ladder holds against its limits."""
    found = {f"pools/{pool}": float(count) for pool, count in pools.items()}
    drawn = sum(count for pool, count in pools.items() if pool.is_drawn)
    quarantined = pools.get(Pool.QUARANTINE, 0)
    if pools:
        found["pools/frontier_share"] = _share(pools.get(Pool.FRONTIER, 0), drawn)
        found["pools/quarantine_share"] = _share(quarantined, drawn + quarantined)
    return found


def _held_out(name: str, held_out: HeldOut, correct_at: float, wrong_at: float) -> dict[str, float]:
    """pass@1 and pass@G, G the size that every prompt has scored rollouts for."""
    kinds = group_kinds(held_out.rewards, held_out.prompt_ids, correct_at=correct_at, wrong_at=wrong_at)
    room = f"held_out/{name}" if name else "held_out"
    found = {f"{room}/pass@1": mean_pass_at_k(kinds, 1).value, f"{room}/prompts": float(len(kinds))}
    size = max(kinds.sizes, default=0)
    if size > 1:
        found[f"{room}/pass@{size}"] = mean_pass_at_k(kinds, size).value
    return found


def _numbers(values: Sequence[float | None]) -> FloatArray:
    """NaN where one is None."""
    return np.array(values, dtype=np.float64)


def _quantiles(values: Iterable[float], shares: Sequence[float]) -> dict[str, float]:
    """By `q10`, `q50`, …: linearly interpolated."""
    known = np.array(list(values), dtype=np.float64)
    return {f"q{round(100 * share)}": float(np.quantile(known, share)) if len(known) else nan for share in shares}


def _mean(values: Sequence[float] | FloatArray) -> float:
    return float(np.mean(values)) if len(values) else nan


def _share(part: float, whole: float) -> float:
    return part / whole if whole else nan
