"""What layouts cost by the lengths of their rows, and whether computing prompts once is worth it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import nn

from ...errors import ArgumentError
from ..prefix_groups import PrefixGroup
from ..prefix_models import AttentionKinds, text_config, try_shared_prefix
from .layout import Layout
from .prefix_layout import SharedPrefixLayout, packed_groups
from .row_tokens import RowTokens
from .skipping import draws_random_numbers

__all__ = ["LayerWork", "PrefixChoice", "attended_pairs", "causal_pairs"]

SLOWNESS = 1.3
"""Time of an operation in attention, relative to one in the layers' products: 1.2 to 1.4 on a CPU, for `eager` 1.7."""

TILE = 256
"""Causal kernels leave out what lies beyond the diagonal by tiles: at 256 tokens nothing, at 4,096 half but 3 %."""


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
    def of(cls, model: nn.Module) -> "LayerWork":
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
        return self.per_token * tokens + self.per_pair * SLOWNESS * pairs


def attended_pairs(groups: Sequence[PrefixGroup], kinds: AttentionKinds) -> float:
    """Pairs of query and key that attention computes in a layer, counted or not; the mean over kinds of layers."""
    if kinds.is_dense:
        return float(sum(group.tokens for group in groups) ** 2)
    windows = list(kinds.windows.values()) if isinstance(kinds.windows, Mapping) else [kinds.windows]
    return sum(_pairs(group, window) for group in groups for window in windows) / len(windows)


def causal_pairs(length: int) -> float:
    """As `attended_pairs`, of one row under a causal kernel."""
    return length * min(float(length), (length + TILE) / 2)


def _pairs(group: PrefixGroup, window: int | None) -> float:
    own = causal_pairs(group.prompt) if window is None or group.prompt <= window else float(group.prompt**2)
    for numbers in group.batches:
        longest = group.completions[numbers[0]]
        own += len(numbers) * longest * (group.seen(window) + longest)
    return own


class PrefixChoice:
    """Chooses for one model between prompts computed once and another layout; the model is tried when this is built.

    `why_not` is None, or why no rows of this model share a prompt.

    Example:
        >>> PrefixChoice(nn.Linear(2, 2)).why_not
        'prompts not shared, model: expected a causal language model of transformers, got Linear'
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self.why_not: str | None = None
        try:
            self._kinds = try_shared_prefix(model)
            self._work = LayerWork.of(model)
        except ArgumentError as error:
            self.why_not = f"prompts not shared, {error}"
        else:
            self._shared = SharedPrefixLayout(self._kinds.is_dense)

    def __call__(
        self, rows: RowTokens, token_budget: int, otherwise: Layout, *, whatever_it_costs: bool = False
    ) -> tuple[Layout, str]:
        """The layout that costs less for these rows, or the shared one wherever it is exact, and why in one line.

        Dropout forbids it for now: with copies, every one of them would be dropped from anew.
        """
        if self.why_not is not None:
            return otherwise, self.why_not
        if not len(rows):
            return otherwise, "no row to run"
        if draws_random_numbers(self._model):
            return otherwise, "prompts not shared, dropout draws for every copy anew"
        if whatever_it_costs:
            return self._shared, "asked for"
        ours, theirs = self._cost_shared(rows, token_budget), self._cost_otherwise(rows, token_budget, otherwise)
        if ours < theirs:
            return self._shared, f"layers at {ours / theirs:.2f} x the cost of {otherwise.name}"
        return otherwise, f"prompts not shared, layers at {ours / theirs:.2f} x the cost of {otherwise.name}"

    def _cost_shared(self, rows: RowTokens, token_budget: int) -> float:
        total = 0.0
        for batch in self._shared.micro_batches(rows, token_budget):
            groups, _ = packed_groups(rows.of(batch))
            total += self._work.cost(sum(group.tokens for group in groups), attended_pairs(groups, self._kinds))
        return total

    def _cost_otherwise(self, rows: RowTokens, token_budget: int, layout: Layout) -> float:
        total = 0.0
        for batch in layout.micro_batches(rows, token_budget):
            tokens = layout.positions(rows.of(batch))
            length = tokens // len(batch)  # of each row, or their mean
            pairs = len(batch) * (length**2 if self._kinds.is_dense else causal_pairs(length))
            total += self._work.cost(tokens, pairs)
        return total
