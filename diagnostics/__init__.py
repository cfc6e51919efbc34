"""Is there anything to learn from? Degenerate groups, what they cost, and how far a rate can be trusted."""

from .beta_binomial import BetaBinomial, fit_beta_binomial, iid_degenerate_share
from .collapse import Collapse, Prediction, collapse_rates, predicted_degeneracy
from .groups import GroupKind, GroupKinds, group_index, group_kinds, reward_values
from .intervals import Interval, PromptMean, bootstrap_by_prompt, clopper_pearson, jeffreys, wilson
from .lag import PolicyLag, policy_lag
from .pool_rules import Pool, PoolRules
from .pools import Move, PromptPools
from .posteriors import chance_of_mixed, credible_intervals
from .staleness import Staleness, staleness
from .support import (
    PassAtK,
    chance_of_success,
    chance_of_success_after_none,
    mean_pass_at_k,
    pass_at_k,
    rate_upper_bound,
    samples_needed,
)

__all__ = [
    "BetaBinomial",
    "Collapse",
    "GroupKind",
    "GroupKinds",
    "Interval",
    "Move",
    "PassAtK",
    "PolicyLag",
    "Pool",
    "PoolRules",
    "Prediction",
    "PromptMean",
    "PromptPools",
    "Staleness",
    "bootstrap_by_prompt",
    "chance_of_mixed",
    "chance_of_success",
    "chance_of_success_after_none",
    "clopper_pearson",
    "collapse_rates",
    "credible_intervals",
    "fit_beta_binomial",
    "group_index",
    "group_kinds",
    "iid_degenerate_share",
    "jeffreys",
    "mean_pass_at_k",
    "pass_at_k",
    "policy_lag",
    "predicted_degeneracy",
    "rate_upper_bound",
    "reward_values",
    "samples_needed",
    "staleness",
    "wilson",
]
