"""Log-probabilities in chunks: those of all logits, with the same gradients, and nothing of that size in memory."""

from math import log, nan

import pytest
import torch
from head_cases import HeadCase, LargestTensor, chunk_budgets, head_cases, random_case
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.grpo.lm_head import LmHead
from rewardgate.grpo.logprobs import selected_logprobs

SHAPE = (4, 16, 97, 5)


def backward(case: HeadCase, *, entropy: bool, chunk_mib: float | None = None) -> list[torch.Tensor]:
    """Gradients through `selected_logprobs`, the loss scaled by 3 on its way back."""
    logprobs, entropies = selected_logprobs(
        case.hidden,
        case.ids,
        case.head,
        case.mask,
        temperature=case.temperature,
        entropy=entropy,
        chunk_mib=chunk_mib,
    )
    (3 * case.loss(logprobs, entropies)[case.mask].sum()).backward()
    return case.gradients


def plain_backward(case: HeadCase, *, entropy: bool) -> list[torch.Tensor]:
    logprobs, entropies = case.plain()
    (3 * case.loss(logprobs, entropies if entropy else None)[case.mask].sum()).backward()
    return case.gradients


def test_two_equal_logits_are_half_each_and_a_capped_one_is_what_tanh_says() -> None:
    head = LmHead(torch.tensor([[0.0], [0.0], [1.0]]), softcap=log(2.0) / 0.5)
    # Logits 0, 0 and c tanh(h / c); with h = atanh(0.5) c and c = log(2) / 0.5 the third is log 2: p = 1/4, 1/4, 1/2.
    hidden = torch.tensor([[head.softcap * torch.atanh(torch.tensor(0.5)).item()]])
    for token, probability in ((0, 0.25), (2, 0.5)):
        logprobs, entropies = selected_logprobs(hidden, torch.tensor([token]), head, entropy=True)
        assert entropies is not None
        assert logprobs.item() == pytest.approx(log(probability), abs=1e-6)
        assert entropies.item() == pytest.approx(2 * 0.25 * log(4) + 0.5 * log(2), abs=1e-6)


@given(head_cases(), st.booleans(), chunk_budgets())
def test_values_and_gradients_are_those_of_all_logits(case: HeadCase, entropy: bool, chunk_mib: float | None) -> None:
    ours, plain = case.leaves(), case.leaves()
    options = {"temperature": case.temperature, "entropy": True, "chunk_mib": chunk_mib}
    logprobs, entropies = selected_logprobs(ours.hidden, ours.ids, ours.head, ours.mask, **options)
    assert entropies is not None
    for mine, all_of_them in zip((logprobs, entropies), plain.plain(), strict=True):
        torch.testing.assert_close(mine, all_of_them.where(case.mask, 0), rtol=1e-12, atol=1e-12)
    for mine, its in zip(
        backward(ours, entropy=entropy, chunk_mib=chunk_mib), plain_backward(plain, entropy=entropy), strict=True
    ):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-12)


@given(head_cases(), st.booleans(), chunk_budgets())
def test_a_frozen_head_costs_hidden_states_nothing(case: HeadCase, entropy: bool, chunk_mib: float | None) -> None:
    ours, plain = case.leaves(frozen=True), case.leaves()
    (of_hidden,) = backward(ours, entropy=entropy, chunk_mib=chunk_mib)
    torch.testing.assert_close(of_hidden, plain_backward(plain, entropy=entropy)[0], rtol=1e-12, atol=1e-12)


@given(head_cases(), st.booleans())
def test_float32_is_within_a_millionth_of_float64(case: HeadCase, entropy: bool) -> None:
    single = backward(case.leaves(dtype=torch.float32), entropy=entropy, chunk_mib=0.001)
    double = plain_backward(case.leaves(), entropy=entropy)
    for mine, its in zip(single, double, strict=True):
        allowed = 1e-6 * max(1.0, float(its.abs().max()) if its.numel() else 0.0) * 4
        assert torch.allclose(mine.double(), its, rtol=0, atol=allowed)


def test_hidden_states_that_do_not_count_are_never_read() -> None:
    case = random_case(SHAPE)
    dirty = case.leaves()
    with torch.no_grad():
        dirty.hidden[~case.mask] = nan
    for mine, its in zip(backward(dirty, entropy=True), backward(case.leaves(), entropy=True), strict=True):
        assert torch.equal(mine, its)
    assert not dirty.gradients[0][~case.mask].any()


def test_one_chunk_is_as_many() -> None:
    case = random_case(SHAPE, softcap=3.0, bias=True)
    for row_a_chunk, at_once in zip(
        backward(case.leaves(), entropy=True, chunk_mib=1e-9), backward(case.leaves(), entropy=True), strict=True
    ):
        torch.testing.assert_close(row_a_chunk, at_once, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("frozen", [True, False])
def test_no_tensor_of_all_logits_is_ever_made(frozen: bool) -> None:
    case = random_case((8, 64, 1000, 4)).leaves(frozen=frozen)
    case.mask = torch.ones_like(case.mask)
    # Two buffers (rows, V) of 8 bytes an element in 0.5 MiB: 32 rows of 512.
    with LargestTensor() as seen:
        backward(case, entropy=True, chunk_mib=0.5)
    assert seen.elements <= 32 * 1000
    plain = random_case((8, 64, 1000, 4)).leaves()
    with LargestTensor() as seen:
        plain_backward(plain, entropy=True)
    assert seen.elements == 8 * 64 * 1000


def test_without_gradients_there_is_no_graph_and_the_same_values() -> None:
    case = random_case(SHAPE).leaves()
    with torch.no_grad():
        plain, entropies = selected_logprobs(case.hidden, case.ids, case.head, case.mask)
    recorded, _ = selected_logprobs(case.hidden, case.ids, case.head, case.mask)
    assert (plain.requires_grad, recorded.requires_grad, entropies) == (False, True, None)
    assert torch.equal(plain, recorded)
    with torch.inference_mode():
        assert torch.equal(selected_logprobs(case.hidden, case.ids, case.head, case.mask)[0], plain)


def test_a_sure_token_has_a_logprob_of_zero_at_most() -> None:
    head = LmHead(torch.tensor([[1.0], [0.0], [0.3]]))
    logprobs, entropies = selected_logprobs(torch.tensor([[1e4], [1e-4]]), torch.tensor([0, 0]), head, entropy=True)
    assert entropies is not None
    assert logprobs[0].item() == 0.0
    assert (logprobs <= 0).all()
    assert entropies[0].item() == 0.0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_summed_in_float32(dtype: torch.dtype) -> None:
    case = random_case((4, 64, 300, 16), temperature=0.8)
    half = case.leaves(dtype=dtype)
    exact = half.leaves(dtype=torch.float64)
    logprobs, _ = selected_logprobs(half.hidden, half.ids, half.head, half.mask, temperature=0.8)
    assert logprobs.dtype is torch.float32
    of_half, of_exact = backward(half, entropy=False, chunk_mib=0.01), plain_backward(exact, entropy=False)
    for mine, its in zip(of_half, of_exact, strict=True):
        assert mine.dtype is dtype
        # Logits of 8 significant bits (bfloat16), of magnitude up to about 16: 16 / 256 nats.
        assert float((mine.double() - its).norm() / its.norm()) < (0.03 if dtype is torch.bfloat16 else 0.005)


def test_small_slopes_survive_half_precision() -> None:
    # A loss a token of 1e-7: float16 has no number so small beside 0 but 6e-8, and 1e-7 times a probability is 0.
    case = random_case((2, 32, 50, 8))
    half = case.leaves(dtype=torch.float16)
    exact = half.leaves(dtype=torch.float64)
    for one, values in (
        (half, selected_logprobs(half.hidden, half.ids, half.head, half.mask)[0]),
        (exact, exact.plain()[0]),
    ):
        (1e-7 * one.loss(values, None)[case.mask].sum() * 2.0**20).backward()
    for mine, its in zip(half.gradients, exact.gradients, strict=True):
        assert float((mine.double() - its).norm() / its.norm()) < 0.01


def test_autocast_decides_the_dtype_of_the_products_alone_at_both_passes() -> None:
    case = random_case((2, 16, 60, 8)).leaves(dtype=torch.float32)
    rounded = case.leaves(dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = selected_logprobs(case.hidden, case.ids, case.head, case.mask, entropy=True)
    again = selected_logprobs(rounded.hidden, rounded.ids, rounded.head, rounded.mask, entropy=True)
    for one, values in ((case, found), (rounded, again)):
        case.loss(*values)[case.mask].sum().backward()
        assert all(gradient.dtype is one.weight.dtype for gradient in one.gradients)
    for mine, its in zip(found, again, strict=True):
        assert torch.equal(mine, its)
    for mine, its in zip(case.gradients, rounded.gradients, strict=True):
        assert float((mine - its).norm() / its.norm()) < 0.01


def test_a_tied_embedding_gathers_both_gradients() -> None:
    case = random_case((2, 6, 11, 3))
    found = []
    for plain in (False, True):
        weight = case.weight.clone().requires_grad_()
        tied = HeadCase(
            torch.tanh(weight[case.ids]), weight, None, case.ids, case.mask, case.advantages, 1.0, None, 1.0
        )
        logprobs = tied.plain()[0] if plain else selected_logprobs(tied.hidden, tied.ids, tied.head, tied.mask)[0]
        tied.loss(logprobs, None)[case.mask].sum().backward()
        found.append(weight.grad)
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-12)


def test_weights_changed_before_the_backward_pass_are_noticed() -> None:
    case = random_case(SHAPE).leaves()
    logprobs, _ = selected_logprobs(case.hidden, case.ids, case.head, case.mask)
    with torch.no_grad():
        case.weight.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        logprobs.sum().backward()


def test_a_second_derivative_is_refused() -> None:
    case = random_case(SHAPE).leaves()
    logprobs, _ = selected_logprobs(case.hidden, case.ids, case.head, case.mask)
    with pytest.raises(ArgumentError, match="selected_logprobs has no second derivative"):
        torch.autograd.grad(logprobs.sum(), case.hidden, create_graph=True)


def test_two_backward_passes_over_one_graph_add_up() -> None:
    case = random_case(SHAPE).leaves()
    logprobs, _ = selected_logprobs(case.hidden, case.ids, case.head, case.mask)
    logprobs.sum().backward(retain_graph=True)
    once = [one.clone() for one in case.gradients]
    logprobs.sum().backward()
    for twice, one in zip(case.gradients, once, strict=True):
        torch.testing.assert_close(twice, 2 * one)
