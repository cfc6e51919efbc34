from typing import Any

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import gate_mode
from rewardgate.integrations.verl_gate import VerlGated, final_rows, gated_rows, is_unscored

RIGHT_THEN_WRONG = '{"scores":[1.0,0.0],"runs":[[0,2],[1,1],[-1,1]]}'
NOT_CHECKED = '{"scores":[null],"runs":[[0,4]]}'


def info(score: float | None, steps: str = "") -> dict[str, Any]:
    return {"score": score or 0.0, "rewardgate_unscored": float(score is None), "rewardgate_steps": steps}


def gated(
    infos: list[dict[str, Any]], uids: str, *, lengths: list[int] | None = None, mode: str = "rules"
) -> VerlGated:
    mask = torch.arange(4) < torch.tensor(lengths or [4] * len(infos))[:, None]
    rewards = torch.tensor([entry["score"] for entry in infos])
    return gated_rows(infos, list(uids), mask, rewards, config=gate_mode(mode, scale="none"))


def test_an_all_wrong_group_is_charged_from_its_first_wrong_step_on() -> None:
    found = gated([info(0.0, RIGHT_THEN_WRONG), info(0.0, NOT_CHECKED), info(1.0), info(0.0)], "ppqq")
    assert found.advantages[:2].tolist() == [[0, 0, -1, 0], [0, 0, 0, 0]]
    assert found.is_mixed.tolist() == [False, False, True, True]
    assert found.metrics["gate/groups/opened"] == 0.5
    assert found.metrics["gate/rows/asked"] == 0.5


def test_steps_of_a_group_that_stays_closed_say_nothing() -> None:
    with_steps = gated([info(0.0, RIGHT_THEN_WRONG), info(1.0)], "pp")
    assert torch.equal(with_steps.advantages, gated([info(0.0), info(1.0)], "pp").advantages)
    assert with_steps.metrics["gate/rows/asked"] == 0.0


def test_a_row_without_an_outcome_moves_no_sibling_and_is_in_no_mixed_group() -> None:
    with_it = gated([info(1.0), info(None, RIGHT_THEN_WRONG), info(0.0)], "ppp")
    assert torch.equal(with_it.advantages[[0, 2]], gated([info(1.0), info(0.0)], "pp").advantages)
    assert with_it.advantages[1].tolist() == [0.0] * 4
    assert with_it.is_mixed.tolist() == [True, False, True]
    assert with_it.metrics["gate/rows/unscored"] == pytest.approx(1 / 3)


def test_seven_right_and_one_unknown_are_all_correct() -> None:
    found = gated([info(1.0)] * 7 + [info(None)], "p" * 8)
    assert found.metrics["gate/groups/all_correct"] == 1.0
    assert found.advantages.abs().max() == 0


def test_failures_of_ours_are_logged_apart_from_targets_that_cannot_be_used() -> None:
    failed, unusable = ({**info(None), "rewardgate_outcome": outcome} for outcome in ("error", "bad_target"))
    found = gated([failed, failed, unusable, {**info(1.0), "rewardgate_outcome": "correct"}], "pppp").metrics
    said = {name: share for name, share in found.items() if name.startswith("verdicts/") and share}
    assert said == {"verdicts/error": 0.5, "verdicts/bad_target": 0.25, "verdicts/correct": 0.25}
    assert found["gate/rows/unscored"] == 0.75


def test_the_shortest_row_decides_over_no_other() -> None:
    found = gated([info(0.0, RIGHT_THEN_WRONG), info(0.0, RIGHT_THEN_WRONG)], "pp", lengths=[2, 4], mode="local")
    # The first row was cut before its wrong step, which has no token that counts and hence no score.
    assert found.advantages[0, 2:].tolist() == [0.0, 0.0]
    assert bool((found.advantages[1, 2] < 0) & (found.advantages[1, 0] > 0))


def test_a_reward_that_is_not_ours_is_an_error_that_says_what_to_set() -> None:
    with pytest.raises(ArgumentError, match=r"got acc, score; set reward\.reward_manager\.name=rewardgate"):
        is_unscored({"score": 1.0, "acc": 1.0})
    with pytest.raises(ArgumentError, match="got nothing"):
        is_unscored({})


def test_the_last_output_of_each_session_is_judged_and_padding_is_not() -> None:
    keys = ["a_b_0_1", "a_b_0_0", "a_b_10_0", "padf_0_0", "a_b_1_2", "a_b_1_10"]
    assert final_rows(keys, [False, False, False, True, False, False]) == [0, 2, 5]
    assert final_rows([], []) == []
