"""The clipped policy loss: literal ratios, an independent loop, and what padding and micro-batches may not change."""

from math import exp, isnan, log, nan

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo import LossConfig, loss_normalizer, merge_loss_stats, policy_loss

T64 = torch.float64


def one_token(probability: float, old: float, advantage: float, **options: float) -> tuple[float, float]:
    """Loss and its gradient with respect to log π of a batch of one token."""
    logprobs = torch.tensor([[log(probability)]], dtype=T64, requires_grad=True)
    old_logprobs = torch.tensor([[log(old)]], dtype=T64)
    loss, _ = policy_loss(
        logprobs, old_logprobs, torch.tensor([advantage], dtype=T64), torch.tensor([[True]]), **options
    )
    loss.backward()
    assert logprobs.grad is not None
    return loss.item(), logprobs.grad.item()


def loss_by_loop(
    logprobs: list[list[float]],
    old: list[list[float]],
    advantages: list[list[float]],
    mask: list[list[bool]],
    low: float,
    high: float,
    dual: float | None,
    reduction: str,
) -> float:
    """The formula, token by token, in plain Python."""
    rows: list[list[float]] = []
    for new_row, old_row, advantage_row, mask_row in zip(logprobs, old, advantages, mask, strict=True):
        row: list[float] = []
        for new, then, advantage, counts in zip(new_row, old_row, advantage_row, mask_row, strict=True):
            if not counts:
                continue
            ratio = exp(min(max(new - then, -20.0), 20.0))
            loss = max(-advantage * ratio, -advantage * min(max(ratio, 1 - low), 1 + high))
            if dual is not None and advantage < 0:
                loss = min(loss, -dual * advantage)
            row.append(loss)
        rows.append(row)
    tokens = sum(len(row) for row in rows)
    if reduction == "token_mean":
        return sum(map(sum, rows)) / max(tokens, 1)
    if reduction == "sequence_mean":
        return sum(sum(row) / len(row) for row in rows if row) / max(sum(bool(row) for row in rows), 1)
    return sum(map(sum, rows)) / 100.0


@st.composite
def batches(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """logprobs, old_logprobs, advantages (B, T) and mask, in float64; rows without a token included."""
    b, t = draw(st.integers(1, 4)), draw(st.integers(1, 5))

    def grid(low: float, high: float) -> Tensor:
        return torch.from_numpy(draw(arrays(np.float64, (b, t), elements=st.floats(low, high))))

    new, advantages = grid(-30, 0), grid(-3, 3)
    # Mostly near the old policy, where the clip range is, sometimes far from it.
    shift = grid(-0.6, 0.6) if draw(st.booleans()) else grid(-25, 25)
    mask = torch.from_numpy(draw(arrays(np.bool_, (b, t))))
    return new, new - shift, advantages, mask


# π_old = 0.05. Ratios: 0.06 / 0.05 = 1.2, on the boundary of ε = 0.2; 0.10 / 0.05 = 2, beyond it.
# A > 0: -A r on the boundary, with gradient -A r = -1.2; beyond it -1.2 A, with none.
# A < 0: -A r = 1.2 and 2, with gradients 1.2 and 2: the clip never protects a token that is pushed down upwards.
@pytest.mark.parametrize(
    ("probability", "advantage", "loss", "gradient"),
    [(0.06, 1.0, -1.2, -1.2), (0.10, 1.0, -1.2, 0.0), (0.06, -1.0, 1.2, 1.2), (0.10, -1.0, 2.0, 2.0)],
)
def test_a_token_at_a_ratio_of_one_fifth_more_and_of_two(
    probability: float, advantage: float, loss: float, gradient: float
) -> None:
    assert one_token(probability, 0.05, advantage) == pytest.approx((loss, gradient), abs=1e-12)


# Ratios 0.8 (on the boundary) and 0.5. A > 0: max(-r, -clip(r)): -0.8 and -0.5, gradient -r.
# A < 0: max(r, clip(r)): 0.8 on the boundary, then 0.8 with no gradient.
@pytest.mark.parametrize(
    ("probability", "advantage", "loss", "gradient"),
    [(0.04, 1.0, -0.8, -0.8), (0.025, 1.0, -0.5, -0.5), (0.025, -1.0, 0.8, 0.0)],
)
def test_a_token_that_has_become_rarer(probability: float, advantage: float, loss: float, gradient: float) -> None:
    assert one_token(probability, 0.05, advantage) == pytest.approx((loss, gradient), abs=1e-12)


def test_a_higher_upper_bound_frees_rising_tokens_only() -> None:
    # r = 1.26: clipped at 1.2 with ε_high = 0.2, free with 0.28; with A < 0 neither matters.
    assert one_token(0.063, 0.05, 1.0) == pytest.approx((-1.2, 0.0))
    assert one_token(0.063, 0.05, 1.0, epsilon_high=0.28) == pytest.approx((-1.26, -1.26))
    assert one_token(0.063, 0.05, -1.0, epsilon_high=0.28) == pytest.approx((1.26, 1.26))


def test_dual_clip_bounds_what_a_token_with_negative_advantage_costs() -> None:
    # r = 4, A = -0.5: -A r = 2 without a bound; c |A| = 3 * 0.5 = 1.5 with it, and no gradient.
    assert one_token(0.2, 0.05, -0.5) == pytest.approx((2.0, 2.0))
    assert one_token(0.2, 0.05, -0.5, dual_clip=3.0) == pytest.approx((1.5, 0.0))
    # r = 2 is below c, and A > 0 is never touched.
    assert one_token(0.1, 0.05, -0.5, dual_clip=3.0) == pytest.approx((1.0, 1.0))
    assert one_token(0.2, 0.05, 0.5, dual_clip=3.0) == one_token(0.2, 0.05, 0.5)


def test_a_zero_advantage_has_no_gradient_whatever_the_ratio_and_the_clip() -> None:
    for probability in (0.01, 0.05, 0.3):
        assert one_token(probability, 0.05, 0.0, epsilon_low=1.0, epsilon_high=100.0) == (0.0, 0.0)


@given(
    batches(),
    st.sampled_from([(0.2, 0.2, None), (0.2, 0.28, 3.0), (0.0, 0.0, 1.5)]),
    st.sampled_from(["token_mean", "sequence_mean", "constant"]),
)
def test_the_loss_is_that_of_a_loop_over_tokens(
    batch: tuple[Tensor, Tensor, Tensor, Tensor], clip: tuple[float, float, float | None], reduction: str
) -> None:
    low, high, dual = clip
    loss, _ = policy_loss(
        *batch,
        epsilon_low=low,
        epsilon_high=high,
        dual_clip=dual,
        reduction=reduction,
        normalizer=100.0 if reduction == "constant" else None,
    )
    expected = loss_by_loop(*(tensor.tolist() for tensor in batch), low, high, dual, reduction)
    assert loss.item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(batches(), st.sampled_from(["token_mean", "sequence_mean", "constant"]), st.integers(0, 3), st.booleans())
def test_padding_never_changes_the_loss_or_its_gradient_whatever_it_holds(
    batch: tuple[Tensor, Tensor, Tensor, Tensor], reduction: str, columns: int, with_reference: bool
) -> None:
    options = {"reduction": reduction, "normalizer": 50.0 if reduction == "constant" else None}

    def loss_and_gradient(
        new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, ref: Tensor
    ) -> tuple[Tensor, Tensor]:
        new = new.clone().requires_grad_()
        kl = {"beta": 0.1, "ref_logprobs": ref} if with_reference else {}
        loss, _ = policy_loss(new, old, advantages, mask, **options, **kl)
        loss.backward()
        assert new.grad is not None
        return loss, new.grad

    new, old, advantages, mask = batch
    plain, gradient = loss_and_gradient(new, old, advantages, mask, old)

    def padded(tensor: Tensor, filler: float) -> Tensor:
        tensor = tensor.where(mask, filler)
        return torch.cat([tensor, torch.full((len(tensor), columns), filler, dtype=tensor.dtype)], dim=1)

    wider = torch.cat([mask, torch.zeros(len(mask), columns, dtype=torch.bool)], dim=1)
    dirty = [padded(new, -torch.inf), padded(old, -torch.inf), padded(advantages, nan), wider, padded(old, nan)]
    again, wide = loss_and_gradient(*dirty)
    # Equal up to the order in which a wider row is summed.
    torch.testing.assert_close(again, plain, rtol=1e-12, atol=1e-12)
    assert torch.equal(wide[:, : mask.shape[1]], gradient)
    assert not wide[~wider].any()


@given(batches(), st.sampled_from(["token_mean", "sequence_mean", "constant"]), st.integers(1, 3))
def test_splitting_a_batch_never_changes_the_sum_of_losses_or_the_gradient(
    batch: tuple[Tensor, Tensor, Tensor, Tensor], reduction: str, size: int
) -> None:
    new, old, advantages, mask = batch
    normalizer = 100 if reduction == "constant" else loss_normalizer(mask, reduction=reduction)
    options = {"reduction": reduction, "normalizer": normalizer, "beta": 0.05, "dual_clip": 3.0}
    whole = new.clone().requires_grad_()
    loss, stats = policy_loss(whole, old, advantages, mask, ref_logprobs=old, **options)
    loss.backward()
    parts = new.clone().requires_grad_()
    records, total = [], 0.0
    for start in range(0, len(new), size):
        rows = slice(start, start + size)
        part, record = policy_loss(
            parts[rows], old[rows], advantages[rows], mask[rows], ref_logprobs=old[rows], **options
        )
        part.backward()
        records.append(record)
        total += part.item()
    assert total == pytest.approx(loss.item(), rel=1e-12, abs=1e-12)
    torch.testing.assert_close(parts.grad, whole.grad, rtol=1e-12, atol=1e-12)
    merged = merge_loss_stats(records)
    assert merged.ratios == stats.ratios
    assert merged.figures() == pytest.approx(stats.figures(), rel=1e-9, abs=1e-12, nan_ok=True)


@given(batches())
def test_one_advantage_a_row_is_the_same_as_one_a_token(batch: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    new, old, advantages, mask = batch
    by_row, _ = policy_loss(new, old, advantages[:, 0], mask)
    by_token, _ = policy_loss(new, old, advantages[:, :1].expand_as(new), mask)
    assert by_row.item() == by_token.item()


@pytest.mark.parametrize("reduction", ["token_mean", "sequence_mean", "constant"])
@pytest.mark.parametrize("shape", [(2, 3), (2, 0), (0, 3)])
def test_a_batch_without_a_counted_token_has_loss_zero_and_a_graph(reduction: str, shape: tuple[int, int]) -> None:
    logprobs = torch.full(shape, -torch.inf, requires_grad=True)
    mask = torch.zeros(shape, dtype=torch.bool)
    for normalizer in (1000, 0) if reduction == "constant" else (None, 1000, 0):
        loss, stats = policy_loss(
            logprobs,
            logprobs.detach(),
            torch.full(shape, nan),
            mask,
            reduction=reduction,
            normalizer=normalizer,
            beta=0.1,
            ref_logprobs=torch.full(shape, nan),
        )
        (gradient,) = torch.autograd.grad(loss, logprobs)
        assert loss.item() == 0.0
        assert not gradient.any()
        assert (stats.tokens, stats.rows, stats.clamped) == (0, 0, 0)
        assert isnan(stats.ratio_max)
        assert isnan(stats.clipped_low)


def test_a_log_ratio_beyond_twenty_is_clamped_counted_and_has_no_gradient() -> None:
    logprobs = torch.tensor([[-1.0, -200.0, -1.0]], requires_grad=True)
    old = torch.tensor([[-200.0, -1.0, -1.0]])
    loss, stats = policy_loss(logprobs, old, torch.tensor([-1.0]), torch.ones(1, 3, dtype=torch.bool))
    loss.backward()
    assert stats.clamped == 2
    assert stats.ratio_max == pytest.approx(exp(20.0), rel=1e-6)
    assert logprobs.grad is not None
    assert torch.isfinite(loss)
    assert logprobs.grad[0, :2].tolist() == [0.0, 0.0]


def test_the_record_counts_each_kind_of_clipping_over_counted_tokens() -> None:
    # Ratios 0.5, 2, 2, 4, 1 and one outside the mask; advantages by token.
    ratios = torch.tensor([[0.5, 2.0, 2.0, 4.0, 1.0, 9.0]])
    advantages = torch.tensor([[-1.0, 1.0, -1.0, -1.0, 1.0, 1.0]])
    mask = torch.tensor([[True, True, True, True, True, False]])
    _, stats = policy_loss(ratios.log(), torch.zeros(1, 6), advantages, mask, dual_clip=3.0)
    assert (stats.rows, stats.tokens) == (1, 5)
    assert (stats.clipped_low, stats.clipped_high, stats.clipped_dual) == pytest.approx((0.2, 0.2, 0.2))
    assert (stats.ratio_mean, stats.ratio_max) == pytest.approx((9.5 / 5, 4.0))
    assert isnan(stats.kl)
    assert isnan(stats.truncated)
    # -(-0.8) [clipped], -1.2 [clipped], 2, 3 [dual], -1: 4.0 - 0.4... summed: 0.8 - 1.2 + 2 + 3 - 1 = 3.6
    assert stats.loss == pytest.approx(3.6 / 5)
    assert stats.policy_loss == stats.loss


def test_old_logprobs_left_out_are_those_of_the_policy_itself() -> None:
    logprobs = torch.tensor([[-1.0, -2.0]], requires_grad=True)
    advantages, mask = torch.tensor([2.0]), torch.ones(1, 2, dtype=torch.bool)
    loss, stats = policy_loss(logprobs, None, advantages, mask)
    (gradient,) = torch.autograd.grad(loss, logprobs)
    same, _ = policy_loss(logprobs, logprobs.detach(), advantages, mask)
    assert loss.item() == same.item() == -2.0
    assert gradient.tolist() == [[-1.0, -1.0]]  # -A / tokens
    assert stats.ratio_max == 1.0


def test_the_kl_is_in_the_loss_with_its_own_gradient_and_only_logged_without_beta() -> None:
    logprobs = torch.tensor([[-1.0]], dtype=T64, requires_grad=True)
    ref, mask, none = torch.tensor([[-1.5]], dtype=T64), torch.ones(1, 1, dtype=torch.bool), torch.zeros(1, dtype=T64)
    # x = -0.5: k3 = exp(-0.5) + 0.5 - 1, its gradient 1 - exp(-0.5); k2 = 0.125 with gradient 0.5.
    for kl, value, slope in (("k3", exp(-0.5) - 0.5, 1 - exp(-0.5)), ("k2", 0.125, 0.5)):
        loss, stats = policy_loss(logprobs, None, none, mask, beta=0.1, kl=kl, ref_logprobs=ref)
        (gradient,) = torch.autograd.grad(loss, logprobs)
        assert loss.item() == pytest.approx(0.1 * value, abs=1e-15)
        assert gradient.item() == pytest.approx(0.1 * slope, abs=1e-15)
        assert (stats.kl, stats.kl_loss, stats.policy_loss) == pytest.approx((value, 0.1 * value, 0.0))
    loss, stats = policy_loss(logprobs, None, none, mask, ref_logprobs=ref)
    (gradient,) = torch.autograd.grad(loss, logprobs)
    assert (loss.item(), gradient.item()) == (0.0, 0.0)
    assert stats.kl == pytest.approx(exp(-0.5) - 0.5)


def test_a_zero_advantage_row_still_feels_the_kl() -> None:
    logprobs = torch.tensor([[-1.0, -1.0]], requires_grad=True)
    loss, _ = policy_loss(
        logprobs, None, torch.zeros(1), torch.ones(1, 2, dtype=torch.bool), beta=1.0, ref_logprobs=logprobs.detach() - 1
    )
    loss.backward()
    assert logprobs.grad is not None
    assert (logprobs.grad > 0).all()


def test_the_samplers_mismatch_is_corrected_once_by_weights_or_by_the_ratio() -> None:
    new = torch.tensor([[0.06]]).log()
    old, rollout = torch.tensor([[0.05]]).log(), torch.tensor([[0.04]]).log()
    advantage, mask = torch.tensor([1.0]), torch.ones(1, 1, dtype=torch.bool)
    # Against old: r = 1.2, weighted by 0.05 / 0.04 = 1.25. Against rollout: r = 1.5, clipped at 1.2 or free.
    weighted, stats = policy_loss(new, old, advantage, mask, rollout_logprobs=rollout)
    assert weighted.item() == pytest.approx(-1.5)
    assert stats.truncated == 0.0
    capped, stats = policy_loss(new, old, advantage, mask, rollout_logprobs=rollout, importance_cap=1.1)
    assert capped.item() == pytest.approx(-1.32)
    assert stats.truncated == 1.0
    direct, stats = policy_loss(new, old, advantage, mask, rollout_logprobs=rollout, ratio_against="rollout")
    assert direct.item() == pytest.approx(-1.2)
    assert stats.ratio_mean == pytest.approx(1.5)
    unread, _ = policy_loss(new, None, advantage, mask, rollout_logprobs=rollout, ratio_against="rollout")
    assert unread.item() == direct.item()


def test_weights_a_sequence_multiply_every_token_of_the_row() -> None:
    old = torch.zeros(2, 2, dtype=T64)
    # Ratios to the sampler 2 and 1.5: their product 3, cut to 2.5; 0.5 and 0.8: 0.4. Tokens that do not count do not.
    rollout = -torch.tensor([[2.0, 1.5], [0.5, 0.8]], dtype=T64).log()
    mask, advantages = torch.ones(2, 2, dtype=torch.bool), torch.tensor([1.0, 1.0], dtype=T64)
    options = {"rollout_logprobs": rollout, "importance": "sequence", "importance_cap": 2.5}
    loss, stats = policy_loss(old, old, advantages, mask, **options)
    assert loss.item() == pytest.approx(-(2 * 2.5 + 2 * 0.4) / 4)
    assert stats.truncated == 0.5
    mask[0, 1] = False
    loss, _ = policy_loss(old, old, advantages, mask, **options)
    assert loss.item() == pytest.approx(-(2.0 + 2 * 0.4) / 3)


def test_the_entropy_bonus_has_the_entropys_gradient_and_is_only_logged_without_a_coefficient() -> None:
    logprobs = torch.tensor([[-1.0, -1.0]], dtype=T64)
    entropy = torch.tensor([[0.5, nan]], dtype=T64, requires_grad=True)
    mask, nothing = torch.tensor([[True, False]]), torch.zeros(1, dtype=T64)
    loss, stats = policy_loss(logprobs, None, nothing, mask, entropy=entropy, entropy_coef=0.1)
    (gradient,) = torch.autograd.grad(loss, entropy)
    assert loss.item() == pytest.approx(-0.05)
    assert gradient.tolist() == [[-0.1, 0.0]]
    assert (stats.entropy, stats.entropy_loss) == pytest.approx((0.5, -0.05))
    loss, stats = policy_loss(logprobs, None, nothing, mask, entropy=entropy)
    assert (loss.item(), loss.requires_grad, stats.entropy) == (0.0, False, 0.5)


def test_the_kl_may_be_left_out_in_rows_of_degenerate_groups_and_only_there() -> None:
    logprobs = torch.tensor([[-1.0], [-1.0]], dtype=T64, requires_grad=True)
    ref, mask = logprobs.detach() - 1, torch.ones(2, 1, dtype=torch.bool)
    options = {"beta": 0.1, "kl": "k2", "ref_logprobs": ref, "degenerate": torch.tensor([True, False])}
    for is_kept, expected in ((True, [[0.05], [0.05]]), (False, [[0.0], [0.05]])):
        loss, _ = policy_loss(logprobs, None, torch.zeros(2, dtype=T64), mask, kl_on_degenerate=is_kept, **options)
        (gradient,) = torch.autograd.grad(loss, logprobs)  # beta (log π - log π_ref) / tokens = 0.1 / 2
        assert gradient.tolist() == expected


def test_a_budget_of_tokens_divides_by_rows_times_that() -> None:
    # Two rows, one of them without a token; a budget of 5: -2 / (2 * 5).
    mask = torch.tensor([[True, True], [False, False]])
    given = (torch.zeros(2, 2), None, torch.tensor([1.0, 1.0]), mask)
    loss, _ = policy_loss(*given, reduction="constant", completion_budget=5)
    assert loss.item() == pytest.approx(-0.2)


def test_a_configuration_and_its_options_say_the_same_and_options_win() -> None:
    new, old = torch.tensor([[0.10]]).log(), torch.tensor([[0.05]]).log()
    given = (new, old, torch.tensor([1.0]), torch.ones(1, 1, dtype=torch.bool))
    by_config, _ = policy_loss(*given, config=LossConfig(epsilon_high=0.28))
    by_option, _ = policy_loss(*given, epsilon_high=0.28)
    changed, _ = policy_loss(*given, config=LossConfig(epsilon_high=0.28), epsilon_high=0.5)
    assert by_config.item() == by_option.item() == pytest.approx(-1.28)
    assert changed.item() == pytest.approx(-1.5)


def test_half_precision_log_probabilities_are_widened() -> None:
    logprobs = torch.tensor([[-1.0, -2.0]], dtype=torch.bfloat16, requires_grad=True)
    loss, _ = policy_loss(logprobs, None, torch.tensor([1.0]), torch.ones(1, 2, dtype=torch.bool))
    loss.backward()
    assert loss.dtype == torch.float32
    assert logprobs.grad is not None
    assert logprobs.grad.dtype == torch.bfloat16


ONES = torch.ones(2, 3)
MASK = torch.ones(2, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"logprobs": torch.ones(6)}, r"logprobs: expected shape \(B, T\), got \(6,\)"),
        ({"old_logprobs": torch.ones(2, 4)}, r"old_logprobs: expected shape \(2, 3\) as logprobs, got \(2, 4\)"),
        ({"advantages": torch.ones(3)}, r"advantages: expected shape \(2,\) or \(2, 3\), got \(3,\)"),
        ({"advantages": torch.ones(2, 1)}, r"advantages: expected shape \(2,\) or \(2, 3\), got \(2, 1\)"),
        ({"completion_mask": ONES}, "completion_mask: expected dtype bool, got float32"),
        ({"completion_mask": MASK[:1]}, r"completion_mask: expected shape \(2, 3\) as logprobs, got \(1, 3\)"),
        ({"advantages": torch.tensor([1.0, nan])}, "advantages: expected finite numbers where .* got nan at 1, 0"),
        ({"logprobs": -ONES / 0}, "logprobs: expected finite numbers where completion_mask is True, got -inf at 0, 0"),
        ({"epsilonlow": 0.1}, r"epsilonlow: expected an option of the loss \(beta, .*\)"),
        ({"degenerate": MASK}, r"degenerate: expected shape \(2,\), one a row of logprobs, got \(2, 3\)"),
        (
            {"beta": 0.1, "ref_logprobs": ONES, "kl_on_degenerate": False},
            "degenerate: expected a tensor with kl_on_degenerate=False, got None",
        ),
        ({"entropy_coef": 0.1}, "entropy: expected a tensor with entropy_coef = 0.1, got None"),
        ({"entropy": ONES[:1]}, r"entropy: expected shape \(2, 3\) as logprobs, got \(1, 3\)"),
        ({"importance": "token"}, 'rollout_logprobs: expected a tensor with importance="token", got None'),
        ({"epsilon_low": 1.5}, r"epsilon_low: expected a number in \[0, 1\], got 1.5"),
        ({"epsilon_high": nan}, "epsilon_high: expected a number of at least 0, got nan"),
        ({"dual_clip": 1.0}, "dual_clip: expected a number above 1 or None, got 1.0"),
        ({"reduction": "mean"}, "reduction: expected one of token_mean, sequence_mean, constant, got 'mean'"),
        ({"reduction": "constant"}, 'normalizer: expected a number with reduction "constant", got None'),
        ({"normalize_over": "kept"}, 'normalizer: expected a number with normalize_over="kept", got None'),
        ({"normalizer": -1}, "normalizer: expected a positive number, got -1"),
        ({"normalizer": 0}, "normalizer: expected a positive number where tokens count, got 0"),
        ({"beta": -0.1}, "beta: expected a number of at least 0, got -0.1"),
        ({"beta": 0.1}, "ref_logprobs: expected a tensor with beta = 0.1, got None"),
        ({"beta": 0.1, "ref_logprobs": ONES, "kl": "k1"}, "kl: expected k2 or k3 in the loss, got 'k1'; .*kl_reward"),
        ({"kl": "k4"}, "kl: expected k2 or k3, got 'k4'"),
        ({"ratio_against": "new"}, "ratio_against: expected one of old, rollout, got 'new'"),
        ({"ratio_against": "rollout"}, 'rollout_logprobs: expected a tensor with ratio_against="rollout", got None'),
        ({"importance_cap": 2.0}, "rollout_logprobs: expected a tensor with importance_cap, got None"),
        ({"rollout_logprobs": ONES, "importance_cap": 0.0}, "importance_cap: expected a positive number, got 0.0"),
        (
            {"rollout_logprobs": ONES, "ratio_against": "rollout", "importance_cap": 2.0},
            'importance_cap: expected None with ratio_against="rollout", got 2.0; .* twice',
        ),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(change: dict[str, object], message: str) -> None:
    given = {"logprobs": ONES, "old_logprobs": ONES, "advantages": ONES[:, 0], "completion_mask": MASK, **change}
    with pytest.raises(ArgumentError, match=message):
        policy_loss(**given)
