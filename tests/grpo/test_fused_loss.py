"""Token losses fused with the head: the plain path's gradients, whatever scales the loss on its way back."""

from functools import partial

import pytest
import torch
from head_cases import HeadCase, LargestTensor, chunk_budgets, head_cases, random_case
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from rewardgate.errors import ArgumentError
from rewardgate.grpo.fused_loss import FusedLoss, fused_token_loss
from rewardgate.grpo.lm_head import LmHead
from rewardgate.grpo.logprobs import selected_logprobs
from rewardgate.grpo.loss_config import LossConfig
from rewardgate.grpo.token_losses import token_losses

SHAPE = (4, 16, 97, 5)


def shares(case: HeadCase, logprobs: Tensor, entropies: Tensor | None, rows: slice) -> Tensor:
    """The case's loss of a chunk of its counted tokens."""
    advantages = case.advantages[case.mask][rows]
    chunk = HeadCase(*(case.hidden, case.weight, None, case.ids, case.mask), advantages, 1.0, None, 1.0)
    return chunk.loss(logprobs, entropies)


def fused(case: HeadCase, *, entropy: bool = False, chunk_mib: float | None = None) -> FusedLoss:
    return fused_token_loss(
        case.hidden,
        case.ids,
        case.head,
        partial(shares, case),
        case.mask,
        temperature=case.temperature,
        entropy="gradient" if entropy else None,
        chunk_mib=chunk_mib,
    )


def plain_loss(case: HeadCase, *, entropy: bool = False) -> Tensor:
    logprobs, entropies = case.plain()
    return case.loss(logprobs, entropies if entropy else None)[case.mask].sum()


def test_the_gradient_of_a_token_is_the_advantage_times_what_softmax_lacks() -> None:
    # Logits 0 and 0, token 1: d log p / dz = (-1/2, 1/2). Loss -2 log p, hidden 3: dL/dW = -2 * (∓1/2) * 3.
    weight, hidden = torch.zeros(2, 1, requires_grad=True), torch.tensor([[3.0]], requires_grad=True)
    result = fused_token_loss(hidden, torch.tensor([1]), LmHead(weight), lambda logprobs, _, __: -2 * logprobs)
    (result.loss / 4).backward()
    assert result.loss.item() == pytest.approx(2 * 0.6931472)
    assert weight.grad is not None
    assert weight.grad.tolist() == [[0.75], [-0.75]]
    assert hidden.grad is not None
    assert hidden.grad.tolist() == [[0.0]]


@given(head_cases(), st.booleans(), chunk_budgets(), st.sampled_from([1.0, 3.0, 1 / 8]), st.booleans())
def test_loss_and_gradients_are_those_of_all_logits(
    case: HeadCase, entropy: bool, chunk_mib: float | None, factor: float, frozen: bool
) -> None:
    ours, plain = case.leaves(frozen=frozen), case.leaves(frozen=frozen)
    result, loss = fused(ours, entropy=entropy, chunk_mib=chunk_mib), plain_loss(plain, entropy=entropy)
    torch.testing.assert_close(result.loss, loss, rtol=1e-12, atol=1e-12)
    (result.loss * factor).backward()
    (loss * factor).backward()
    assert len(ours.gradients) == len(plain.gradients)
    for mine, its in zip(ours.gradients, plain.gradients, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-12)
    logprobs, entropies = plain.plain()
    torch.testing.assert_close(result.logprobs, logprobs.detach().where(case.mask, 0), rtol=1e-12, atol=1e-12)
    if entropy:
        torch.testing.assert_close(result.entropies, entropies.detach().where(case.mask, 0), rtol=1e-12, atol=1e-12)


@given(head_cases(), st.booleans())
def test_float32_is_within_a_millionth_of_float64(case: HeadCase, entropy: bool) -> None:
    single, double = case.leaves(dtype=torch.float32), case.leaves()
    fused(single, entropy=entropy, chunk_mib=0.001).loss.backward()
    plain_loss(double, entropy=entropy).backward()
    for mine, its in zip(single.gradients, double.gradients, strict=True):
        allowed = 1e-6 * max(1.0, float(its.abs().max()) if its.numel() else 0.0)
        assert torch.allclose(mine.double(), its, rtol=0, atol=allowed)


@pytest.mark.parametrize("form", ["clip", "cispo_band"])
def test_the_librarys_token_losses_fit_in_and_give_what_the_whole_batch_gives(form: str) -> None:
    config = LossConfig(form=form, beta=0.1, entropy_coef=0.01, epsilon_high=0.28)  # type: ignore[arg-type]
    case = random_case((3, 20, 40, 6))
    old = case.plain()[0] + 0.3 * torch.randn(3, 20, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    ref, tokens = case.plain()[0] - 0.1, int(case.mask.sum())
    ours, plain = case.leaves(), case.leaves()
    olds, refs, gains = old[case.mask], ref[case.mask], case.advantages[case.mask]

    def of_chunk(logprobs: Tensor, entropies: Tensor | None, rows: slice) -> Tensor:
        data = {"old_logprobs": olds[rows], "ref_logprobs": refs[rows], "entropy": entropies}
        return token_losses(logprobs, gains[rows], config, **data).total / tokens

    result = fused_token_loss(
        ours.hidden, ours.ids, ours.head, of_chunk, ours.mask, entropy="gradient", chunk_mib=0.005
    )
    result.loss.backward()
    logprobs, entropies = (one[case.mask] for one in plain.plain())
    data = {"old_logprobs": olds, "ref_logprobs": refs, "entropy": entropies}
    loss = token_losses(logprobs, gains, config, **data).total.sum() / tokens
    loss.backward()
    torch.testing.assert_close(result.loss, loss, rtol=1e-12, atol=1e-12)
    for mine, its in zip(ours.gradients, plain.gradients, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-12)


def test_entropy_as_a_value_has_no_gradient() -> None:
    case = random_case(SHAPE)
    with_value, without = case.leaves(), case.leaves()
    seen = []

    def of_chunk(logprobs: Tensor, entropies: Tensor | None, rows: slice) -> Tensor:
        assert entropies is not None
        seen.append(entropies.requires_grad)
        return shares(with_value, logprobs, None, rows) + entropies

    result = fused_token_loss(
        with_value.hidden, case.ids, with_value.head, of_chunk, case.mask, entropy="value", chunk_mib=0.01
    )
    result.loss.backward()
    fused(without).loss.backward()
    assert seen
    assert not any(seen)
    for mine, its in zip(with_value.gradients, without.gradients, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-14)


def test_micro_batches_add_up_to_the_batch() -> None:
    case = random_case((6, 10, 30, 4))
    whole, parts = case.leaves(), case.leaves()
    fused(whole).loss.backward()
    for start in range(0, 6, 2):
        rows = slice(start, start + 2)
        part = HeadCase(
            parts.hidden[rows],
            parts.weight,
            None,
            case.ids[rows],
            case.mask[rows],
            case.advantages[rows],
            1.0,
            None,
            1.0,
        )
        fused(part).loss.backward()
    for mine, its in zip(parts.gradients, whole.gradients, strict=True):
        torch.testing.assert_close(mine, its, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_a_checkpointed_head_has_the_same_gradient(use_reentrant: bool) -> None:
    case = random_case(SHAPE)
    ours, plain = case.leaves(), case.leaves()

    def of(hidden: Tensor) -> Tensor:
        part = ours.leaves()
        part.hidden, part.weight = torch.tanh(hidden), ours.weight
        return fused(part).loss

    checkpoint(of, ours.hidden, use_reentrant=use_reentrant).backward()
    hidden, plain.hidden = plain.hidden, torch.tanh(plain.hidden)
    plain_loss(plain).backward()
    torch.testing.assert_close(ours.hidden.grad, hidden.grad, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(ours.weight.grad, plain.weight.grad, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("entropy", [False, True])
def test_half_precision_keeps_small_shares_and_the_scale_of_an_amp_scaler(entropy: bool) -> None:
    case = random_case((4, 64, 300, 16))
    half = case.leaves(dtype=torch.float16)
    exact = half.leaves(dtype=torch.float64)
    tokens = 1e6  # of a batch of which this is a part: shares of a millionth, which float16 rounds to 0 or 1 bit

    def of_chunk(logprobs: Tensor, entropies: Tensor | None, rows: slice) -> Tensor:
        return shares(half, logprobs, entropies, rows) / tokens

    kind = "gradient" if entropy else None
    result = fused_token_loss(half.hidden, half.ids, half.head, of_chunk, half.mask, entropy=kind, chunk_mib=0.02)
    (result.loss * 2.0**16).backward()
    (plain_loss(exact, entropy=entropy) / tokens * 2.0**16).backward()
    for mine, its in zip(half.gradients, exact.gradients, strict=True):
        assert float((mine.double() - its).norm() / its.norm()) < 0.005


def test_half_precision_holds_a_flat_distribution_over_more_tokens_than_it_can_count_to() -> None:
    # All logits 0: S = 70,000, above float16's 65,504. Loss -log p: dL/dW = (p - 1[j = id]) h, p = 1/70,000.
    weight = torch.zeros(70_000, 1, dtype=torch.float16, requires_grad=True)
    hidden = torch.ones(1, 1, dtype=torch.float16)
    fused_token_loss(hidden, torch.tensor([3]), LmHead(weight), lambda logprobs, _, __: -logprobs).loss.backward()
    assert weight.grad is not None
    assert weight.grad[3].item() == -1.0
    assert weight.grad[4].item() == pytest.approx(1 / 70_000, rel=0.01)


def test_nothing_is_made_of_the_size_of_all_logits() -> None:
    case = random_case((8, 64, 1000, 4)).leaves()
    case.mask = torch.ones_like(case.mask)
    # One buffer (rows, V) of 8 bytes an element in 0.5 MiB: 65 rows, cut to 64.
    with LargestTensor() as seen:
        fused(case, chunk_mib=0.5).loss.backward()
    assert seen.elements <= 64 * 1000


def test_the_same_batch_gives_the_same_bits() -> None:
    case = random_case((4, 32, 300, 8), softcap=5.0, bias=True)
    first, second = case.leaves(dtype=torch.float32), case.leaves(dtype=torch.float32)
    for one in (first, second):
        fused(one, entropy=True, chunk_mib=0.05).loss.backward()
    for mine, its in zip(first.gradients, second.gradients, strict=True):
        assert torch.equal(mine, its)


def test_without_gradients_the_loss_is_the_same_and_has_no_graph() -> None:
    case = random_case(SHAPE).leaves()
    with torch.no_grad():
        result = fused(case, entropy=True)
    assert not result.loss.requires_grad
    assert torch.equal(result.loss, fused(case, entropy=True).loss.detach())


def test_shares_that_do_not_depend_on_the_policy_have_no_gradient() -> None:
    case = random_case(SHAPE).leaves()
    result = fused_token_loss(
        case.hidden, case.ids, case.head, lambda logprobs, _, __: torch.ones_like(logprobs), case.mask
    )
    result.loss.backward()
    assert result.loss.item() == int(case.mask.sum())
    assert not any(one.any() for one in case.gradients)


@pytest.mark.parametrize(
    ("token_loss", "message"),
    [
        (lambda logprobs, _, __: logprobs.sum(), r"token_loss: expected shares of shape \(\d+,\), got \(\)"),
        (lambda logprobs, _, __: logprobs[:, None], "token_loss: expected shares of shape"),
    ],
)
def test_a_loss_that_is_no_share_a_token_is_refused(token_loss: object, message: str) -> None:
    case = random_case(SHAPE).leaves()
    with pytest.raises(ArgumentError, match=message):
        fused_token_loss(case.hidden, case.ids, case.head, token_loss, case.mask)  # type: ignore[arg-type]


def test_a_share_that_depends_on_another_tensor_with_a_graph_is_refused() -> None:
    case, other = random_case(SHAPE).leaves(), torch.ones((), dtype=torch.float64, requires_grad=True)
    for factor in (other, (other * 2).exp()):
        with pytest.raises(ArgumentError, match="token_loss: expected constants beside logprobs and entropies"):
            fused_token_loss(
                case.hidden, case.ids, case.head, lambda logprobs, _, __, factor=factor: factor * logprobs, case.mask
            )


def test_a_second_pass_and_a_second_derivative_are_refused() -> None:
    case = random_case(SHAPE).leaves()
    with pytest.raises(ArgumentError, match="fused_token_loss has no second derivative"):
        torch.autograd.grad(fused(case).loss, case.hidden, create_graph=True)
    loss = fused(case).loss
    loss.backward(retain_graph=True)
    with pytest.raises(ArgumentError, match="backward: expected one pass, got a second"):
        loss.backward()


def test_an_unknown_kind_of_entropy_is_refused() -> None:
    case = random_case(SHAPE)
    with pytest.raises(ArgumentError, match="entropy: expected value, gradient or None, got True"):
        fused_token_loss(case.hidden, case.ids, case.head, partial(shares, case), entropy=True)  # type: ignore[arg-type]


def test_the_values_are_those_of_selected_logprobs() -> None:
    case = random_case(SHAPE, temperature=0.7, softcap=4.0)
    logprobs, entropies = selected_logprobs(case.hidden, case.ids, case.head, case.mask, temperature=0.7, entropy=True)
    result = fused(case, entropy=True)
    assert torch.equal(result.logprobs, logprobs)
    assert result.entropies is not None
    assert entropies is not None
    assert torch.equal(result.entropies, entropies)
