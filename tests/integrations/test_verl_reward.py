import asyncio
import threading
from math import isnan
from typing import Any

import pytest
from misbehaving import Judge

from rewardgate.errors import ArgumentError, RewardgateError, UnknownNameError
from rewardgate.integrations.outcome_verifier import judged, outcome_verifier
from rewardgate.integrations.verl import compute_score
from rewardgate.integrations.verl_reward import reward_info
from rewardgate.verifiers import Outcome, Verdict

IN_PROCESS: dict[str, Any] = {"workers": 0, "timeout_s": None}


def as_verl_calls(solution_str: Any, ground_truth: Any, **kwargs: Any) -> dict[str, Any]:
    """The call of verl 0.9's naive manager: by name, its own additions to extra_info included."""
    return compute_score(
        data_source="openai/gsm8k",
        solution_str=solution_str,
        ground_truth=ground_truth,
        extra_info={"index": 3, "num_turns": 2, "rollout_reward_scores": {}},
        **{**IN_PROCESS, "verifier": "math", **kwargs},
    )


def test_a_score_is_a_number_with_its_reasons_beside_it() -> None:
    assert as_verl_calls(r"so \boxed{4}", "4") == {
        "score": 1.0,
        "acc": 1.0,
        "rewardgate_unscored": 0.0,
        "rewardgate_outcome": "correct",
        "rewardgate_rule": "exact_number",
        "rewardgate_steps": "",
    }
    wrong = as_verl_calls(r"so \boxed{5}", "4")
    assert (wrong["score"], wrong["acc"], wrong["rewardgate_outcome"]) == (0.0, 0.0, "incorrect")


@pytest.mark.parametrize("target", [None, "", {"tests": object}, [object()], float("nan")])
def test_what_cannot_be_scored_is_flagged_and_every_row_has_the_same_keys(target: Any) -> None:
    found = as_verl_calls("4", target)
    assert (found["score"], found["acc"], found["rewardgate_unscored"]) == (0.0, None, 1.0)
    assert list(found) == list(as_verl_calls("4", "4"))


def test_by_choice_an_unknown_reward_is_nan_or_gives_its_group_up() -> None:
    assert isnan(as_verl_calls("4", None, unscored="nan")["score"])
    with pytest.raises(RewardgateError, match=r"reward: unknown \(bad_target, no_target\)"):
        as_verl_calls("4", None, unscored="evict")
    assert as_verl_calls("4", "4", unscored="evict")["score"] == 1.0


def test_numbers_and_lists_are_targets_as_a_person_would_write_them() -> None:
    assert [as_verl_calls("18", target)["score"] for target in (18, 18.0, ["17", "18"])] == [1.0] * 3


def test_the_arguments_of_verls_router_are_taken_and_not_given_to_the_verifier() -> None:
    assert as_verl_calls("4", "4", reward_router_address="host:1", reward_model_tokenizer=object())["score"] == 1.0


def test_a_fault_of_the_set_up_is_raised_and_not_scored() -> None:
    with pytest.raises(UnknownNameError, match="numerc"):
        as_verl_calls("4", "4", verifier="numerc")
    with pytest.raises(ArgumentError, match="timeout_s: expected None with workers=0"):
        as_verl_calls("4", "4", timeout_s=1.0)


def test_options_reach_the_verifier() -> None:
    assert as_verl_calls(r"\boxed{4.1}", "4", verifier="numeric", abs_tol=0.2)["score"] == 1.0
    assert as_verl_calls(r"\boxed{4.1}", "4", verifier="numeric")["score"] == 0.0


def test_rows_that_hang_die_or_raise_cost_no_other_of_those_asked_at_once() -> None:
    verifier = outcome_verifier(Judge(), workers=2, timeout_s=0.5, options={})

    async def rollouts() -> list[float | None]:
        texts = ["a", "hang", "b", "die", "raise", "a"] * 2
        verdicts = await asyncio.gather(*(asyncio.to_thread(judged, verifier, text, "a") for text in texts))
        return [verdict.reward for verdict in verdicts]

    found: list = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(rollouts())))
    thread.start()
    thread.join(60)
    assert found == [[1.0, 0.0, 0.0, None, None, 1.0] * 2]


def test_a_verifier_that_raises_in_our_own_process_leaves_the_row_unknown() -> None:
    class Broken:
        version = "1"

        def verify_batch(self, rows: Any) -> Any:
            raise RuntimeError("no more")

        verify = verify_batch

    info = reward_info(judged(Broken(), "4", "4"), unscored="flag")
    assert (info["rewardgate_unscored"], info["rewardgate_outcome"]) == (1.0, "error")


@pytest.mark.parametrize("reward", [float("nan"), float("-inf")])
def test_a_reward_that_is_not_finite_is_no_reward(reward: float) -> None:
    class Odd:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            return Verdict(Outcome.INCORRECT, reward, rule="odd")

    verdict = judged(Odd(), "4", "4")
    assert (verdict.reward, verdict.rule) == (None, "reward_not_finite")
