"""Labels by people: which rollouts to label, where labels are kept, and how a person gives them."""

from .sampling import DEFAULT_PROMPTS, Drawn, StratumSize, allocation, draw, stratum_sizes
from .units import LabelStratum, Unit, scored_units, units_of

__all__ = [
    "DEFAULT_PROMPTS",
    "Drawn",
    "LabelStratum",
    "StratumSize",
    "Unit",
    "allocation",
    "draw",
    "scored_units",
    "stratum_sizes",
    "units_of",
]
