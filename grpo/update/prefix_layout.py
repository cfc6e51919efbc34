"""A micro-batch laid out as packed groups, each group's prompt computed once, with gradients through it from all."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn

from ..causal_lm import hidden_states
from ..prefix_groups import PrefixGroup, positions_of
from ..prefix_models import attention_kinds
from .row_tokens import RowTokens

__all__ = ["SharedPrefixLayout", "packed_groups"]


@dataclass(frozen=True)
class SharedPrefixLayout:
    """One row (1, L): every prompt once, behind it the completions of all rows that have it; no padding.

    A group too large for the budget is split, and each part computes the prompt again. A row whose prompt no other
    has in its micro-batch is there as a whole. For models that `try_shared_prefix` does not refuse.

    Args:
        is_dense: attention computes the square of L (`eager`), so that a micro-batch is one group's, or a part's.
    """

    is_dense: bool = False

    name = "shared_prefix"

    def micro_batches(self, rows: RowTokens, token_budget: int) -> list[list[int]]:
        """Parts of groups as large as the budget allows, then as many parts together as fit, the largest first."""
        fed = [length - 1 for length in rows.completion_lengths]
        parts: list[tuple[int, list[int]]] = []  # positions, rows
        for members in _members(rows):
            prompt = rows.prompt_lengths[members[0]]
            longest_first = sorted(members, key=lambda row: -fed[row])
            for part in _first_fit([(fed[row], [row]) for row in longest_first], token_budget - prompt):
                parts.append((prompt + sum(fed[row] for row in part), part))
        parts.sort(key=lambda part: -part[0])
        return [part for _, part in parts] if self.is_dense else _first_fit(parts, token_budget)

    def positions(self, rows: RowTokens) -> int:
        return sum(group.tokens for group in packed_groups(rows)[0])

    def hidden(self, model: nn.Module, rows: RowTokens) -> Tensor:
        groups, members = packed_groups(rows)
        ids: list[Tensor] = []
        places: list[Tensor] = [torch.empty(0, dtype=torch.long)] * len(rows)
        start = 0
        for group, own in zip(groups, members, strict=True):
            behind = start + rows.prompt_lengths[own[0]]
            ids += [rows.prompts[own[0]], *(rows.completions[row][:-1] for row in own)]
            fed = [len(rows.completions[row]) - 1 for row in own]
            for row, length, before in zip(own, fed, accumulate(fed[:-1], initial=behind), strict=True):
                # The prompt's last state predicts the first token of every completion.
                places[row] = torch.cat([torch.tensor([behind - 1]), torch.arange(before, before + length)])
            start += group.tokens
        device = rows.prompts[0].device
        hidden = hidden_states(
            model,
            torch.cat(ids)[None],  # (1, L)
            position_ids=positions_of(groups)[None].to(device),
            attention_mask=_mask(model, groups, device),
        )[0]
        return hidden.index_select(0, torch.cat(places).to(device))


def _mask(model: nn.Module, groups: list[PrefixGroup], device: torch.device) -> Any:
    if len(groups) == 1 and not sum(groups[0].completions):
        return None  # one plain row: attention keeps its causal kernel
    return attention_kinds(model).mask(groups, next(model.parameters()).dtype, device)


def packed_groups(rows: RowTokens) -> tuple[list[PrefixGroup], list[list[int]]]:
    """The groups of a micro-batch in the order of their first rows, and the rows of each."""
    members = _members(rows)
    groups = []
    for own in members:
        prompt, fed = rows.prompt_lengths[own[0]], tuple(rows.completion_lengths[row] - 1 for row in own)
        groups.append(PrefixGroup(prompt, fed) if len(own) > 1 else PrefixGroup(prompt + fed[0]))
    return groups, members


def _members(rows: RowTokens) -> list[list[int]]:
    """Rows of every prompt, in the order of first appearance."""
    members: dict[int, list[int]] = {}
    for row, prompt in enumerate(rows.prompt_of):
        members.setdefault(prompt, []).append(row)
    return list(members.values())


def _first_fit(parts: list[tuple[int, list[int]]], room: int) -> list[list[int]]:
    """Parts (size, rows) put together wherever there is room; one that is larger than the room is alone."""
    together: list[list[int]] = []
    left: list[int] = []
    for size, rows in parts:
        place = next((place for place, free in enumerate(left) if size <= free), None)
        if place is None:
            place = len(together)
            together.append([])
            left.append(room)
        together[place] += rows
        left[place] -= size
    return together
