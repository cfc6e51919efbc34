"""The tokens of some rows, ragged: what a model is fed to score their completions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["RowTokens"]


@dataclass(frozen=True, slots=True, eq=False)
class RowTokens:
    """Prompts and completions of B rows, whole or cut; C completion tokens in all.

    The state at the last prompt token predicts the first completion token, and the last completion token predicts
    nothing that is asked for: it is not fed.

    Args:
        prompts: B tensors (P_i,) of ids, P_i at least 1.
        completions: B tensors (T_i,), T_i at least 1, on the same device.
        prompt_of: B numbers; rows with the same number have the same prompt, token by token.

    Example:
        >>> prompts, completions = (torch.tensor([5, 6]), torch.tensor([7])), (torch.tensor([1]), torch.tensor([2, 3]))
        >>> rows = RowTokens(prompts, completions, prompt_of=[0, 1])
        >>> rows.fed(1), rows.lengths
        (tensor([7, 2]), [2, 2])
        >>> rows.of([1]).completion_lengths
        [2]
    """

    prompts: Sequence[Tensor]
    completions: Sequence[Tensor]
    prompt_of: Sequence[int]

    @property
    def prompt_lengths(self) -> list[int]:
        return [len(prompt) for prompt in self.prompts]

    @property
    def completion_lengths(self) -> list[int]:
        return [len(completion) for completion in self.completions]

    @property
    def lengths(self) -> list[int]:
        """Tokens fed of every row: P_i + T_i - 1."""
        return [
            len(prompt) + len(completion) - 1 for prompt, completion in zip(self.prompts, self.completions, strict=True)
        ]

    def fed(self, row: int) -> Tensor:
        """(P_i + T_i - 1,) the ids that the model reads of one row."""
        return torch.cat([self.prompts[row], self.completions[row][:-1]])

    def of(self, rows: Iterable[int]) -> "RowTokens":
        """Those of some rows, in the order asked for."""
        chosen = list(rows)
        return RowTokens(
            [self.prompts[row] for row in chosen],
            [self.completions[row] for row in chosen],
            [self.prompt_of[row] for row in chosen],
        )

    def __len__(self) -> int:
        return len(self.prompts)
