"""Judgement to update: advantages, gate and loss. Tensors in, tensors out; knows no verifier, scorer or record."""

from .advantages import (
    batch_std_advantages,
    dr_grpo_advantages,
    estimators,
    group_advantages,
    grpo_advantages,
    rloo_advantages,
    sign_advantages,
)
from .avspo import CollapseThreshold, avspo_advantages, beside_virtual, virtual_count, virtual_ladder
from .baselines import PromptMeans, ema_advantages, global_advantages
from .causal_lm import head_of, hidden_states
from .cispo import cispo_band_losses, cispo_cap_losses
from .clipping import clipped_losses
from .components import gdpo_advantages
from .credit import one_sided_credits, step_credits
from .entropy import entropy_per_token
from .fused_loss import FusedLoss, fused_token_loss
from .gae import gae_advantages, value_losses
from .gate import GatedAdvantages, gate
from .gate_config import GATE_MODES, GateConfig, gate_mode
from .gate_report import GateReport
from .gspo import sequence_log_ratios
from .kl import kl_per_token, kl_reward
from .lm_head import LmHead
from .logprobs import selected_logprobs
from .loss import policy_loss
from .loss_config import LossConfig
from .loss_stats import LossStats, loss_stats, merge_loss_stats
from .maxrl import maxrl_advantages
from .ngrpo import ngrpo_advantages
from .overlong import overlong_penalties
from .pool_baseline import pool_advantages
from .ratio_histogram import RatioHistogram
from .ratios import importance_weights
from .reductions import loss_normalizer, reduce_tokens, token_weights
from .refill import RefillCost, refill_cost
from .returns import (
    final_token_rewards,
    reinforce_pp_advantages,
    reinforce_pp_baseline_advantages,
    token_returns,
)
from .rlzvp import rlzvp_advantages
from .scale import ScaleState
from .shapes import Groups, groups_of, rows_and_groups
from .token_losses import TokenLosses, token_losses
from .update import PolicyUpdate, StepStats, UpdateBatch, UpdateConfig, UpdateStats
from .whitening import whitened

__all__ = [
    "GATE_MODES",
    "CollapseThreshold",
    "FusedLoss",
    "GateConfig",
    "GateReport",
    "GatedAdvantages",
    "Groups",
    "LmHead",
    "LossConfig",
    "LossStats",
    "PolicyUpdate",
    "PromptMeans",
    "RatioHistogram",
    "RefillCost",
    "ScaleState",
    "StepStats",
    "TokenLosses",
    "UpdateBatch",
    "UpdateConfig",
    "UpdateStats",
    "avspo_advantages",
    "batch_std_advantages",
    "beside_virtual",
    "cispo_band_losses",
    "cispo_cap_losses",
    "clipped_losses",
    "dr_grpo_advantages",
    "ema_advantages",
    "entropy_per_token",
    "estimators",
    "final_token_rewards",
    "fused_token_loss",
    "gae_advantages",
    "gate",
    "gate_mode",
    "gdpo_advantages",
    "global_advantages",
    "group_advantages",
    "groups_of",
    "grpo_advantages",
    "head_of",
    "hidden_states",
    "importance_weights",
    "kl_per_token",
    "kl_reward",
    "loss_normalizer",
    "loss_stats",
    "maxrl_advantages",
    "merge_loss_stats",
    "ngrpo_advantages",
    "one_sided_credits",
    "overlong_penalties",
    "policy_loss",
    "pool_advantages",
    "reduce_tokens",
    "refill_cost",
    "reinforce_pp_advantages",
    "reinforce_pp_baseline_advantages",
    "rloo_advantages",
    "rlzvp_advantages",
    "rows_and_groups",
    "selected_logprobs",
    "sequence_log_ratios",
    "sign_advantages",
    "step_credits",
    "token_losses",
    "token_returns",
    "token_weights",
    "value_losses",
    "virtual_count",
    "virtual_ladder",
    "whitened",
]
