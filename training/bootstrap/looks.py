"""Looks at a policy between steps of an SFT, and the bound that decides when it can be explored.

A look draws fresh groups of G completions for the named prompts. What it asks is the share of mixed groups: neither
all wrong (no support yet) nor all correct (nothing left to explore). The answer is the low end of an exact binomial
interval, never the share itself, so that one lucky sample decides nothing.

Many looks are many chances to be lucky. So with K looks planned each has the level alpha / K, alpha = 1 - confidence:
each draws its own completions, its bound fails with a chance of at most alpha / K whatever was seen before, and the
chance that any of them ends an SFT whose policy has fewer mixed groups than asked for is at most alpha (union bound;
no independence is needed). The prompts are fixed, and their rates differ: a sum of such successes is less spread than
a binomial one (Hoeffding 1956), so that the interval errs on the careful side.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log

import numpy as np

from ...audit.report.evidence import Number, Part
from ...diagnostics import GroupKind, clopper_pearson, group_kinds
from ...errors import ArgumentError
from ..explore.report import Share
from ..groups.attempts import Attempts

__all__ = ["Look", "LookRules", "Standing", "look_at", "looked_at"]


class Standing(StrEnum):
    """Where a policy stands.

    GO_ON      nothing is sure yet, and looks are left
    READY      sure of enough mixed groups: it can be explored
    TOO_EASY   sure that too few groups can be mixed, because so many are all correct
    NO_SUPPORT at the last look: sure that fewer groups than asked for hold a success at all
    UNDECIDED  at the last look: none of these is sure; at any, where no group has all its verdicts
    """

    GO_ON = "go_on"
    READY = "ready"
    TOO_EASY = "too_easy"
    NO_SUPPORT = "no_support"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRules:
    """What a look draws, and what it must show.

    Args:
        group_size: G, as the run that comes after will have it.
        groups: a look. With fewer named prompts each is drawn several times, with more they take turns by chance.
        least_mixed: share of mixed groups to be sure of, in (0, 1).
        confidence: of all looks together, in (0, 1).

    Raises:
        ArgumentError: an option outside its range.
    """

    group_size: int = 8
    groups: int = 128
    least_mixed: float = 0.25
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.group_size < 2:
            raise ArgumentError(f"group_size: expected at least 2, got {self.group_size}")
        for name in ("least_mixed", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise ArgumentError(f"{name}: expected a number in (0, 1), got {getattr(self, name)}")
        if self.groups < 1:
            raise ArgumentError(f"groups: expected at least 1, got {self.groups}")

    def level(self, planned: int) -> float:
        """alpha / K: how often one look of so many may be wrong, each way.

        Raises:
            ArgumentError: not even a look of mixed groups alone would be sure, at that level.
        """
        level = (1 - self.confidence) / planned
        # The low end after n of n is level^(1/n).
        needed = ceil(log(level) / log(self.least_mixed))
        if self.groups < needed:
            raise ArgumentError(
                f"groups: expected at least {needed} a look, to be sure of {self.least_mixed:g} at one of {planned} "
                f"looks, got {self.groups}"
            )
        return level


class Look(Part):
    """One look.

    Args:
        sft_steps: taken before it.
        level: of each end of its intervals.
        groups: with all rewards known; every share is of them.
        left_out: the others.
        kinds: how many groups were of each kind.
        mixed, pass_at_g: shares with their exact intervals at `level`.
        success: share of the scored completions, without an interval: it decides nothing.
        unscored: completions without a verdict.
        tokens: generated.
        standing: what follows.
    """

    sft_steps: int
    level: float
    groups: int
    left_out: int
    kinds: Mapping[str, int]
    mixed: Share
    pass_at_g: Share
    success: Number
    unscored: int
    tokens: int
    standing: Standing


def looked_at(n_prompts: int, groups: int, *, seed: int) -> list[int]:
    """Which prompts a look draws, by their numbers: all equally often, and by chance who comes once more.

    Example:
        >>> sorted(looked_at(3, 6, seed=0)), len(set(looked_at(100, 6, seed=0)))
        ([0, 0, 1, 1, 2, 2], 6)
    """
    generator = np.random.default_rng(seed)
    rounds = [generator.permutation(n_prompts) for _ in range(ceil(groups / n_prompts))]
    return np.concatenate(rounds)[:groups].tolist()


def look_at(attempts: Sequence[Attempts], rules: LookRules, *, sft_steps: int, level: float, is_last: bool) -> Look:
    """What was found, and what follows from it.

    Args:
        attempts: the groups of this look, drawn for it alone.
        level: of `LookRules.level`.
        is_last: whether no further look is planned.
    """
    whole = [one for one in attempts if all(reward is not None for reward in one.rewards)]
    rewards = [reward for one in whole for reward in one.rewards]
    judged = group_kinds(rewards, [number for number, one in enumerate(whole) for _ in one.rewards])
    n, kinds = len(whole), Counter(map(str, judged.kinds))
    mixed, passed = kinds[GroupKind.MIXED], sum(count > 0 for count in judged.successes)
    every = [reward for one in attempts for reward in one.rewards]
    scored = [reward for reward in every if reward is not None]
    of_mixed, of_passed = _share(mixed, n, level), _share(passed, n, level)
    easy = _share(kinds[GroupKind.ALL_CORRECT], n, level)
    return Look(
        sft_steps=sft_steps,
        level=level,
        groups=n,
        left_out=len(attempts) - n,
        kinds=dict(kinds),
        mixed=of_mixed,
        pass_at_g=of_passed,
        success=sum(reward >= 1 for reward in scored) / len(scored) if scored else None,
        unscored=len(every) - len(scored),
        tokens=sum(one.n_tokens for one in attempts),
        standing=_standing(of_mixed, of_passed, easy, rules.least_mixed, is_last=is_last),
    )


def _standing(mixed: Share, passed: Share, easy: Share, least_mixed: float, *, is_last: bool) -> Standing:
    if mixed.low is None or easy.low is None or passed.high is None:
        return Standing.UNDECIDED
    if mixed.low >= least_mixed:
        return Standing.READY
    if easy.low > 1 - least_mixed:
        return Standing.TOO_EASY
    if not is_last:
        return Standing.GO_ON
    return Standing.NO_SUPPORT if passed.high < least_mixed else Standing.UNDECIDED


def _share(count: int, n: int, level: float) -> Share:
    if not n:
        return Share(value=None, low=None, high=None)
    low, high = clopper_pearson(count, n, confidence=1 - 2 * level)
    return Share(value=count / n, low=low, high=high)
