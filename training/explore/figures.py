"""What completions of some prompts say of groups of any size up to their number.

The chance that G of a prompt's n completions, drawn without putting back, are all wrong, all correct or mixed is an
unbiased estimate of the same for a fresh group of G. So one sampling answers for every group size up to n, and sizes
are compared on the same completions.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from ...audit.report.explore import ExploreReadout
from ...diagnostics import bootstrap_by_prompt, pass_at_k
from ...verifiers.base import Outcome
from ..groups.attempts import Attempts
from .report import AtTemperature, Setting, Share

__all__ = ["PromptCounts", "figures_at", "setting_of"]

CORRECT_AT, WRONG_AT = 1.0, 0.0
"""As `diagnostics.group_kinds` has them: a verdict's reward is 1 if and only if it is correct."""

NO_ONE_ANSWER = (Outcome.NO_ANSWER, Outcome.HEDGED, Outcome.UNSUPPORTED)
"""Outcomes of completions that commit to no single answer that can be read."""


@dataclass(slots=True)
class PromptCounts:
    """What is kept of one prompt's completions at one temperature.

    Args:
        prompt_id: whose.
        rewards: known rewards, and how often each was given.
        outcomes: of all verdicts.
        faults: outcome and rule of verdicts without a reward.
        format_failures: scored completions without a single readable answer.
        truncated, tokens, rollouts: of all completions.
    """

    prompt_id: str
    rewards: Counter[float] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    format_failures: int = 0
    truncated: int = 0
    tokens: int = 0
    rollouts: int = 0

    @property
    def scored(self) -> int:
        return self.rewards.total()

    @property
    def successes(self) -> int:
        return sum(count for reward, count in self.rewards.items() if reward >= CORRECT_AT)

    @classmethod
    def of(cls, attempts: Attempts) -> "PromptCounts":
        counts = cls(attempts.prompt.prompt_id, tokens=attempts.n_tokens, rollouts=len(attempts.completions))
        for one, verdict in zip(attempts.completions, attempts.verdicts, strict=True):
            counts.outcomes[str(verdict.outcome)] += 1
            counts.truncated += one.finish_reason == "length"
            if verdict.reward is None:
                counts.faults[f"{verdict.outcome}: {verdict.rule}"] += 1
            else:
                counts.rewards[verdict.reward] += 1
                counts.format_failures += verdict.outcome in NO_ONE_ANSWER
        return counts

    def all_equal(self, size: int) -> dict[str, float]:
        """Chances that `size` of the scored completions, drawn without putting back, are all equal, by kind.

        Example:
            >>> counts = PromptCounts("p", rewards=Counter({1.0: 2, 0.0: 6}))
            >>> counts.all_equal(2)["all_wrong"]  # 6/8 * 5/7
            0.5357142857142857
        """
        chances: dict[str, float] = {"all_wrong": 0.0, "all_correct": 0.0, "tied": 0.0}
        for reward, count in self.rewards.items():
            kind = "all_correct" if reward >= CORRECT_AT else "all_wrong" if reward <= WRONG_AT else "tied"
            chances[kind] += prod(max(0, count - i) / (self.scored - i) for i in range(size))
        return chances


def figures_at(
    temperature: float,
    counts: Sequence[PromptCounts],
    *,
    readout: ExploreReadout,
    generating_s: float,
    judging_s: float,
    seed: int,
) -> AtTemperature:
    """What was sampled at one temperature.

    Args:
        counts: one a prompt.
        readout: the same prompt by prompt.
        seed: of the bootstrap.
    """
    scored = [one for one in counts if one.scored]
    tokens, rollouts = sum(one.tokens for one in counts), sum(one.rollouts for one in counts)
    successes = sum(one.successes for one in counts)
    is_told = all(one.format_failures is not None for one in readout.prompts)
    return AtTemperature(
        temperature=temperature,
        prompts=len(counts),
        rollouts=rollouts,
        unscored=rollouts - sum(one.scored for one in counts),
        faults=_summed(one.faults for one in counts),
        outcomes=_summed(one.outcomes for one in counts),
        success=share([one.successes / one.scored for one in scored], seed),
        format_failures=share([one.format_failures / one.scored for one in scored], seed) if is_told else None,
        truncated=share([one.truncated / one.rollouts for one in counts if one.rollouts], seed),
        never_solved=sum(not one.successes for one in scored),
        tokens=tokens,
        tokens_per_rollout=tokens / rollouts if rollouts else None,
        tokens_per_success=tokens / successes if successes else None,
        generating_s=generating_s,
        judging_s=judging_s,
        readout=readout,
    )


def setting_of(at: AtTemperature, group_size: int, counts: Sequence[PromptCounts], *, seed: int) -> Setting:
    """What groups of `group_size` would be; prompts with fewer scored completions are left out and counted."""
    known = [one for one in counts if one.scored >= group_size]
    chances = [one.all_equal(group_size) for one in known]
    kinds = {
        kind: sum(one[kind] for one in chances) / len(chances) if chances else None
        for kind in ("all_wrong", "all_correct", "tied")
    }
    # Rounding may leave a hair beyond 0 and 1, where a share has its ends.
    mixed = share([min(1.0, max(0.0, 1 - sum(one.values()))) for one in chances], seed)
    passed = share([pass_at_k(one.scored, one.successes, group_size) for one in known], seed)
    per_group = None if at.tokens_per_rollout is None else group_size * at.tokens_per_rollout
    return Setting(
        temperature=at.temperature,
        group_size=group_size,
        prompts=len(known),
        left_out=len(counts) - len(known),
        pass_at_g=passed,
        mixed=mixed,
        **kinds,
        tokens_per_group=per_group,
        tokens_per_mixed_group=per_group / mixed.value if per_group is not None and mixed.value else None,
        refill=1 / mixed.value if mixed.value else None,
        refill_at_most=1 / mixed.low if mixed.low else None,
    )


def share(values: Sequence[float], seed: int) -> Share:
    """The mean of one value a prompt, each in [0, 1], with the interval of `diagnostics.bootstrap_by_prompt`."""
    if not values:
        return Share(value=None, low=None, high=None)
    mean = bootstrap_by_prompt(values, range(len(values)), seed=seed)
    return Share(value=mean.value, low=mean.interval.low, high=mean.interval.high)


def _summed(counters: Iterable[Counter[str]]) -> dict[str, int]:
    total = Counter[str]()
    for counter in counters:
        total.update(counter)
    return dict(total.most_common())
