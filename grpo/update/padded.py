"""Rows side by side, padded on the right, those of like length together."""

from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ..causal_lm import hidden_states
from .layout import predicting
from .row_tokens import RowTokens

__all__ = ["PaddedLayout"]


class PaddedLayout:
    """(b, L) ids without an attention mask: no row looks to its right, where its padding is.

    So attention keeps its fast causal kernel, and what is computed at padding has no way into the loss. Right for
    every decoder whose rows and whose past do not depend on what follows.
    """

    name = "padded"

    def micro_batches(self, rows: RowTokens, token_budget: int) -> list[list[int]]:
        """The longest rows first: what does not fit into memory says so at once."""
        lengths = rows.lengths
        batches: list[list[int]] = []
        longest = 0
        for row in sorted(range(len(rows)), key=lambda row: -lengths[row]):
            if not batches or (len(batches[-1]) + 1) * longest > token_budget:
                batches.append([])
                longest = lengths[row]
            batches[-1].append(row)
        return batches

    def positions(self, rows: RowTokens) -> int:
        return len(rows) * max(rows.lengths)

    def hidden(self, model: nn.Module, rows: RowTokens) -> Tensor:
        ids = pad_sequence([rows.fed(row) for row in range(len(rows))], batch_first=True)  # (b, L)
        hidden = hidden_states(model, ids)  # (b, L, H)
        starts = [row * ids.shape[1] for row in range(len(rows))]
        return hidden.flatten(0, 1).index_select(0, predicting(rows, starts))
