"""Rows one behind the other, without padding."""

from itertools import accumulate

import torch
from torch import Tensor, nn

from ..causal_lm import hidden_states
from .layout import predicting
from .row_tokens import RowTokens

__all__ = ["PackedLayout"]


class PackedLayout:
    """One row (1, sum of lengths) whose positions begin again at 0 with every sequence: no padding at all.

    Attention must take the restart for a border: flash attention by its variable-length kernel; the others of
    transformers by a block mask, which costs the square of the packed length.
    """

    name = "packed"

    def micro_batches(self, rows: RowTokens, token_budget: int) -> list[list[int]]:
        """First fit, the longest rows first."""
        lengths = rows.lengths
        batches: list[list[int]] = []
        left: list[int] = []
        for row in sorted(range(len(rows)), key=lambda row: -lengths[row]):
            place = next((place for place, room in enumerate(left) if lengths[row] <= room), None)
            if place is None:
                place = len(batches)
                batches.append([])
                left.append(token_budget)
            batches[place].append(row)
            left[place] -= lengths[row]
        return batches

    def positions(self, rows: RowTokens) -> int:
        return sum(rows.lengths)

    def hidden(self, model: nn.Module, rows: RowTokens) -> Tensor:
        lengths = rows.lengths
        ids = torch.cat([rows.fed(row) for row in range(len(rows))])[None]  # (1, sum of lengths)
        positions = torch.cat([torch.arange(length) for length in lengths])[None].to(ids.device)
        hidden = hidden_states(model, ids, position_ids=positions)[0]
        starts = list(accumulate(lengths[:-1], initial=0))
        return hidden.index_select(0, predicting(rows, starts))
