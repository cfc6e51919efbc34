"""Which tokens have a gradient, which rows may be left out, and what is said where they may not."""

from typing import Any

import pytest
import torch
from small_models import small_model
from torch import nn

from rewardgate.grpo import LossConfig
from rewardgate.grpo.update.skipping import needed_tokens, rows_affect_each_other

MASK = torch.tensor([[1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]]).bool()
ADVANTAGES = torch.tensor([[0.0, 0, 9], [1, 0, 0], [1, 1, 1], [0, 5, 0]])  # rows 0 and 3: only where nothing counts
DEGENERATE = torch.tensor([True, False, False, False])


def needed(config: LossConfig | None = None, **options: Any) -> Any:
    return needed_tokens(MASK, ADVANTAGES, DEGENERATE, config or LossConfig(), **options)


def test_only_counted_tokens_with_an_advantage_are_run() -> None:
    found = needed()
    assert found.graph.tolist() == [[False] * 3, [True, False, False], [False] * 3, [False] * 3]
    assert found.rows.tolist() == [False, True, False, False]
    assert found.why is None


def test_forms_over_whole_rows_run_all_tokens_of_a_row_that_has_a_gradient() -> None:
    for config in (LossConfig(form="gspo"), LossConfig(importance="sequence")):
        assert needed(config).graph.tolist() == [[False] * 3, [True] * 3, [False] * 3, [False] * 3]


def test_where_figures_are_wanted_all_tokens_of_a_live_row_are_run() -> None:
    assert needed(all_tokens=True).graph.sum(1).tolist() == [0, 3, 0, 0]


@pytest.mark.parametrize(
    ("config", "options", "why"),
    [
        (LossConfig(entropy_coef=0.1), {}, "entropy_coef = 0.1: every token has a gradient"),
        (LossConfig(beta=0.1), {}, "beta = 0.1: every token has a gradient of its KL"),
        (LossConfig(), {"skip": False}, "skip = False"),
        (LossConfig(), {"model_reason": "because"}, "because"),
        (
            LossConfig(beta=0.1),
            {"model_reason": "because"},
            "beta = 0.1: every token has a gradient of its KL; because",
        ),
    ],
)
def test_rows_run_for_another_reason_say_which(config: LossConfig, options: dict[str, Any], why: str) -> None:
    found = needed(config, **options)
    assert found.why == why
    assert torch.equal(found.graph, MASK)


def test_without_the_kl_on_degenerate_groups_only_theirs_are_left_out() -> None:
    found = needed(LossConfig(beta=0.1, kl_on_degenerate=False))
    assert found.rows.tolist() == [False, True, False, True]
    assert found.why == "beta = 0.1: rows of other than degenerate groups have a gradient of their KL"


def test_where_every_row_has_an_advantage_there_is_nothing_to_explain() -> None:
    assert needed_tokens(MASK, torch.ones(4, 3), None, LossConfig(beta=0.1), skip=False).why is None


def test_dropout_counts_in_training_mode_only() -> None:
    model = small_model("Llama", attention_dropout=0.1)
    assert rows_affect_each_other(model) is None
    assert rows_affect_each_other(model.train()) == "dropout: random numbers depend on the rows that are run"
    assert rows_affect_each_other(nn.Sequential(nn.Dropout(0.0)).train()) is None
    assert rows_affect_each_other(nn.Sequential(nn.Dropout(0.5)).train()) is not None


def test_a_mixture_of_experts_and_batch_statistics_bind_rows_together() -> None:
    sizes = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8}
    why = rows_affect_each_other(small_model("Qwen3Moe", **sizes))
    assert why == "num_experts = 4: a router's load and capacity depend on the rows that are run"
    norm = nn.Sequential(nn.BatchNorm1d(2))
    assert rows_affect_each_other(norm.train()) == "BatchNorm1d: statistics over the rows that are run"
    assert rows_affect_each_other(norm.eval()) is None
