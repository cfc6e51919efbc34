"""What was explored prompt by prompt, in the form that the audit's ladder reads."""

from collections.abc import Sequence

from ... import __version__
from ...audit.report.explore import ExploredPrompt, ExploreReadout, ExploreSettings
from ...diagnostics import Pool, PromptPools, clopper_pearson, pass_at_k, rate_upper_bound
from .figures import PromptCounts

__all__ = ["readout"]

SETTLED_RATES = (0.05, 0.01)
"""Success rates of which is told in how many prompts without a success they are excluded."""


def readout(
    counts: Sequence[PromptCounts],
    settings: ExploreSettings,
    *,
    pass_at: Sequence[int],
    tells_format: bool,
    seconds: float,
) -> ExploreReadout:
    """One exploration at one temperature.

    Args:
        counts: one a prompt, each with an id of its own.
        pass_at: numbers of tries; those beyond a prompt's scored completions are left out for it.
        tells_format: whether the verifier tells a format failure from a wrong answer.
        seconds: that it took.
    """
    scored, successes, tokens = (
        sum(getattr(one, name) for one in counts) for name in ("scored", "successes", "tokens")
    )
    unsolved = [one.scored for one in counts if one.scored and not one.successes]
    return ExploreReadout(
        rewardgate_version=__version__,
        settings=settings,
        prompts=tuple(_prompts(counts, pass_at, tells_format=tells_format)),
        n_sampled=sum(one.rollouts for one in counts),
        n_scored=scored,
        n_successes=successes,
        without_success=len(unsolved),
        settled_by={f"{rate:g}": sum(rate_upper_bound(tries) < rate for tries in unsolved) for rate in SETTLED_RATES},
        tokens=tokens,
        tokens_a_success=tokens / successes if successes else None,
        seconds=seconds,
    )


def _prompts(counts: Sequence[PromptCounts], pass_at: Sequence[int], *, tells_format: bool) -> list[ExploredPrompt]:
    pools = PromptPools(one.prompt_id for one in counts)
    pools.update_counts(
        [one.prompt_id for one in counts],
        [one.successes for one in counts],
        [one.scored for one in counts],
        step=0,
    )
    found = []
    for one in counts:
        interval = clopper_pearson(one.successes, one.scored) if one.scored else None
        found.append(
            ExploredPrompt(
                prompt_id=one.prompt_id,
                sampled=one.rollouts,
                scored=one.scored,
                successes=one.successes,
                pass_at={k: pass_at_k(one.scored, one.successes, k) for k in pass_at if k <= one.scored},
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                format_failures=one.format_failures if tells_format else None,
                truncated=one.truncated,
                verifier_faults=one.rollouts - one.scored,
                tokens=one.tokens,
                tokens_a_success=one.tokens / one.successes if one.successes else None,
                # Where nothing could be scored, target or verifier is what is in doubt.
                is_moved_to=str(pools.pool_of(one.prompt_id) if one.scored else Pool.QUARANTINE),
            )
        )
    return found
