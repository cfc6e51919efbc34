from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_prms import plain_tokenizer
from tiny_runs import PROMPTS, tiny_config

from rewardgate.diagnostics import PromptPools
from rewardgate.errors import ArgumentError, RewardgateError
from rewardgate.rollouts import Group, Rollout
from rewardgate.training.groups.judging import JudgedGroup
from rewardgate.training.step.crediting import Credited, Crediting

LENGTHS = (4, 6, 2, 5)


def judged(number: int, rewards: Sequence[float | None], lengths: Sequence[int] = LENGTHS) -> JudgedGroup:
    """A group of the prompt of that number; its last completion is cut off."""
    prompt = PROMPTS[number]
    rows = [
        Rollout(
            prompt_id=prompt.prompt_id,
            response="12345678"[:length],
            rewards={"outcome": reward},
            reward_name="outcome",
            truncated=place == len(rewards) - 1,
            n_tokens=length,
            policy_version=place,
            token_ids=np.arange(length) + 1,
            rollout_logprobs=-np.arange(length, dtype=np.float64),
        )
        for place, (reward, length) in enumerate(zip(rewards, lengths, strict=False))
    ]
    ready = type(prompt)(prompt.prompt_id, prompt.prompt, prompt.target, (7, 8))
    return JudgedGroup(ready, Group(group_id=f"g{number}", rollouts=tuple(rows)))


def crediting(pools: PromptPools | None = None, **signal: Any) -> Crediting:
    config = tiny_config(Path("run"), signal=signal)
    known = PromptPools([one.prompt_id for one in PROMPTS]) if pools is None else pools
    return Crediting(config, None, plain_tokenizer(), known)


def of_rows(credited: Credited) -> list[float]:
    """The advantage of every row, that of its first token."""
    return credited.result.advantages[:, 0].tolist()


def test_a_batch_is_what_was_sampled() -> None:
    groups = [judged(0, [1.0, 0.0, 0.0, 0.0]), judged(1, [0.0, 0.0, 0.0, 0.0])]
    batch = crediting(estimator="dr_grpo")(groups).batch
    assert [ids.tolist() for ids in batch.prompt_ids] == [[7, 8]] * 8
    assert [len(ids) for ids in batch.completion_ids] == [*LENGTHS, *LENGTHS]
    assert batch.advantages[:, 0].tolist() == [0.75, -0.25, -0.25, -0.25, 0.0, 0.0, 0.0, 0.0]
    assert batch.completion_mask is not None
    assert batch.completion_mask.sum(1).tolist() == [*LENGTHS, *LENGTHS]
    assert batch.rollout_logprobs is not None
    assert batch.rollout_logprobs[0].tolist() == [0, -1, -2, -3, 0, 0]
    assert batch.degenerate is not None
    assert batch.degenerate.tolist() == [False] * 4 + [True] * 4
    assert batch.sampled_at is not None
    assert batch.sampled_at.tolist() == [0, 1, 2, 3] * 2


def test_a_row_without_an_outcome_counts_nowhere_and_moves_nobody() -> None:
    known = crediting(estimator="dr_grpo")([judged(0, [1.0, 0.0])])
    unknown = crediting(estimator="dr_grpo")([judged(0, [1.0, 0.0, None])])
    assert of_rows(unknown) == [*of_rows(known), 0.0] == [0.5, -0.5, 0.0]
    assert unknown.batch.completion_mask is not None
    assert unknown.batch.completion_mask.sum(1).tolist() == [4, 6, 0]


@pytest.mark.parametrize(("votes", "advantages"), [(True, [2 / 3, -1 / 3]), (False, [0.5, -0.5])])
def test_cut_off_rows_are_masked_and_vote_as_asked(*, votes: bool, advantages: list[float]) -> None:
    # Of 1, 0 and the cut off 0 the mean is 1/3; of 1 and 0 alone it is 1/2.
    options = {"learn_from_truncated": False, "truncated_vote": votes}
    credited = crediting(estimator="dr_grpo", **options)([judged(0, [1.0, 0.0, 0.0])])
    assert of_rows(credited)[:2] == pytest.approx(advantages)
    assert credited.batch.completion_mask is not None
    assert credited.batch.completion_mask.sum(1).tolist() == [4, 6, 0]


def test_long_completions_are_punished_in_what_is_compared_and_not_in_the_outcome() -> None:
    # max_tokens 6, buffer 4: 0 up to 2 tokens, then a quarter a token. Lengths 4, 6, 2 and 5.
    credited = crediting(estimator="dr_grpo", overlong_buffer=4)([judged(0, [0.0] * 4)])
    penalties = torch.tensor([-0.5, -1.0, 0.0, -0.75])
    assert of_rows(credited) == pytest.approx((penalties - penalties.mean()).tolist())
    assert credited.result.outcome_rewards.tolist() == [0.0] * 4
    assert str(credited.result.kinds.kinds[0]) == "all_wrong"


def test_a_prompts_past_is_the_baseline_of_ema() -> None:
    remembered = crediting(estimator="ema", estimator_options={"decay": 0.5})
    first = [judged(2, [1.0, 0.0])]
    credited = remembered(first)
    assert of_rows(credited) == [1.0, -1.0]  # no past: the mean of the others
    remembered.remember(first, credited)
    assert of_rows(remembered([judged(0, [1.0, 0.0]), judged(2, [0.0, 0.0])])) == [1.0, -1.0, -0.5, -0.5]
    again = crediting(estimator="ema", estimator_options={"decay": 0.5})
    again.load_state_dict(remembered.state_dict())
    assert of_rows(again([judged(2, [0.0, 0.0])])) == [-0.5, -0.5]


def test_the_pools_are_the_baseline_of_pool() -> None:
    pools = PromptPools([one.prompt_id for one in PROMPTS])
    pools.update([1.0, 0.0, 0.0], ["p2"] * 3, step=1)  # Beta(1/2 + 1, 1/2 + 2): mean 1.5 / 4
    assert of_rows(crediting(pools, estimator="pool")([judged(2, [1.0, 0.0])])) == [0.625, -0.375]


def test_avspo_steps_in_by_a_threshold_that_follows_the_rewards() -> None:
    # One of two groups is degenerate: not above the threshold of 1/2, but above the one that stagnation has lowered.
    remembered, groups = crediting(estimator="avspo"), [judged(0, [1.0, 0.0]), judged(1, [0.0, 0.0])]
    for _ in range(2):
        credited = remembered(groups)
        assert of_rows(credited)[2:] == [0.0, 0.0]
        remembered.remember(groups, credited)
    assert of_rows(remembered(groups))[2] < 0
    fixed = crediting(estimator="avspo", estimator_options={"step_in_above": 0.9})
    fixed.load_state_dict(remembered.state_dict())
    assert of_rows(fixed(groups))[2:] == [0.0, 0.0]


def test_gdpo_takes_the_penalty_as_a_component() -> None:
    credited = crediting(estimator="gdpo", overlong_buffer=4)([judged(0, [1.0, 0.0, 0.0, 0.0])])
    alone = crediting(estimator="gdpo", overlong_buffer=4, overlong_factor=0.0)([judged(0, [1.0, 0.0, 0.0, 0.0])])
    assert of_rows(credited)[2] > of_rows(credited)[1]  # both wrong, the shorter one better
    assert of_rows(alone)[2] == of_rows(alone)[1]
    with pytest.raises(ArgumentError, match=r"signal.overlong_buffer: expected a number with the estimator gdpo"):
        crediting(estimator="gdpo")


def test_nothing_is_remembered_of_a_batch_before_it_is_said() -> None:
    remembered = crediting(estimator="ema")
    before = remembered.state_dict()
    remembered([judged(0, [1.0, 0.0])])
    assert remembered.state_dict() == before


def test_unknown_names_are_refused_before_anything_is_sampled() -> None:
    with pytest.raises(RewardgateError, match='estimator: unknown name "grop"'):
        crediting(estimator="grop")
