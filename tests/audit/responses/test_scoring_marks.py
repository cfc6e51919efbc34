from typing import Any

import pytest
from audited import audited, causes_of, group

from rewardgate.audit.responses.scoring_marks import outcome_component, scoring_error
from rewardgate.rollouts.records import Rollout

SEEN = group("seen", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"error": "TimeoutError: 5 s"}, "error: TimeoutError: 5 s"),
        ({"verifier_exception": {"type": "ValueError"}}, "verifier_exception: type: ValueError"),
        ({"timed_out": True}, "timed_out: true"),
        ({"errors": ["bad JSON"]}, "errors: bad JSON"),
        ({"error": None}, ""),
        ({"error": "none"}, ""),
        ({"error": {"type": None}}, ""),
        ({"error": False}, ""),
        ({"error_rate": 0.5}, ""),
        ({"source": "error analysis"}, ""),
    ],
)
def test_an_error_beside_a_reward_is_read_and_its_absence_is_none(meta: dict[str, Any], said: str) -> None:
    assert scoring_error(Rollout(prompt_id="a", meta=meta)) == said


@pytest.mark.parametrize(
    ("rewards", "found"),
    [
        ({"reward": 0.5, "reward_accuracy": 1.0}, ("reward_accuracy", 1.0)),
        ({"reward": 0.5, "rewards/correctness_reward": None}, ("rewards/correctness_reward", None)),
        ({"reward": 0.5, "length": 1.0}, None),
        ({"accuracy": 1.0}, None),  # the only one is the one that was learned from
        ({"reward": 1.0}, None),
    ],
)
def test_the_outcome_is_the_reward_named_so_beside_the_sum(
    rewards: dict[str, float | None], found: tuple[str, float | None] | None
) -> None:
    assert outcome_component(Rollout(prompt_id="a", rewards=rewards)) == found


def test_a_reward_logged_beside_an_error_is_no_verdict() -> None:
    failed = group("failed", "4", [(r"\boxed{4}", 0.0, {"meta": {"error": "Timeout"}})] * 2)
    report = audited(failed, SEEN)
    assert causes_of(report) == {"scoring_fault": 2, "undetermined": 1}
    assert "error: Timeout" in report.cards[0].evidence[0].why


def test_a_right_answer_whose_outcome_the_sum_hides_is_a_fault_of_scoring() -> None:
    rewards = {"reward": 0.5, "reward_accuracy": 1.0}
    hidden = group("hidden", "4", [(r"\boxed{4}", 0.5, {"rewards": rewards})] * 2)
    assert causes_of(audited(hidden, SEEN)) == {"scoring_fault": 2, "undetermined": 1}
