from math import exp, inf, isnan, log, nan
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics.lag import LOG_RATIO_LIMIT, policy_lag
from rewardgate.errors import ArgumentError
from rewardgate.grpo.kl import kl_per_token
from rewardgate.grpo.loss import policy_loss
from rewardgate.grpo.ratios import LOG_RATIO_LIMIT as TRAINERS_LIMIT

LOGPROBS = st.floats(-8, 0)
ROLLOUTS = st.lists(
    st.tuples(st.lists(st.tuples(LOGPROBS, LOGPROBS), min_size=1, max_size=6), st.sampled_from([-1.0, 0.0, 0.5])),
    min_size=1,
    max_size=5,
)


def test_each_figure_is_its_formula() -> None:
    # x = log r of four tokens: log 2, log 1/2, 0, 0; r = 2, .5, 1, 1.
    own, sampled = [[-1.0, -1.0 - log(2)], [-3.0, -0.5]], [[-1.0 - log(2), -1.0], [-3.0, -0.5]]
    lag = policy_lag(own, sampled, advantages=[-1.0, [0.0, 1.0]])
    assert (lag.rollouts, lag.tokens, lag.unknown, lag.clamped) == (2, 4, 0, 0)
    assert lag.ratio_mean == pytest.approx(4.5 / 4)
    assert lag.ratio_max == pytest.approx(2)
    assert (lag.below, lag.above) == (0.25, 0.25)
    # The token at r = 2 has A = -1: PPO clips it nowhere. The one at r = .5 has A = -1: clipped low.
    assert (lag.clipped_low, lag.clipped_high) == (0.25, 0.0)
    assert lag.k1 == pytest.approx(0)
    assert lag.k2 == pytest.approx(2 * log(2) ** 2 / 2 / 4)
    assert lag.k3 == pytest.approx(((2 - log(2) - 1) + (0.5 + log(2) - 1)) / 4)
    assert lag.effective_share == pytest.approx(4.5**2 / (4 * (4 + 0.25 + 1 + 1)))
    assert lag.ratio.q50 == pytest.approx(1)
    # Sorted r: .5, 1, 1, 2. The 5 % point lies .15 of the way from the first to the second.
    assert lag.ratio.q05 == pytest.approx(0.5 + 0.15 * 0.5)


@given(ROLLOUTS, st.sampled_from([(0.2, 0.28), (0.0, 0.0)]))
def test_clips_and_kl_are_those_of_the_loss(rollouts: list, epsilons: tuple[float, float]) -> None:
    width = max(len(tokens) for tokens, _ in rollouts)
    own, sampled, mask = torch.zeros(3, len(rollouts), width, dtype=torch.float64)
    for row, (tokens, _) in enumerate(rollouts):
        own[row, : len(tokens)] = torch.tensor([token[0] for token in tokens])
        sampled[row, : len(tokens)] = torch.tensor([token[1] for token in tokens])
        mask[row, : len(tokens)] = 1
    counts = mask.bool()
    advantages = torch.tensor([advantage for _, advantage in rollouts], dtype=torch.float64)
    _, stats = policy_loss(own, sampled, advantages, counts, epsilon_low=epsilons[0], epsilon_high=epsilons[1])
    lag = policy_lag(
        [own[row][counts[row]].numpy() for row in range(len(rollouts))],
        [sampled[row][counts[row]].numpy() for row in range(len(rollouts))],
        advantages=advantages.tolist(),
        epsilon_low=epsilons[0],
        epsilon_high=epsilons[1],
    )
    assert lag.tokens == stats.tokens
    assert (lag.clipped_low, lag.clipped_high) == pytest.approx((stats.clipped_low, stats.clipped_high))
    assert (lag.ratio_mean, lag.ratio_max) == pytest.approx((stats.ratio_mean, stats.ratio_max))
    for name in ("k1", "k2", "k3"):
        # The sampler is the policy whose tokens these are; the trainer stands where a reference would.
        peer = kl_per_token(sampled, own, estimator=name)[counts].mean().item()
        assert getattr(lag, name) == pytest.approx(peer, abs=1e-12)


def test_the_limit_of_log_ratios_is_the_trainers() -> None:
    assert LOG_RATIO_LIMIT == TRAINERS_LIMIT
    lag = policy_lag([[0.0, -inf, -1.0]], [[-25.0, -1.0, -1.0]])
    assert lag.clamped == 2
    assert lag.ratio_max == pytest.approx(exp(20))


def test_what_is_unknown_is_counted_and_is_in_no_figure() -> None:
    known = policy_lag([[-1.0, -2.0]], [[-1.5, -2.0]], advantages=[1.0])
    more = policy_lag(
        [[-1.0, nan, -2.0], None, [-1.0, -1.0], [-inf]],
        [[-1.5, -1.0, -2.0], [-1.0, -1.0], None, [-inf]],
        advantages=[1.0, 1.0, None, -1.0],
    )
    assert (more.tokens, more.unknown, more.rollouts) == (2, 6, 1)
    for name in ("ratio", "ratio_mean", "above", "clipped_high", "k1", "k3", "effective_share"):
        assert getattr(more, name) == getattr(known, name)


def test_tokens_without_an_advantage_are_in_no_clipped_share() -> None:
    lag = policy_lag([[0.0], [0.0]], [[-1.0], [-1.0]], advantages=[1.0, None])
    assert (lag.above, lag.clipped_high) == (1.0, 1.0)
    alone = policy_lag([[0.0]], [[-1.0]])
    assert alone.above == 1.0
    assert isnan(alone.clipped_high)
    assert isnan(alone.clipped_low)


def test_nothing_known_is_nan_and_never_0() -> None:
    lag = policy_lag([None, [nan]], [[-1.0], [-1.0]])
    assert (lag.tokens, lag.unknown, lag.rollouts) == (0, 2, 0)
    assert all(isnan(value) for value in (*lag.ratio, lag.ratio_mean, lag.above, lag.k2, lag.effective_share))


def test_k3_keeps_its_digits_where_the_policies_nearly_agree() -> None:
    assert policy_lag([[-1.0]], [[-1.0 - 1e-7]]).k3 == pytest.approx(5e-15, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[-1.0]], []), {}, r"rollout_logprobs: expected one entry a rollout \(1\), got 0"),
        (([[-1.0]], [[-1.0, -1.0]]), {}, "logprobs: expected 2 tokens as sampled, got 1 in row 0"),
        (([[0.5]], [[-1.0]]), {}, "logprobs: expected log-probabilities, at most 0, got 0.5 in row 0"),
        (([[-1.0]], [[[-1.0]]]), {}, r"rollout_logprobs: expected shape \(T,\), got \(1, 1\) in row 0"),
        (([[-1.0]], [[-1.0]]), {"advantages": []}, r"advantages: expected one entry a rollout \(1\), got 0"),
        (
            ([[-1.0]], [[-1.0]]),
            {"advantages": [[1.0, 1.0]]},
            r"advantages: expected a number or shape \(1,\), got \(2,\) in row 0",
        ),
        (([[-1.0]], [[-1.0]]), {"epsilon_low": -0.1}, "epsilon_low: expected a number of at least 0, got -0.1"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        policy_lag(*arguments, **options)


def test_the_spread_of_ratios_is_what_lag_shows() -> None:
    # Sampled from p = .5, trained to q: the mean of r over samples is 1 whatever q; the effective share falls.
    generator = np.random.default_rng(0)
    heads = generator.random(20_000) < 0.5
    lags = [policy_lag([np.where(heads, log(q), log(1 - q))], [np.full(20_000, log(0.5))]) for q in (0.5, 0.6, 0.8)]
    assert [lag.ratio_mean for lag in lags] == pytest.approx([1, 1, 1], abs=0.02)
    # E r = 1 and E r^2 = (q^2 + (1-q)^2) * 2: .5 / (q^2 + (1-q)^2).
    assert [lag.effective_share for lag in lags] == pytest.approx([1, 0.5 / 0.52, 0.5 / 0.68], abs=0.02)
    # KL(p || q) = -log(4 q (1 - q)) / 2.
    assert [lag.k3 for lag in lags] == pytest.approx([0, -log(0.96) / 2, -log(0.64) / 2], abs=0.01)
