"""What exploring says of prompts without a success: more samples of each, under settings that are told.

0 of G does not tell rare success from none. Exploring draws many more samples from the prompts that need it, and this
is the form in which it reports: what succeeded, what failed for its form, what a verifier failed at, what was cut off,
and what a success costs.
"""

from collections.abc import Mapping

from .evidence import Number, Part

__all__ = ["SCHEMA_VERSION", "ExploreReadout", "ExploreSettings", "ExploredPrompt"]

SCHEMA_VERSION = "rewardgate.explore/1"


class ExploreSettings(Part):
    """How the samples were drawn; None where nobody said."""

    policy: str
    policy_version: str | int | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_new_tokens: int | None = None
    verifier: str
    seed: int | None = None


class ExploredPrompt(Part):
    """One prompt.

    Args:
        sampled: responses drawn.
        scored: of which the reward is known; every rate is over them, and a fault of the verifier is in none.
        successes: of the scored ones.
        pass_at: k -> unbiased pass@k from these samples, for k up to `scored`.
        low, high: 95 % Clopper-Pearson interval of the success rate; `low` is 0 without a success.
        format_failures: scored wrong for what they commit to: no answer, several, or a call that cannot be parsed; None
            where the verifier is a reward function, which does not tell.
        truncated: cut off at the token limit; None where nobody knows.
        verifier_faults: responses that the verifier gave no verdict on (error, time-out).
        refused_but_right: scored wrong, and the referee finds them right; None without a referee.
        tokens: of all responses, the cut-off ones included; None where not counted.
        tokens_a_success: `tokens` / `successes`; None without either.
        is_moved_to: the pool that the outcome speaks for: `hard`, `frontier`, `easy` or `quarantine`.
    """

    prompt_id: str
    sampled: int
    scored: int
    successes: int
    pass_at: Mapping[int, float]
    low: Number
    high: Number
    format_failures: int | None
    truncated: int | None = None
    verifier_faults: int = 0
    refused_but_right: int | None = None
    tokens: int | None = None
    tokens_a_success: Number = None
    is_moved_to: str | None = None


class ExploreReadout(Part):
    """One exploration: its settings, its prompts, and their sums.

    `without_success` counts prompts that showed none: to be told apart from impossible ones only by `high`.
    `settled_by` maps a success rate to the prompts without a success in which it is excluded at 95 %.
    """

    schema_version: str = SCHEMA_VERSION
    rewardgate_version: str
    settings: ExploreSettings
    prompts: tuple[ExploredPrompt, ...]
    n_sampled: int
    n_scored: int
    n_successes: int
    without_success: int
    settled_by: Mapping[str, int]
    tokens: int | None = None
    tokens_a_success: Number = None
    seconds: float
