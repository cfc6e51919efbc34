"""Rows that share prompts, and what a layout makes of them: states and all gradients."""

from collections.abc import Sequence
from typing import Any

import torch
from double_models import AllDouble
from hypothesis import strategies as st
from small_models import VOCABULARY
from torch import Tensor, nn

from rewardgate.grpo.causal_lm import head_of
from rewardgate.grpo.fused_loss import fused_token_loss
from rewardgate.grpo.prefix_groups import PrefixGroup
from rewardgate.grpo.update.row_tokens import RowTokens

RAGGED = [(7, (5, 1, 6, 2, 9)), (1, (3, 4)), (8, (4,)), (4, (1, 1))]
"""Prompt and completions: ragged, a prompt of one token, a group of one, completions of which nothing is fed."""


def rows_of(groups: Sequence[tuple[int, Sequence[int]]], *, seed: int = 0) -> RowTokens:
    """Random tokens of (prompt, completions) lengths; rows of a group are not adjacent."""
    generator = torch.Generator().manual_seed(seed)

    def ids(length: int) -> Tensor:
        return torch.randint(3, VOCABULARY, (length,), generator=generator)

    prompts = [ids(prompt) for prompt, _ in groups]
    rows = [(number, ids(length)) for number, (_, lengths) in enumerate(groups) for length in lengths]
    order = torch.randperm(len(rows), generator=generator).tolist()
    return RowTokens(
        [prompts[rows[place][0]] for place in order],
        [rows[place][1] for place in order],
        [rows[place][0] for place in order],
    )


def states_and_gradients(
    layout: Any, model: nn.Module, rows: RowTokens, *, token_budget: int = 1 << 20
) -> tuple[dict[int, Tensor], float, dict[str, Tensor]]:
    """Of every row its states (T, H); the loss, curved in every log-probability; every parameter's gradient."""
    model.zero_grad()
    head, states, loss = head_of(model), {}, 0.0
    for places in layout.micro_batches(rows, token_budget):
        part = rows.of(places)
        with AllDouble():
            hidden = layout.hidden(model, part)  # (C, H)
            ids = torch.cat(list(part.completions))
            gains = torch.cat([torch.full((len(part.completions[n]),), (-1.0) ** row) for n, row in enumerate(places)])
            result = fused_token_loss(hidden, ids, head, lambda lp, _, at, g=gains: -g[at] * (lp + 4).exp())
            result.loss.backward()
        loss += float(result.loss.detach())
        pieces = hidden.detach().split(part.completion_lengths)
        states.update(zip(places, pieces, strict=True))
    gradients = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
    return states, loss, gradients


def assert_same(ours: Any, theirs: Any, *, rtol: float = 1e-10, atol: float = 1e-10) -> None:
    """Two results of `states_and_gradients`; gradients relative to their largest entry."""
    assert set(ours[0]) == set(theirs[0])
    for row, states in theirs[0].items():
        torch.testing.assert_close(ours[0][row], states, rtol=rtol, atol=atol)
    assert abs(ours[1] - theirs[1]) <= rtol * abs(theirs[1])
    assert set(ours[2]) == set(theirs[2])
    highest = max(float(one.abs().max()) for one in theirs[2].values())
    for name, one in theirs[2].items():
        scale = max(float(one.abs().max()), 1e-3 * highest)  # a key's bias has none but rounding
        assert float((ours[2][name] - one).abs().max()) <= rtol * scale, name


def prefix_groups() -> st.SearchStrategy[list[PrefixGroup]]:
    lengths = st.lists(st.integers(0, 6), max_size=5).map(tuple)
    return st.lists(st.builds(PrefixGroup, st.integers(1, 7), lengths), min_size=1, max_size=3)
