"""Which group size and temperature to begin with, by arithmetic that is shown.

Mixed groups are what a run learns from. A setting qualifies where the low end of the interval of its share of mixed
groups reaches the least share; of those that do, the one that generates the fewest tokens for each mixed group. A
smaller group never costs more tokens a mixed group at the same rate, so that group sizes grow only where they must.
"""

from collections.abc import Mapping, Sequence

from ...diagnostics import fit_beta_binomial, rate_upper_bound
from .figures import PromptCounts
from .report import AtTemperature, Recommendation, Setting

__all__ = ["recommend"]

MANY_FAULTS, MANY_TRUNCATED, MANY_UNREADABLE = 0.02, 0.1, 0.2
"""Shares from which a caution is due: below them they move no decision here."""

LARGEST_GROUP = 1024
"""Beyond which the search for a sufficient group size ends."""


def recommend(
    settings: Sequence[Setting],
    temperatures: Sequence[AtTemperature],
    counts: Mapping[float, Sequence[PromptCounts]],
    *,
    least_mixed: float,
) -> Recommendation:
    """The cheapest setting that is sure to give `least_mixed` mixed groups, or what stands in the way.

    Args:
        settings, temperatures: figures.
        counts: of every temperature, one a prompt: for group sizes that were not asked for.
        least_mixed: in (0, 1).
    """
    arithmetic = tuple(_line(one, least_mixed) for one in settings)
    cautions = tuple(_cautions(temperatures))
    sure = [one for one in settings if (one.mixed.low or 0) >= least_mixed and one.tokens_per_mixed_group is not None]
    if sure:
        best = min(sure, key=lambda one: (one.tokens_per_mixed_group, one.group_size))
        sentence = (
            f"Begin with groups of {best.group_size} at temperature {best.temperature:g}: "
            f"{best.tokens_per_mixed_group:,.0f} tokens a mixed group, the fewest of the {len(sure)} "
            f"setting{'s' * (len(sure) > 1)} that are sure of {least_mixed:.0%} mixed groups."
        )
        return Recommendation(
            temperature=best.temperature,
            group_size=best.group_size,
            sentence=sentence,
            arithmetic=arithmetic,
            cautions=cautions,
        )
    return Recommendation(
        temperature=None,
        group_size=None,
        sentence=_no_setting(settings, counts, least_mixed),
        arithmetic=arithmetic,
        cautions=cautions,
    )


def _line(one: Setting, least_mixed: float) -> str:
    head = f"G {one.group_size}, temperature {one.temperature:g}"
    if one.mixed.value is None or one.mixed.low is None or one.tokens_per_group is None:
        return f"{head}: no prompt has {one.group_size} scored rollouts"
    cost = "no mixed group" if not one.mixed.value else f"{one.tokens_per_mixed_group:,.0f} tokens a mixed group"
    verdict = "sure" if one.mixed.low >= least_mixed else "not sure"
    return (
        f"{head}: {one.tokens_per_group:,.0f} tokens a group / {one.mixed.value:.3f} mixed = {cost}; "
        f"mixed at least {one.mixed.low:.3f}: {verdict} of {least_mixed:g}"
    )


def _no_setting(settings: Sequence[Setting], counts: Mapping[float, Sequence[PromptCounts]], least_mixed: float) -> str:
    known = [one for one in settings if one.mixed.value is not None]
    if not known:
        return "No setting can be recommended: no prompt has enough scored rollouts; look at the verifier first."
    best = max(known, key=lambda one: (one.mixed.low or 0, one.mixed.value or 0))
    head = (
        f"No setting is sure of {least_mixed:.0%} mixed groups (best: groups of {best.group_size} at temperature "
        f"{best.temperature:g}, at least {best.mixed.low:.1%})."
    )
    if (best.all_correct or 0) > (best.all_wrong or 0):
        return f"{head} Most groups are all correct: the prompts are too easy, draw harder ones."
    at_temperature = counts[best.temperature]
    if not any(one.successes for one in at_temperature):
        tries = min(one.scored for one in at_temperature if one.scored)
        return (
            f"{head} No prompt was solved once: rates up to {rate_upper_bound(tries):.1%} a prompt are still open "
            f"after {tries} tries each. Bootstrap first (`rewardgate bootstrap`), or take easier prompts."
        )
    fit = fit_beta_binomial([one.successes for one in at_temperature], [one.scored for one in at_temperature])
    enough = None if fit is None else next((g for g in _sizes() if 1 - fit.degenerate(g) >= least_mixed), None)
    if enough is not None and enough > best.group_size:
        return (
            f"{head} By the spread of success rates at that temperature groups of {enough} would have "
            f"{least_mixed:.0%}: explore that size, take easier prompts, or bootstrap first."
        )
    if enough is not None:
        return f"{head} The value is above, its interval is not: ask more prompts before deciding."
    return f"{head} Larger groups would not reach it either: take easier prompts, or bootstrap first."


def _sizes() -> Sequence[int]:
    return [2**power for power in range(1, LARGEST_GROUP.bit_length())]


def _cautions(temperatures: Sequence[AtTemperature]) -> list[str]:
    told = []
    for at in temperatures:
        where = f"at temperature {at.temperature:g}"
        if at.rollouts and at.unscored > MANY_FAULTS * at.rollouts:
            told.append(f"{at.unscored} of {at.rollouts} rollouts {where} have no verdict: look at the verifier first.")
        if (at.truncated.value or 0) > MANY_TRUNCATED:
            told.append(f"{at.truncated.value:.0%} of rollouts {where} were cut off: raise --max-tokens first.")
        if at.format_failures is not None and (at.format_failures.value or 0) > MANY_UNREADABLE:
            told.append(
                f"{at.format_failures.value:.0%} of rollouts {where} commit to no answer that can be read: look at the "
                "prompt's instructions first."
            )
    return told
