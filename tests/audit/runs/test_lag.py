import json
from math import isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardgate.audit.runs.lag import run_lag
from rewardgate.errors import InputError
from rewardgate.rollouts import Group, Rollout, read, write_rollouts


def rollout(sampled: list[float] | None, own: list[float | None] | None, **fields: Any) -> Rollout:
    meta = {} if own is None else {"old_logprobs": own}
    meta |= fields.pop("meta", {})
    logprobs = None if sampled is None else np.array(sampled)
    return Rollout(prompt_id="p", rollout_logprobs=logprobs, meta=meta, **fields)


def group(*rollouts: Rollout) -> Group:
    return Group(group_id="p", rollouts=rollouts)


def test_the_two_lists_are_compared_token_by_token_and_the_advantage_gives_the_side() -> None:
    found = run_lag(
        [
            group(rollout([-1.0, -1.0], [-1.0 + log(1.5), -1.0], meta={"advantage": 1.0})),
            group(rollout([-1.0], [-1.0 - log(2)], meta={"advantage": -0.5})),
        ]
    )
    assert (found.lag.tokens, found.lag.rollouts, found.misfits) == (3, 2, 0)
    # r = 1.5 with A > 0, r = 1, r = .5 with A < 0: one clipped on each side.
    assert (found.lag.clipped_high, found.lag.clipped_low) == pytest.approx((1 / 3, 1 / 3))


def test_what_was_not_logged_stays_unknown() -> None:
    found = run_lag(
        [group(rollout([-1.0, -2.0], None), rollout(None, [-1.0]), rollout(None, None), rollout([-1.0], [None]))]
    )
    assert (found.lag.tokens, found.lag.unknown) == (0, 4)
    assert isnan(found.lag.k3)


def test_lists_of_different_lengths_are_no_pairs() -> None:
    found = run_lag([group(rollout([-1.0, -2.0], [-1.0]), rollout([-1.0], [-1.0]))])
    assert (found.misfits, found.lag.tokens, found.lag.unknown) == (1, 1, 2)


def test_versions_have_an_age_only_where_they_count_steps() -> None:
    groups = [group(rollout(None, None, policy_version=3, step=5), rollout(None, None, policy_version="5", step=5))]
    assert run_lag(groups).staleness.known == 0
    found = run_lag(groups, versions_are_steps=True).staleness
    assert (found.mean, found.worst, found.stale) == (1.0, 2.0, 0.5)


def test_numbers_that_are_no_log_probabilities_are_refused() -> None:
    with pytest.raises(InputError, match=r"rollouts: log-probabilities: expected numbers of at most 0, got 0\.9"):
        run_lag([group(rollout([0.9], [-1.0]))])


def test_a_native_file_with_both_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    rollouts = (rollout([-0.5, -1.0], [-0.5, -1.25], response="4"), rollout([-0.5, -1.0], [-0.5, -1.25], response="5"))
    write_rollouts(path, [group(*rollouts)])
    found = run_lag(read(path, tokens=True))
    assert found.lag.tokens == 4
    # x = 0, -.25, twice: k1 = .125, k2 = .03125 / 2.
    assert (found.lag.k1, found.lag.k2) == pytest.approx((0.125, 0.015625))
    assert run_lag(read(path)).lag.unknown == 4  # nothing is known of tokens that were not asked for


def test_both_lists_of_a_file_of_columns_are_read_where_tokens_are(tmp_path: Path) -> None:
    row = {"prompt": "q", "response": "x y", "reward": 0, "token_ids": [1, 2]}
    row |= {"rollout_logprobs": [-1.0, -1.0], "old_logprobs": [-1.0 + log(1.5), -1.0]}
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    found = run_lag(read(path, tokens=True))
    assert (found.lag.tokens, found.lag.above) == (2, 0.5)  # r = 1.5 and 1
    assert all(not rollout.meta for group in read(path) for rollout in group.rollouts)
