"""May a step scorer be trusted? Its scores held against labelled steps and against known outcomes; no torch."""

from .aggregates import AGGREGATES, CONTROL, GATE_CREDITS, aggregates, gate_credits
from .diagram import Bin, bin_sums, bins, calibration_error
from .first_error import FirstErrorFigures, best_threshold, first_error_figures, predicted_first_error
from .ranking import GroupPairs, auc, group_pairs, weighted_auc
from .resampling import cluster_interval
from .scored import ScoredTrace
from .splitting import is_chosen_on

__all__ = [
    "AGGREGATES",
    "CONTROL",
    "GATE_CREDITS",
    "Bin",
    "FirstErrorFigures",
    "GroupPairs",
    "ScoredTrace",
    "aggregates",
    "auc",
    "best_threshold",
    "bin_sums",
    "bins",
    "calibration_error",
    "cluster_interval",
    "first_error_figures",
    "gate_credits",
    "group_pairs",
    "is_chosen_on",
    "predicted_first_error",
    "weighted_auc",
]
