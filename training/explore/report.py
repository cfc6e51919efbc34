"""What an exploration found, as data: the one machine-readable report, and what the terminal prints from."""

from collections.abc import Mapping

from ...audit.report.evidence import Number, Part
from ...audit.report.explore import ExploreReadout

__all__ = ["SCHEMA_VERSION", "AtTemperature", "ExploreReport", "Recommendation", "Setting", "Share"]

SCHEMA_VERSION = "rewardgate.exploration/1"


class Share(Part):
    """A mean over prompts, every one weighing the same, with its 95 % interval; None where nothing can be counted."""

    value: Number
    low: Number
    high: Number


class AtTemperature(Part):
    """What was sampled at one temperature.

    Args:
        temperature: of the sampling.
        prompts: asked.
        rollouts: sampled.
        unscored: of them, those without a verdict on the completion: the verifier or the target failed. They count in
            no rate of success.
        faults: the same by outcome and rule (`"error: timed_out"`).
        outcomes: every verdict by its outcome.
        success: of scored rollouts.
        format_failures: of scored rollouts, those that commit to no single answer that can be read (no_answer, hedged,
            unsupported). None where the verifier is a reward function, which does not tell.
        truncated: of all rollouts, cut off by `max_tokens`.
        never_solved: prompts with a scored rollout and without a success.
        tokens: generated.
        tokens_per_rollout: their mean.
        tokens_per_success: generated for each success; None without one.
        generating_s, judging_s: wall-clock seconds.
        readout: prompt by prompt, in the form that the audit's ladder reads.
    """

    temperature: float
    prompts: int
    rollouts: int
    unscored: int
    faults: Mapping[str, int]
    outcomes: Mapping[str, int]
    success: Share
    format_failures: Share | None
    truncated: Share
    never_solved: int
    tokens: int
    tokens_per_rollout: Number
    tokens_per_success: Number
    generating_s: float
    judging_s: float
    readout: ExploreReadout


class Setting(Part):
    """What groups of one size would be at one temperature.

    Args:
        temperature, group_size: the setting.
        prompts: with at least `group_size` scored rollouts: those that every share here is of.
        left_out: the others.
        pass_at_g: chance of at least one success in a group.
        mixed: chance that a group's rewards differ: the only kind that group-relative advantages learn from.
        all_wrong, all_correct, tied: chances of the other kinds; with `mixed` they sum to 1.
        tokens_per_group: group_size * tokens_per_rollout.
        tokens_per_mixed_group: tokens_per_group / mixed; None where no group would be mixed.
        refill: groups generated for each mixed one, 1 / mixed, by its value and by the low end of its interval; None:
            no bound.
    """

    temperature: float
    group_size: int
    prompts: int
    left_out: int
    pass_at_g: Share
    mixed: Share
    all_wrong: Number
    all_correct: Number
    tied: Number
    tokens_per_group: Number
    tokens_per_mixed_group: Number
    refill: Number
    refill_at_most: Number


class Recommendation(Part):
    """The setting to begin with, and how it was come by.

    Args:
        temperature, group_size: None where no setting is sure to give enough mixed groups.
        sentence: what to do.
        arithmetic: how each setting fares, line by line.
        cautions: what to look at before: a verifier that fails, truncation. The lower rung comes first.
    """

    temperature: Number
    group_size: int | None
    sentence: str
    arithmetic: tuple[str, ...]
    cautions: tuple[str, ...] = ()


class ExploreReport(Part):
    """An exploration.

    Args:
        model, prompts_file, verifier, verifier_version: what was asked, of whom, judged by what.
        prompts: asked.
        max_tokens, top_p, top_k, seed: of the sampling.
        samples: completions a prompt and temperature: the largest group size.
        least_mixed: share of mixed groups that a setting must be sure of to be recommended.
        temperatures, settings: figures.
    """

    schema_version: str = SCHEMA_VERSION
    model: str
    prompts_file: str
    verifier: str
    verifier_version: str
    prompts: int
    max_tokens: int
    top_p: float
    top_k: int | None
    seed: int
    samples: int
    least_mixed: float
    temperatures: tuple[AtTemperature, ...]
    settings: tuple[Setting, ...]
    recommendation: Recommendation
