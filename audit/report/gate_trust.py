"""The part of the report that says whether a gate with a step scorer would speak truly on these rollouts."""

from .evidence import Number, Part

__all__ = ["MOST_GROUPS", "CreditRanking", "GateTrust"]

MOST_GROUPS = 500
"""Mixed groups that are looked at, unless told otherwise."""


class CreditRanking(Part):
    """How one credit ranks right rollouts above wrong ones of the same group, in the groups of one stratum.

    `n_pairs` pairs of a right and a wrong rollout are compared, of which `auc` is the share that the right one wins, a
    tie counting half. `n_unknown` rollouts have no credit of that name and are left out. The interval is a 95 %
    bootstrap by prompt.
    """

    credit: str
    stratum: str
    n_groups: int
    n_prompts: int
    n_pairs: int
    n_unknown: int
    auc: Number
    low: Number
    high: Number


class GateTrust(Part):
    """What the scorer's credits are worth where outcomes are known: in the mixed groups.

    `rewards` names the scoring that says which rollouts are right. `n_mixed` groups hold right and wrong rollouts, of
    which `n_groups` were looked at, and `n_asked` rollouts with a response scored. `decides` is the credit that the
    ladder goes by; `credits` begin with it.
    """

    scorer: str
    scorer_version: str
    rewards: str
    seed: int
    decides: str
    n_mixed: int
    n_groups: int
    n_asked: int
    n_steps: int
    n_scored: int
    n_silent: int
    credits: tuple[CreditRanking, ...]

    @property
    def deciding(self) -> CreditRanking | None:
        """The row that the ladder goes by; None where nothing was said of any step, or nothing could be compared."""
        rows = (row for row in self.credits if row.credit == self.decides and row.n_pairs)
        return next(rows, None) if self.n_scored else None
