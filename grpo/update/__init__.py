"""One batch of rollouts to one or more optimizer steps, exact and without the work that changes nothing."""

from .layout import Layout
from .layouts import choose_layout
from .packed import PackedLayout
from .padded import PaddedLayout
from .row_tokens import RowTokens

__all__ = ["Layout", "PackedLayout", "PaddedLayout", "RowTokens", "choose_layout"]
