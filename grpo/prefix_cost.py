"""What layouts cost by the lengths of their rows, and whether computing prompts once is worth it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import nn

from ..errors import ArgumentError
from .prefix_groups import PrefixGroup
from .prefix_layout import SharedPrefixLayout, packed_groups
from .prefix_models import AttentionKinds, attention_kinds, dropout_of, text_config

if TYPE_CHECKING:  # that package builds on this module
    from .update.layout import Layout
    from .update.row_tokens import RowTokens

__all__ = ["LayerWork", "PrefixChoice", "attended_pairs"]

PAIR_SLOWNESS = 2.0
"""Time of an operation in attention, relative to one in a matrix product of the layers: see docs/performance.md."""


@dataclass(frozen=True)
class LayerWork:
    """Operations of a forward and backward pass through all layers, embeddings and head left out.

    Args:
        per_token: in the layers' products: 6 a weight, 4 where it is frozen.
        per_pair: for each pair of query and key that attention computes: 14 a layer and unit of its width, the
            products of scores and values, forwards once, and backwards with the scores made again.
    """

    per_token: float
    per_pair: float

    @classmethod
    def of(cls, model: nn.Module) -> LayerWork:
        """By the shapes of the weights; all experts of a mixture are counted."""
        config = text_config(model)
        vocabulary = config.vocab_size
        layers = [one for one in model.parameters() if one.ndim > 1 and vocabulary not in one.shape]
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        return cls(
            sum((6.0 if one.requires_grad else 4.0) * one.numel() for one in layers),
            14.0 * config.num_hidden_layers * config.num_attention_heads * width,
        )

    def cost(self, tokens: int, pairs: float) -> float:
        """In operations of matrix products."""
        return self.per_token * tokens + self.per_pair * PAIR_SLOWNESS * pairs


def attended_pairs(groups: Sequence[PrefixGroup], kinds: AttentionKinds) -> float:
    """Pairs of query and key that attention computes in a layer, whether they count or not; the mean over layers' kinds."""
    if kinds.is_dense:
        return float(sum(group.tokens for group in groups) ** 2)
    windows = list(kinds.windows.values()) if isinstance(kinds.windows, Mapping) else [kinds.windows]
    return sum(_pairs(group, window) for group in groups for window in windows) / len(windows)


def _pairs(group: PrefixGroup, window: int | None) -> float:
    own = group.prompt**2 / 2 if window is None or group.prompt <= window else group.prompt**2
    for numbers in group.batches:
        longest = group.completions[numbers[0]]
        own += len(numbers) * longest * (group.seen(window) + longest)
    return own


class PrefixChoice:
    """Chooses for one model between prompts computed once and another layout. The model is looked at when it is built.

    `why_not` is None, or why no rows of this model share a prompt.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self.why_not: str | None = None
        try:
            self._shared = SharedPrefixLayout(attention_kinds(model))
            self._work = LayerWork.of(model)
        except ArgumentError as error:
            self.why_not = f"prompts not shared, {error}"

    def __call__(self, rows: RowTokens, token_budget: int, otherwise: Layout) -> tuple[Layout, str]:
        """The layout that costs less for these rows, and one line that says why."""
        if self.why_not is not None:
            return otherwise, self.why_not
        dropping = dropout_of(self._model)
        if dropping is not None:
            return otherwise, f"prompts not shared, {dropping} drops at random"
        ours, theirs = self._cost_shared(rows, token_budget), self._cost_otherwise(rows, token_budget, otherwise)
        share = f"layers {ours / theirs:.2f} x those of {otherwise.name}"
        return (self._shared, share) if ours < theirs else (otherwise, f"prompts not shared, {share}")

    def _cost_shared(self, rows: RowTokens, token_budget: int) -> float:
        total = 0.0
        for batch in self._shared.micro_batches(rows, token_budget):
            groups, _ = packed_groups(rows.of(batch))
            tokens = sum(group.tokens for group in groups)
            total += self._work.cost(tokens, attended_pairs(groups, self._shared.kinds))
        return total

    def _cost_otherwise(self, rows: RowTokens, token_budget: int, layout: Layout) -> float:
        total = 0.0
        for batch in layout.micro_batches(rows, token_budget):
            tokens = layout.positions(rows.of(batch))
            pairs = tokens**2 / len(batch)  # rows of equal length
            total += self._work.cost(tokens, pairs if self._shared.kinds.is_dense else pairs / 2)
        return total
