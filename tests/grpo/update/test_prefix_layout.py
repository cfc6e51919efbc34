"""Prompts computed once give the states and gradients of padded copies, however rows are put together."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_prompts import RAGGED, assert_same, rows_of, states_and_gradients
from small_models import small_model

from rewardgate.grpo.prefix_models import try_shared_prefix
from rewardgate.grpo.update.padded import PaddedLayout
from rewardgate.grpo.update.prefix_layout import SharedPrefixLayout, packed_groups
from rewardgate.grpo.update.row_tokens import RowTokens

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "Qwen2": ("Qwen2", {}),
    "Qwen2, one layer of two with a window": (
        "Qwen2",
        {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
    ),
    "Qwen3": ("Qwen3", {}),
    "Llama": ("Llama", {}),
    "Llama, eager": ("Llama", {"attn_implementation": "eager"}),
    "Mistral, window": ("Mistral", {"sliding_window": 4}),
    "Gemma": ("Gemma", {}),
    "Gemma 2, caps and a window": ("Gemma2", {"sliding_window": 3}),
    "Gemma 3, window": (
        "Gemma3Text",
        {"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"]},
    ),
    "Granite": ("Granite", {}),
    "Cohere": ("Cohere", {}),
    "GPT-2, learned positions": ("GPT2", {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}),
}


def model_of(name: str, **changes: Any) -> Any:
    family, options = MODELS[name]
    options = {**options, **changes}
    attention = options.pop("attn_implementation", None)
    model = small_model(family, **options).double()
    if attention is not None:
        model.set_attn_implementation(attention)
    return model


@pytest.mark.parametrize("name", MODELS)
def test_states_loss_and_all_gradients_are_those_of_padded_copies(name: str) -> None:
    model, rows = model_of(name), rows_of(RAGGED)
    layout = SharedPrefixLayout(try_shared_prefix(model).is_dense)
    assert_same(states_and_gradients(layout, model, rows), states_and_gradients(PaddedLayout(), model, rows))


def test_each_prompt_is_computed_once() -> None:
    rows = rows_of(RAGGED)
    layout = SharedPrefixLayout()
    # 7 + (4 + 0 + 5 + 1 + 8), 1 + (2 + 3), 8 + 3, 4 + (0 + 0): the last token of a completion is not fed.
    assert layout.positions(rows) == 25 + 6 + 11 + 4
    assert PaddedLayout().positions(rows) == 10 * (7 + 8)
    seen = []
    model = model_of("Qwen2")
    model.get_input_embeddings().register_forward_hook(lambda module, inputs, output: seen.append(output.shape[1]))
    layout.hidden(model, rows)
    assert seen == [46]


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.lists(st.integers(1, 5), min_size=1, max_size=4)), min_size=1, max_size=3),
    st.sampled_from([1, 8, 14, 1000]),
    st.integers(0, 99),
)
def test_neither_order_nor_splitting_changes_a_gradient(
    groups: list[tuple[int, list[int]]], token_budget: int, seed: int
) -> None:
    model, rows = SMALL, rows_of(groups, seed=seed)
    ours = states_and_gradients(SharedPrefixLayout(), model, rows, token_budget=token_budget)
    assert_same(ours, states_and_gradients(PaddedLayout(), model, rows))


SMALL = model_of("Qwen2", num_hidden_layers=1)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=6)), min_size=1, max_size=4),
    st.integers(1, 60),
    st.booleans(),
)
def test_every_row_is_in_one_micro_batch_that_fits_the_budget(
    groups: list[tuple[int, list[int]]], token_budget: int, is_dense: bool
) -> None:
    rows, layout = rows_of(groups), SharedPrefixLayout(is_dense)
    batches = layout.micro_batches(rows, token_budget)
    assert sorted(row for batch in batches for row in batch) == list(range(len(rows)))
    for batch in batches:
        assert layout.positions(rows.of(batch)) <= token_budget or len(batch) == 1
        assert not is_dense or len({rows.prompt_of[row] for row in batch}) == 1


def test_a_group_is_split_as_little_as_the_budget_asks() -> None:
    rows = rows_of([(10, [6] * 8)])  # 10 + 8 * 5 = 50 positions together
    sizes = [len(batch) for batch in SharedPrefixLayout().micro_batches(rows, 30)]
    assert sizes == [4, 4]


def test_a_row_without_company_is_all_prompt() -> None:
    groups, members = packed_groups(RowTokens([torch.tensor([1, 2])], [torch.tensor([3, 4, 5])], [7]))
    assert ([(one.prompt, one.completions) for one in groups], members) == ([(4, ())], [[0]])


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointed_layers_give_the_same_gradients_bit_for_bit(use_reentrant: bool) -> None:
    rows, found = rows_of(RAGGED), []
    for is_on in (False, True):
        model = model_of("Gemma 3, window").train()
        if is_on:
            model.gradient_checkpointing_enable({"use_reentrant": use_reentrant})
        SharedPrefixLayout().hidden(model, rows).sin().sum().backward()
        found.append([one.grad for one in model.parameters()])
    for plain, checkpointed in zip(*found, strict=True):
        assert torch.equal(plain, checkpointed)


def test_a_frozen_model_with_one_trained_layer_gets_its_gradient() -> None:
    model, rows = model_of("Llama").requires_grad_(False), rows_of(RAGGED)
    model.model.layers[0].self_attn.k_proj.weight.requires_grad_()
    ours = states_and_gradients(SharedPrefixLayout(), model, rows)
    assert list(ours[2]) == ["model.layers.0.self_attn.k_proj.weight"]
    assert_same(ours, states_and_gradients(PaddedLayout(), model, rows))


def test_in_bfloat16_and_under_autocast_states_differ_by_rounding_alone() -> None:
    rows, model = rows_of(RAGGED), small_model("Qwen3")
    exact = PaddedLayout().hidden(model, rows)
    with torch.autocast("cpu", torch.bfloat16):
        cast = SharedPrefixLayout().hidden(model, rows).float()
    half = SharedPrefixLayout().hidden(model.bfloat16(), rows).float()
    for rounded in (cast, half):
        torch.testing.assert_close(rounded, exact, rtol=0.05, atol=0.05)


def test_one_token_alone_is_a_plain_row() -> None:
    model, rows = model_of("Qwen2"), rows_of([(1, (1, 1))])
    hidden = SharedPrefixLayout().hidden(model, rows)
    assert torch.equal(hidden, PaddedLayout().hidden(model, rows))


def test_no_token_sees_a_sibling() -> None:
    model, rows = model_of("Llama"), rows_of([(3, (4, 5))])
    before = SharedPrefixLayout().hidden(model, rows)
    other = RowTokens(rows.prompts, [rows.completions[0], (rows.completions[1] + 1) % 60], rows.prompt_of)
    after = SharedPrefixLayout().hidden(model, other)
    length = len(rows.completions[0])
    assert torch.equal(before[:length], after[:length])
    assert not torch.equal(before[length + 1 :], after[length + 1 :])
