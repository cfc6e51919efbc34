"""What a batch will do, known before any of it is done: which rows make an optimizer step, and which run together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from .batch import UpdateBatch
from .config import UpdateConfig
from .layout import Layout
from .ranks import Ranks
from .row_tokens import RowTokens
from .skipping import Needed

__all__ = ["StepPlan", "cut_to", "mini_batches", "step_plans"]


@dataclass(frozen=True, slots=True)
class StepPlan:
    """One optimizer step of this process, with what all processes agreed on.

    Args:
        rows: of the batch, run or not.
        phases: micro-batches of rows that are run; gradients of all processes meet at the end of each phase. Two
            where degenerate groups come first, to be measured; else one.
        lengths: how many micro-batches each phase has, the most of any process.
        normalizer: of the loss, over all rows of all processes.
        has_gradient: whether any row of any process has one.
    """

    rows: list[int]
    phases: list[list[list[int]]]
    lengths: list[int]
    normalizer: float
    has_gradient: bool


def mini_batches(batch: UpdateBatch, config: UpdateConfig, *, seed: int) -> list[list[int]]:
    """Rows of every optimizer step, epoch after epoch; parts of a small batch may be empty."""
    groups = range(len(batch)) if batch.group_ids is None else batch.group_ids.tolist()
    members: dict[int, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    units = list(members.values())
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for _ in range(config.epochs):
        order = torch.randperm(len(units), generator=generator).tolist() if config.shuffle else range(len(units))
        dealt = [units[place] for place in order]
        bounds = [len(dealt) * part // config.mini_batches for part in range(config.mini_batches + 1)]
        parts += [[row for unit in dealt[start:end] for row in unit] for start, end in pairwise(bounds)]
    return parts


def step_plans(
    parts: Sequence[list[int]],
    needed: Needed,
    completion_mask: Tensor,
    learned: Tensor,
    degenerate: Tensor | None,
    tokens: RowTokens,
    layout: Layout,
    config: UpdateConfig,
    *,
    token_budget: int,
    ranks: Ranks,
) -> list[StepPlan]:
    """Plans on which all processes agree, after one sum and one maximum over them.

    Args:
        parts: of `mini_batches`.
        needed: what is run.
        completion_mask: (B, T) bool, True = counts.
        learned: (B,) bool, the rows that `normalize_over="kept"` counts.
        degenerate: (B,) bool, where these rows' gradient is measured alone; else None.
        tokens: of all rows, cut to what is needed.
    """
    is_run = needed.rows.tolist()
    has_gradient = needed.gradient.any(1).tolist()
    first = None if degenerate is None else degenerate.tolist()
    phases, sums = [], []
    for part in parts:
        run = [row for row in part if is_run[row]]
        split = [run] if first is None else [[row for row in run if first[row]], [row for row in run if not first[row]]]
        phases.append(
            [
                [[rows[place] for place in group] for group in layout.micro_batches(tokens.of(rows), token_budget)]
                for rows in split
            ]
        )
        kept = learned[part] if config.loss.normalize_over == "kept" else None
        sums += [config.loss.normalizer(completion_mask[part], kept=kept), sum(has_gradient[row] for row in part)]
    sums = ranks.summed(sums)
    lengths = [int(one) for one in ranks.highest([len(phase) for of_part in phases for phase in of_part])]
    width = 1 if first is None else 2
    return [
        StepPlan(
            part,
            phases[number],
            lengths[number * width : (number + 1) * width],
            sums[2 * number],
            sums[2 * number + 1] > 0,
        )
        for number, part in enumerate(parts)
    ]


def cut_to(tokens: RowTokens, needed: Tensor) -> RowTokens:
    """Completions up to the last token that is needed (at least one): nothing that follows can matter to it."""
    places = torch.arange(1, needed.shape[1] + 1, device=needed.device)
    ends = (places * needed).amax(1).clamp(min=1).tolist()
    completions = [completion[:end] for completion, end in zip(tokens.completions, ends, strict=True)]
    return RowTokens(tokens.prompts, completions, tokens.prompt_of)
