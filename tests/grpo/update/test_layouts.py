"""Padded or packed, a row's states are those that it gets alone; and which rows run together."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_models import FAMILIES, VOCABULARY, small_model
from torch import Tensor, nn

from rewardgate.grpo.causal_lm import hidden_states
from rewardgate.grpo.update import Layout, LayoutChoice, PackedLayout, PaddedLayout, RowTokens

LAYOUTS = (PaddedLayout(), PackedLayout())

IN_FLOAT64 = ("Qwen2", "Qwen3", "Llama", "Mistral", "Granite")
"""The others normalise in float32, and eager attention has its softmax there."""


def rows_of(lengths: list[tuple[int, int]], seed: int = 0) -> RowTokens:
    generator = torch.Generator().manual_seed(seed)

    def ids(length: int) -> Tensor:
        return torch.randint(3, VOCABULARY, (length,), generator=generator)

    return RowTokens(
        [ids(prompt) for prompt, _ in lengths],
        [ids(completion) for _, completion in lengths],
        list(range(len(lengths))),
    )


def alone(model: nn.Module, rows: RowTokens) -> Tensor:
    """(C, H), one call of the model a row, over all of its tokens."""
    found = []
    for prompt, completion in zip(rows.prompts, rows.completions, strict=True):
        hidden = hidden_states(model, torch.cat([prompt, completion])[None])[0]
        found.append(hidden[len(prompt) - 1 : -1])
    return torch.cat(found)


ROWS = rows_of([(3, 4), (1, 1), (2, 7), (5, 2)])


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize(
    ("family", "attention"),
    [*((family, "eager" if family == "Gemma2" else "sdpa") for family in FAMILIES), ("Qwen3", "eager")],
)
def test_states_and_gradients_are_those_of_each_row_alone(family: str, attention: str, layout: Layout) -> None:
    model = small_model(family, attn_implementation=attention).double()
    found = []
    for hidden in (layout.hidden(model, ROWS), alone(model, ROWS)):
        model.zero_grad()
        # Not its square: behind a normalisation that is nearly constant, and its gradient nearly noise.
        (hidden * torch.randn(hidden.shape, generator=torch.Generator().manual_seed(1))).sum().backward()
        found.append([hidden.detach(), *(one.grad for one in model.parameters() if one.grad is not None)])
    tolerance = 1e-12 if attention == "sdpa" and family in IN_FLOAT64 else 1e-5
    for one, other in zip(*found, strict=True):
        assert (one - other).norm() <= tolerance * other.norm()


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_sliding_window_does_not_reach_into_the_row_before(layout: Layout) -> None:
    model = small_model("Mistral", sliding_window=3).double()
    rows = rows_of([(2, 9), (4, 6)])
    torch.testing.assert_close(layout.hidden(model, rows), alone(model, rows), rtol=1e-11, atol=1e-12)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12),
    st.integers(1, 60),
    st.sampled_from(LAYOUTS),
)
def test_every_row_is_in_one_micro_batch_within_the_budget(
    lengths: list[tuple[int, int]], budget: int, layout: Layout
) -> None:
    rows = rows_of(lengths)
    batches = layout.micro_batches(rows, budget)
    assert sorted(row for batch in batches for row in batch) == list(range(len(rows)))
    for batch in batches:
        assert layout.positions(rows.of(batch)) <= budget or len(batch) == 1


def test_padded_rows_are_sorted_so_that_the_longest_run_first_and_little_is_padding() -> None:
    rows = rows_of([(1, 2), (1, 9), (1, 3), (1, 8)])  # 2, 9, 3 and 8 fed
    assert PaddedLayout().micro_batches(rows, 18) == [[1, 3], [2, 0]]
    lengths = [rows.lengths[row] for batch in PaddedLayout().micro_batches(rows, 9) for row in batch]
    assert all(one >= other for one, other in pairwise(lengths))


def test_packed_rows_fill_up_what_is_left() -> None:
    rows = rows_of([(1, 5), (1, 4), (1, 3), (1, 2)])
    assert PackedLayout().micro_batches(rows, 7) == [[0, 3], [1, 2]]  # 5 + 2, 4 + 3


def test_a_layout_that_is_asked_for_is_taken() -> None:
    model = small_model("Qwen2", attn_implementation="sdpa")
    for name in ("padded", "packed", "shared_prefix"):
        layout, why = LayoutChoice(model, name)(ROWS, 64)  # type: ignore[arg-type]
        assert (layout.name, why) == (name, "asked for")


def test_unasked_the_cheaper_one_for_the_rows_at_hand_is_taken() -> None:
    choose = LayoutChoice(small_model("Qwen2", attn_implementation="sdpa"))
    alike = RowTokens([torch.arange(20)] * 4, [torch.tensor([1, 2])] * 4, [0] * 4)
    layout, why = choose(alike, 200)
    assert layout.name == "shared_prefix"
    assert why.startswith("layers at 0.")
    layout, why = choose(rows_of([(2, 300)] * 2), 700)  # nothing in common, nothing to pad
    assert layout.name == "padded"
    assert why.startswith("attention sdpa has no packed kernel; prompts not shared, layers at 1.")
    assert choose(rows_of([]), 64)[1] == "attention sdpa has no packed kernel; no row to run"


def test_what_another_model_that_reads_the_rows_does_not_allow_is_not_taken() -> None:
    alike = RowTokens([torch.arange(20)] * 4, [torch.tensor([1, 2])] * 4, [0] * 4)
    model = small_model("Qwen2", attn_implementation="sdpa")
    layout, why = LayoutChoice(model, "shared_prefix", reference=nn.Linear(2, 2))(alike, 200)
    assert layout.name == "padded"
    assert "of the reference: prompts not shared, model: expected a causal language model" in why


def test_a_model_that_does_not_keep_packed_rows_apart_is_padded_and_that_is_told() -> None:
    model = small_model("Llama")
    inner = model.model.forward

    def without_positions(*args: object, position_ids: object = None, **inputs: object) -> object:
        return inner(*args, **inputs)

    model.model.forward = without_positions
    layout, why = LayoutChoice(model, "packed")(ROWS, 64)
    assert (layout.name, why) == ("padded", "LlamaForCausalLM does not keep packed rows apart")
