"""The cost of layouts by their lengths, and what is chosen by it."""

import pytest
import torch
from shared_prompts import rows_of
from small_models import small_model
from torch import nn

from rewardgate.grpo.prefix_groups import PrefixGroup
from rewardgate.grpo.prefix_models import AttentionKinds
from rewardgate.grpo.update.padded import PaddedLayout
from rewardgate.grpo.update.prefix_cost import SLOWNESS, LayerWork, PrefixChoice, attended_pairs, causal_pairs
from rewardgate.grpo.update.prefix_layout import SharedPrefixLayout

BUDGET = 1 << 20


def test_operations_are_those_of_the_weights_and_of_attention() -> None:
    model = small_model("Llama", num_hidden_layers=3)
    # q and o (16, 16), k and v (8, 16), three of (24, 16); per pair 14 x 3 layers x 2 heads x 8.
    layer = 2 * 256 + 2 * 128 + 3 * 384
    assert LayerWork.of(model) == LayerWork(6.0 * 3 * layer, 14.0 * 3 * 16)
    model.requires_grad_(False)
    assert LayerWork.of(model).per_token == 4.0 * 3 * layer
    assert LayerWork(10.0, 1.0).cost(3, 5) == 30 + 5 * SLOWNESS


def test_pairs_are_counted_as_attention_computes_them() -> None:
    group = PrefixGroup(10, (4, 4, 2, 0))
    full = AttentionKinds(None, is_dense=False)
    # The prompt is within a tile; two of 4 tokens before 10 + 4 keys; one of 2 before 10 + 2.
    assert attended_pairs([group], full) == 100 + 2 * 4 * 14 + 2 * 12
    # A window of 3: the prompt under a mask, and its last 2 tokens before the completions.
    windowed = 100 + 2 * 4 * 6 + 2 * 4
    assert attended_pairs([group], AttentionKinds(3, is_dense=False)) == windowed
    both = AttentionKinds({"full_attention": None, "sliding_attention": 3}, is_dense=False)
    assert attended_pairs([group], both) == (100 + 112 + 24 + windowed) / 2
    assert attended_pairs([group, PrefixGroup(5)], AttentionKinds(None, is_dense=True)) == 25**2
    assert [causal_pairs(length) for length in (1, 256, 768)] == [1, 256**2, 768 * 512]


@pytest.mark.parametrize(
    ("prompt", "completion", "name"), [(80, 10, "shared_prefix"), (40, 40, "shared_prefix"), (1, 900, "padded")]
)
def test_long_prompts_are_shared_and_short_ones_before_long_completions_are_not(
    prompt: int, completion: int, name: str
) -> None:
    choice = PrefixChoice(small_model("Qwen2"))
    layout, why = choice(rows_of([(prompt, [completion] * 8)]), BUDGET, PaddedLayout())
    assert choice.why_not is None
    assert layout.name == name
    assert why.startswith("layers at 0." if name == "shared_prefix" else "prompts not shared, layers at ")
    assert why.endswith(" x the cost of padded")


def test_where_no_two_rows_have_one_prompt_packing_alone_may_still_pay() -> None:
    rows = rows_of([(8, [40]), (3, [2]), (5, [7])])
    assert PrefixChoice(small_model("Qwen2"))(rows, BUDGET, PaddedLayout())[0].name == "shared_prefix"


def test_eager_attention_pays_for_the_square_of_the_packed_row() -> None:
    choice = PrefixChoice(small_model("Gemma2"))
    long, even = (rows_of([(prompt, [20] * 8)]) for prompt in (200, 20))
    assert choice(long, BUDGET, PaddedLayout())[0] == SharedPrefixLayout(is_dense=True)
    assert choice(even, BUDGET, PaddedLayout())[0].name == "padded"


def test_a_budget_that_splits_every_group_leaves_nothing_to_share() -> None:
    choice, rows = PrefixChoice(small_model("Qwen2")), rows_of([(30, [4] * 6)])
    assert choice(rows, BUDGET, PaddedLayout())[0].name == "shared_prefix"
    assert choice(rows, 33, PaddedLayout())[0].name == "padded"


def test_dropout_at_work_forbids_it_and_dropout_at_rest_does_not() -> None:
    model, rows = small_model("Llama", attention_dropout=0.1), rows_of([(30, [4] * 6)])
    choice = PrefixChoice(model)
    assert choice(rows, BUDGET, PaddedLayout())[0].name == "shared_prefix"
    model.train()
    layout, why = choice(rows, BUDGET, PaddedLayout())
    assert (layout.name, why) == ("padded", "prompts not shared, dropout draws for every copy anew")


def test_a_model_that_is_refused_keeps_its_layout_and_is_told_why() -> None:
    choice, otherwise = PrefixChoice(nn.Linear(2, 2)), PaddedLayout()
    layout, why = choice(rows_of([(30, [4] * 6)]), BUDGET, otherwise)
    assert layout is otherwise
    assert why == "prompts not shared, model: expected a causal language model of transformers, got Linear"


def test_choosing_leaves_the_model_as_it_was() -> None:
    model = small_model("Qwen2").train()
    before = [one.clone() for one in model.parameters()]
    PrefixChoice(model)
    assert model.training
    assert all(map(torch.equal, before, model.parameters()))
