import math

import pytest
import torch
from small_models import small_model
from spelled_tokens import PAD, Spelled

from rewardgate.errors import ArgumentError
from rewardgate.grpo.ratios import importance_weights
from rewardgate.training import Sampling
from rewardgate.training.generation import HfGenerator, sampler_mismatch


def logprobs_of(options: dict[str, float]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The trainer's log-probabilities of 200 completions, the sampler's, and the mask."""
    model = small_model("Qwen2", initializer_range=0.3)
    sampling = Sampling(max_tokens=10, **options)  # pyright: ignore[reportArgumentType]
    (found,) = HfGenerator(model, Spelled(), forbidden_ids=[]).generate([[1, 5]], [200], sampling, seed=0)
    shape = (len(found), 10)
    old, rollout, mask = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape, dtype=torch.bool)
    with torch.no_grad():
        for row, sampled in enumerate(found):
            count = len(sampled.token_ids)
            ids = torch.tensor([[1, 5, *sampled.token_ids]])
            scores = (model(ids).logits[0, 1:-1] / sampling.temperature).log_softmax(-1)
            old[row, :count] = scores.gather(1, ids[0, 2:, None])[:, 0]
            rollout[row, :count] = torch.tensor(sampled.logprobs)
            mask[row, :count] = True
    return old, rollout, mask


def test_the_figures_are_those_of_a_worked_case() -> None:
    # w: 1, 1/2, 4; the fourth token does not count. Capped at 2: 1, 1/2, 2.
    old = torch.tensor([[0.5, 0.25, 0.8, float("nan")]]).log()
    rollout = torch.tensor([[0.5, 0.5, 0.2, 0.5]]).log()
    found = sampler_mismatch(old, rollout, torch.tensor([[True, True, True, False]]))
    assert found.tokens == 3
    assert found.max_difference == pytest.approx(math.log(4))
    assert found.mean_difference == pytest.approx((math.log(2) + math.log(4)) / 3)
    assert found.kept_mass == pytest.approx(5.5 / 3)
    assert found.capped == pytest.approx(1 / 3)
    assert found.effective_share == pytest.approx(3.5**2 / (3 * 5.25))


def test_a_sampler_that_cuts_nothing_off_draws_from_what_the_trainer_reproduces() -> None:
    found = sampler_mismatch(*logprobs_of({"temperature": 1.3}))
    assert found.max_difference < 1e-5
    assert found.kept_mass == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("options", [{"top_p": 0.7}, {"top_k": 5}])
def test_what_is_cut_off_is_measured_and_every_weight_is_the_mass_that_is_kept(options: dict[str, float]) -> None:
    old, rollout, mask = logprobs_of(options)
    found = sampler_mismatch(old, rollout, mask)
    weights = importance_weights(old, rollout, mask)[mask]
    assert 0.1 < found.kept_mass < 0.95
    assert found.kept_mass == pytest.approx(weights.mean().item(), rel=1e-5)
    assert (weights <= 1 + 1e-5).all()  # one-sided: no weight is ever capped
    assert found.capped == 0
    if "top_p" in options:
        assert (weights >= 0.7 - 1e-5).all()


def test_a_forbidden_token_counts_as_cut_off() -> None:
    # Of 61 tokens about as likely as each other, one is forbidden: about 60/61 is kept.
    model = small_model("Qwen2")
    (found,) = HfGenerator(model, Spelled(), forbidden_ids=[PAD]).generate([[1]], [50], Sampling(max_tokens=1), seed=0)
    ids = torch.tensor([[sampled.token_ids[0]] for sampled in found])
    with torch.no_grad():
        old = model(torch.tensor([[1]])).logits[0, -1].log_softmax(-1)[ids]
    rollout = torch.tensor([sampled.logprobs for sampled in found])
    measured = sampler_mismatch(old, rollout, torch.ones_like(ids, dtype=torch.bool))
    assert measured.kept_mass == pytest.approx(60 / 61, abs=5e-3)


def test_of_no_token_nothing_is_known() -> None:
    found = sampler_mismatch(torch.zeros(1, 2), torch.zeros(1, 2), torch.zeros(1, 2, dtype=torch.bool))
    assert found.tokens == 0
    assert math.isnan(found.kept_mass)


def test_a_counted_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ArgumentError, match="rollout_logprobs: expected finite numbers where completion_mask is True"):
        sampler_mismatch(torch.zeros(1, 1), torch.full((1, 1), float("-inf")), torch.ones(1, 1, dtype=torch.bool))
