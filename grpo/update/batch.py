"""What is learned from in one call: rollouts and what is known of their tokens, checked once at the door."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ...errors import ArgumentError
from ..shapes import check_integers, check_mask, check_numbers, check_rank, check_same_shape
from .row_tokens import RowTokens

__all__ = ["UpdateBatch"]


@dataclass(frozen=True, eq=False)
class UpdateBatch:
    """B rollouts; T is at least the length of the longest completion. Whatever is a token's is (B, T), right-padded.

    Nothing is read where `completion_mask` is False, so padding may hold anything.

    Args:
        prompt_ids: B tensors (or lists) of ids, each at least one: what was there before the completion.
        completion_ids: B of ids that were sampled, each at least one, tool output included.
        advantages: (B,), or (B, T) one a token. Exactly 0 says that there is nothing to learn.
        completion_mask: (B, T) bool, True = counts. None: every completion token does. False within a completion is
            read by the model and not learned from (tool output); a row without a True is not learned from at all.
        rollout_logprobs: (B, T) that the sampler reported.
        old_logprobs: (B, T) under the trainer's weights as they are now. None: computed, where they are needed.
        ref_logprobs: (B, T) under the reference policy. None: computed, where they are needed and there is one.
        degenerate: (B,) bool, True = all outcomes of the row's group are equal.
        group_ids: (B,) integers; mini-batches are cut between groups.
        sampled_at: (B,) integers, `PolicyUpdate.optimizer_steps` when the row was sampled.

    Raises:
        ArgumentError: shapes or dtypes other than stated, no rows, an empty prompt or completion, a mask that is True
            beyond its completion, a counted entry that is not finite.

    Example:
        >>> batch = UpdateBatch([[5, 6], [7]], [[1], [2, 3]], advantages=torch.tensor([0.5, -0.5]))
        >>> batch.completion_mask
        tensor([[ True, False],
                [ True,  True]])
    """

    prompt_ids: Sequence[Tensor] | Sequence[Sequence[int]]
    completion_ids: Sequence[Tensor] | Sequence[Sequence[int]]
    advantages: Tensor
    completion_mask: Tensor | None = None
    rollout_logprobs: Tensor | None = None
    old_logprobs: Tensor | None = None
    ref_logprobs: Tensor | None = None
    degenerate: Tensor | None = None
    group_ids: Tensor | None = None
    sampled_at: Tensor | None = None

    def __post_init__(self) -> None:
        prompts = _checked_ids("prompt_ids", self.prompt_ids)
        completions = _checked_ids("completion_ids", self.completion_ids)
        if not prompts or len(prompts) != len(completions):
            raise ArgumentError(
                f"completion_ids: expected one a prompt of at least one, got {len(completions)} of {len(prompts)}"
            )
        check_numbers("advantages", self.advantages)
        lengths = torch.tensor([len(one) for one in completions])
        mask = self.completion_mask
        if mask is None:
            width = self.advantages.shape[1] if self.advantages.ndim == 2 else int(lengths.max())
            mask = torch.arange(width)[None] < lengths[:, None]
        check_mask("completion_mask", mask)
        check_rank("completion_mask", mask, "(B, T)")
        if len(mask) != len(prompts) or mask.shape[1] < int(lengths.max()):
            raise ArgumentError(
                f"completion_mask: expected shape ({len(prompts)}, at least {int(lengths.max())}), "
                f"got {tuple(mask.shape)}"
            )
        beyond = mask & (torch.arange(mask.shape[1])[None] >= lengths[:, None]).to(mask.device)
        if bool(beyond.any()):
            row, token = beyond.nonzero()[0].tolist()
            raise ArgumentError(
                f"completion_mask: expected False beyond the {int(lengths[row])} tokens of row {row}, "
                f"got True at {row}, {token}"
            )
        object.__setattr__(self, "prompt_ids", prompts)
        object.__setattr__(self, "completion_ids", completions)
        object.__setattr__(self, "completion_mask", mask)
        self._check_tokens(mask)
        self._check_rows()

    @classmethod
    def padded(
        cls,
        prompt_ids: Tensor,
        prompt_mask: Tensor,
        completion_ids: Tensor,
        completion_mask: Tensor,
        advantages: Tensor,
        **others: Any,
    ) -> "UpdateBatch":
        """From padded tensors, as trainers have them.

        Args:
            prompt_ids: (B, P), padded on either side.
            prompt_mask: (B, P) bool, True = a token of the prompt.
            completion_ids: (B, T), padded on the right.
            completion_mask: (B, T) bool, True = counts. What lies behind a row's last True is not read.
            advantages, others: as in `UpdateBatch`.

        Raises:
            ArgumentError: as `UpdateBatch`.

        Example:
            >>> prompts, completions = torch.tensor([[0, 5], [6, 7]]), torch.tensor([[1, 2], [3, 0]])
            >>> batch = UpdateBatch.padded(prompts, prompts > 0, completions, completions > 0, torch.zeros(2))
            >>> batch.prompt_ids, batch.completion_ids
            ((tensor([5]), tensor([6, 7])), (tensor([1, 2]), tensor([3])))
        """
        for name, ids, mask in (("prompt", prompt_ids, prompt_mask), ("completion", completion_ids, completion_mask)):
            check_integers(f"{name}_ids", ids)
            check_rank(f"{name}_ids", ids, "(B, T)" if name == "completion" else "(B, P)")
            check_mask(f"{name}_mask", mask)
            check_same_shape(f"{name}_mask", mask, f"{name}_ids", ids)
        prompts = prompt_ids[prompt_mask].split(prompt_mask.sum(1).tolist())
        places = torch.arange(1, completion_ids.shape[1] + 1, device=completion_ids.device)
        reach = (places * completion_mask).amax(1).clamp(min=1).tolist() if completion_ids.numel() else []
        completions = [row[:end] for row, end in zip(completion_ids, reach, strict=True)]
        return cls(prompts, completions, advantages, completion_mask, **others)

    def tokens(self, device: torch.device) -> RowTokens:
        """The rows' ids on a device; rows with equal prompts are known by one number."""
        numbers: dict[tuple[int, ...], int] = {}
        prompt_of = [numbers.setdefault(tuple(torch.as_tensor(one).tolist()), len(numbers)) for one in self.prompt_ids]
        return RowTokens(
            [torch.as_tensor(one).to(device, torch.long) for one in self.prompt_ids],
            [torch.as_tensor(one).to(device, torch.long) for one in self.completion_ids],
            prompt_of,
        )

    def __len__(self) -> int:
        return len(self.prompt_ids)

    def _check_tokens(self, mask: Tensor) -> None:
        if self.advantages.shape not in (mask.shape, mask.shape[:1]):
            raise ArgumentError(
                f"advantages: expected shape {tuple(mask.shape[:1])} or {tuple(mask.shape)}, "
                f"got {tuple(self.advantages.shape)}"
            )
        for name in ("advantages", "rollout_logprobs", "old_logprobs", "ref_logprobs"):
            tensor = getattr(self, name)
            if tensor is None:
                continue
            check_numbers(name, tensor)
            if tensor.ndim == 2 or name != "advantages":
                check_same_shape(name, tensor, "completion_mask", mask)
            counts = mask.to(tensor.device)
            strange = ~tensor.isfinite() & (counts if tensor.ndim == 2 else counts.any(1))
            if bool(strange.any()):
                where = tuple(strange.nonzero()[0].tolist())
                raise ArgumentError(
                    f"{name}: expected finite numbers where completion_mask is True, got {tensor[where].item()} "
                    f"at {', '.join(map(str, where))}"
                )

    def _check_rows(self) -> None:
        for name, check in (("degenerate", check_mask), ("group_ids", check_integers), ("sampled_at", check_integers)):
            tensor = getattr(self, name)
            if tensor is not None:
                check(name, tensor)
                if tensor.shape != (len(self),):
                    raise ArgumentError(f"{name}: expected shape ({len(self)},), got {tuple(tensor.shape)}")


def _checked_ids(name: str, rows: Any) -> tuple[Tensor, ...]:
    checked = []
    for number, row in enumerate(rows):
        ids = row if isinstance(row, Tensor) else torch.tensor(list(row), dtype=torch.long)
        check_integers(f"{name}[{number}]", ids)
        if ids.ndim != 1 or not len(ids):
            raise ArgumentError(f"{name}[{number}]: expected shape (at least 1,), got {tuple(ids.shape)}")
        checked.append(ids)
    return tuple(checked)
