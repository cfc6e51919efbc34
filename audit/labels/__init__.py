"""Labels by people: which rollouts to label, where labels are kept, and how a person gives them."""

from .drawing import AS_LOGGED, DrawOptions, draw_for, draw_of
from .draws import Draw
from .sampling import DEFAULT_PROMPTS, Drawn, StratumSize, allocation, draw, stratum_sizes
from .store import LABELS, Action, LabelStore
from .units import LabelStratum, Unit, scored_units, units_of

__all__ = [
    "AS_LOGGED",
    "DEFAULT_PROMPTS",
    "LABELS",
    "Action",
    "Draw",
    "DrawOptions",
    "Drawn",
    "LabelStore",
    "LabelStratum",
    "StratumSize",
    "Unit",
    "allocation",
    "draw",
    "draw_for",
    "draw_of",
    "scored_units",
    "stratum_sizes",
    "units_of",
]
