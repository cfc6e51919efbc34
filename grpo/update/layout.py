"""How the rows of a micro-batch are laid out for the model, and which rows make one: the seam of the forward pass."""

from typing import Protocol

import torch
from torch import Tensor, nn

from .row_tokens import RowTokens

__all__ = ["Layout", "predicting"]


class Layout(Protocol):
    """One way to compute the hidden states that predict completion tokens, exact for every row.

    `name` is told in the record of an update.
    """

    name: str

    def micro_batches(self, rows: RowTokens, token_budget: int) -> list[list[int]]:
        """Which rows are run together: every row once, none without company of its own choosing.

        A micro-batch computes at most `token_budget` positions, or is a single row (or whatever cannot be split).
        """
        ...

    def positions(self, rows: RowTokens) -> int:
        """How many positions the model computes for these rows as one micro-batch, padding included."""
        ...

    def hidden(self, model: nn.Module, rows: RowTokens) -> Tensor:
        """(C, H): the state that predicts each completion token, row after row, with a graph where one is recorded."""
        ...


def predicting(rows: RowTokens, starts: list[int]) -> Tensor:
    """(C,) places of the states that predict completion tokens, where row i begins at place `starts[i]`."""
    pieces = [
        torch.arange(start + prompt - 1, start + prompt - 1 + completion)
        for start, prompt, completion in zip(starts, rows.prompt_lengths, rows.completion_lengths, strict=True)
    ]
    return torch.cat(pieces).to(rows.prompts[0].device)
