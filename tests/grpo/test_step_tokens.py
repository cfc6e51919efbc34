"""Steps and tokens: counting, spreading, and what padding names."""

import torch
from gated_rollouts import Stepped, rollout_batches, tensors_of
from hypothesis import given

from rewardgate.grpo.step_tokens import count_step_tokens, spread_over_tokens


@given(rollout_batches())
def test_every_counted_token_is_counted_for_its_step_and_takes_its_advantage(rollouts: list[Stepped]) -> None:
    batch = tensors_of(rollouts, columns=2, filler=7)
    ids, mask = batch["step_ids"], batch["completion_mask"]
    n_steps = batch["step_rewards"].shape[1]
    counts = count_step_tokens(ids, mask, n_steps).tolist()
    by_step = torch.arange(1.0, 1 + len(rollouts) * n_steps).reshape(len(rollouts), n_steps)
    by_row = torch.full((len(rollouts),), -1.0)
    takes = torch.tensor([rollout.group == 0 for rollout in rollouts])
    spread = spread_over_tokens(by_row, by_step, takes, ids, mask).tolist()
    for k, rollout in enumerate(rollouts):
        own = rollout.token_steps
        assert counts[k] == [own.count(step) for step in range(n_steps)]
        expected = [by_step[k, step].item() if step >= 0 else 0.0 for step in own] if takes[k] else [-1.0] * len(own)
        assert spread[k] == expected + [0.0] * (ids.shape[1] - len(own))


def test_the_result_has_the_dtype_of_the_rows_advantages() -> None:
    ids, mask = torch.zeros(1, 2, dtype=torch.int32), torch.ones(1, 2, dtype=torch.bool)
    for dtype in (torch.float16, torch.float32, torch.float64):
        by_row, by_step = torch.ones(1, dtype=dtype), torch.ones(1, 1, dtype=torch.float64)
        assert spread_over_tokens(by_row, by_step, torch.tensor([True]), ids, mask).dtype is dtype
