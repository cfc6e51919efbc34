"""Groups of rows in one packed sequence, each group's prompt once: which token stands where, at which position.

    prompt | completion | completion | … | next group's prompt | …

Positions of every completion go on from its prompt. Nothing here knows a model; lengths are of tokens that are fed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["FILL", "PrefixGroup", "positions_of", "sequence_ids", "visible"]

FILL = 0.75
"""Completions attend together with those at least so long, relative to the longest: padding is computed like them."""


@dataclass(frozen=True, slots=True)
class PrefixGroup:
    """One prompt and the completions that read it, one behind the other.

    Args:
        prompt: its tokens, at least 1. A row that shares with no other is all prompt.
        completions: tokens of each, 0 where only the prompt's last state is asked for.

    Example:
        >>> group = PrefixGroup(3, (4, 0, 5, 2))
        >>> group.tokens, group.batches
        (14, ((2, 0), (3,)))
    """

    prompt: int
    completions: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """All of them, the prompt's once."""
        return self.prompt + sum(self.completions)

    @property
    def batches(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of completions of similar length, the longest first; without those of 0 tokens."""
        batches: list[list[int]] = []
        for number in sorted(range(len(self.completions)), key=lambda number: -self.completions[number]):
            length = self.completions[number]
            if length == 0:
                break
            if not batches or length < FILL * self.completions[batches[-1][0]]:
                batches.append([])
            batches[-1].append(number)
        return tuple(map(tuple, batches))

    def seen(self, window: int | None) -> int:
        """How many of the prompt's last tokens a completion can see."""
        return self.prompt if window is None else min(self.prompt, max(window - 1, 0))


def positions_of(groups: Sequence[PrefixGroup]) -> Tensor:
    """(L,) position of every token in its own row.

    Example:
        >>> positions_of([PrefixGroup(2, (1, 2)), PrefixGroup(3)])
        tensor([0, 1, 2, 2, 3, 0, 1, 2])
    """
    return torch.cat(
        [
            torch.arange(start, start + length)
            for group in groups
            for start, length in [(0, group.prompt), *((group.prompt, length) for length in group.completions)]
        ]
    )


def sequence_ids(groups: Sequence[PrefixGroup]) -> tuple[Tensor, Tensor]:
    """(L,) number of every token's group, and of its completion within the group, -1 in the prompt."""
    lengths = torch.tensor([group.tokens for group in groups])
    of_group = torch.arange(len(groups)).repeat_interleave(lengths)
    parts = [(number, length) for group in groups for number, length in enumerate((group.prompt, *group.completions))]
    numbers, sizes = torch.tensor(parts).unbind(1)
    return of_group, (numbers - 1).repeat_interleave(sizes)


def visible(groups: Sequence[PrefixGroup], window: int | None = None) -> Tensor:
    """(L, L) bool, True where the query (row) sees the key (column): its own past, which begins with its prompt.

    Args:
        window: of the latest so many tokens, itself included; None: all.

    Example:
        >>> visible([PrefixGroup(1, (1, 2))]).int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [1, 0, 1, 0],
                [1, 0, 1, 1]], dtype=torch.int32)
    """
    of_group, of_completion = sequence_ids(groups)
    distance = positions_of(groups)[:, None] - positions_of(groups)[None]
    sees = (of_group[:, None] == of_group[None]) & (distance >= 0)
    sees &= (of_completion[:, None] == of_completion[None]) | (of_completion[None] == -1)
    return sees if window is None else sees & (distance < window)
