"""One batch of rollouts to one or more optimizer steps, exact and without the work that changes nothing."""

from .batch import UpdateBatch
from .config import UpdateConfig
from .layout import Layout
from .layouts import LayoutChoice
from .nonfinite import load_batch
from .packed import PackedLayout
from .padded import PaddedLayout
from .policy_update import PolicyUpdate
from .prefix_cost import PrefixChoice
from .prefix_layout import SharedPrefixLayout
from .row_tokens import RowTokens
from .stats import StepStats, UpdateStats

__all__ = [
    "Layout",
    "LayoutChoice",
    "PackedLayout",
    "PaddedLayout",
    "PolicyUpdate",
    "PrefixChoice",
    "RowTokens",
    "SharedPrefixLayout",
    "StepStats",
    "UpdateBatch",
    "UpdateConfig",
    "UpdateStats",
    "load_batch",
]
