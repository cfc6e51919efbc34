"""The figures of a step: literal cases with the arithmetic beside them, and what no definition may do twice."""

from math import isnan, nan

import pytest
import torch

from rewardgate.audit.ladder.rungs import of_pools
from rewardgate.diagnostics import Pool
from rewardgate.errors import ArgumentError
from rewardgate.grpo import gate
from rewardgate.grpo.gate_metrics import gate_metrics
from rewardgate.training.monitor import HeldOut, StepRecord
from rewardgate.training.monitor.figures import step_figures
from rewardgate.verifiers import Outcome


def record(**known: object) -> StepRecord:
    """A step with one mixed group of four, one all wrong, and one with a single known reward."""
    given: dict[str, object] = {
        "step": 3,
        "rewards": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, None, 1.0, None],
        "group_ids": ["a"] * 4 + ["b"] * 3 + ["c"] * 2,
    }
    return StepRecord(**{**given, **known})  # pyright: ignore[reportArgumentType]


def test_rates_of_groups_are_those_of_everything_that_was_sampled() -> None:
    figures = step_figures(record())
    # Comparable: a (mixed), b (all wrong); c has one scored rollout.
    assert figures["groups/sampled"] == 3
    assert figures["groups/mixed_rate"] == 0.5
    assert figures["groups/all_wrong_rate"] == figures["groups/acr"] == figures["groups/degenerate_rate"] == 0.5
    # std of a: sqrt(1/4 * 3/4) = 0.4330, of b: 0
    assert figures["groups/mean_std"] == pytest.approx(0.75**0.5 / 4)
    # 4 of 7 scored rollouts differ from the mean of their group.
    assert figures["groups/nonzero_advantage_rate"] == pytest.approx(4 / 7)


def test_success_quantiles_are_over_groups_with_a_known_reward() -> None:
    figures = step_figures(record())
    # rates 0.25, 0, 1 -> sorted 0, 0.25, 1
    assert figures["success/mean"] == pytest.approx(1.25 / 3)
    assert figures["success/q50"] == 0.25
    assert figures["success/q10"] == pytest.approx(0.2 * 0.25)
    assert figures["success/q90"] == pytest.approx(0.25 + 0.8 * 0.75)


def test_a_gate_is_logged_by_the_names_and_values_of_every_host() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.0, 0.0, nan], dtype=torch.float64)
    gated = gate(
        rewards,
        torch.tensor([0, 0, 1, 1, 1]),
        torch.tensor([[nan], [nan], [1.0], [0.0], [nan]], dtype=torch.float64),
        torch.zeros(5, 2, dtype=torch.int64),
        torch.ones(5, 2, dtype=torch.bool),
    )
    figures = step_figures(
        StepRecord(step=1, rewards=rewards.tolist(), group_ids=[0, 0, 1, 1, 1], gate=gated.report, asked=2, failed=1)
    )
    expected = gate_metrics(gated.report, asked=2 / 5)
    assert "gate/rows/unscored" not in expected  # of everything sampled it is verdicts/unscored
    expected["gate/rows/failed"] = 0.5  # one of the two that the scorer was asked about
    assert {name: figures[name] for name in figures if name.startswith("gate/")} == pytest.approx(expected, nan_ok=True)


def test_held_out_prompts_are_scored_once_and_at_the_size_of_their_groups() -> None:
    held_out = HeldOut(rewards=[1, 0, 0, 0, 0, 0, 0, 0], prompt_ids=["p"] * 4 + ["q"] * 4)
    figures = step_figures(record(held_out={"eval": held_out}))
    assert figures["held_out/eval/pass@1"] == 0.125  # mean of 1/4 and 0
    assert figures["held_out/eval/pass@4"] == 0.5  # p has one, q none
    assert figures["held_out/eval/prompts"] == 2
    of_one_set = step_figures(record(held_out={"": held_out}))
    assert {name for name in of_one_set if name.startswith("held_out/")} == {
        f"held_out/{name}" for name in ("pass@1", "pass@4", "prompts")
    }


def test_what_cannot_be_counted_is_nan_and_never_0() -> None:
    figures = step_figures(StepRecord(step=1, rewards=[], group_ids=[]))
    assert {name for name, value in figures.items() if not isnan(value)} == {"groups/sampled"}


def test_signal_is_told_against_all_that_was_sampled() -> None:
    # 9 rollouts of 10 tokens were sampled; of the batch of 4 one has an advantage, on 3 of its 5 counted tokens.
    advantages, mask = torch.zeros(4, 6), torch.ones(4, 6, dtype=torch.bool)
    mask[1, 5:] = False
    advantages[1, 2:] = -0.5  # the last of them is padding
    figures = step_figures(record(n_tokens=[10] * 9, advantages=advantages, completion_mask=mask))
    assert figures["signal/live_rollouts"] == pytest.approx(1 / 9)
    assert figures["signal/rollouts_per_live"] == 9
    assert figures["signal/live_tokens"] == pytest.approx(3 / 90)
    assert figures["signal/tokens_per_live"] == pytest.approx(30)


def test_a_batch_that_teaches_nothing_has_no_cost_per_unit() -> None:
    figures = step_figures(record(advantages=torch.zeros(2, 2), completion_mask=torch.ones(2, 2, dtype=torch.bool)))
    assert figures["signal/live_rollouts"] == 0
    assert isnan(figures["signal/rollouts_per_live"])


def test_missing_rewards_are_told_by_whose_fault_they_are() -> None:
    outcomes = [
        "correct",
        "incorrect",
        "no_answer",
        "hedged",
        "incorrect",
        "incorrect",
        "error",
        "correct",
        "bad_target",
    ]
    figures = step_figures(record(outcomes=outcomes))
    assert figures["verdicts/incorrect"] == pytest.approx(3 / 9)
    assert figures["verdicts/unscored"] == pytest.approx(2 / 9)
    assert figures["verdicts/unscored_fault"] == figures["verdicts/unscored_target"] == pytest.approx(1 / 9)
    assert sum(figures[f"verdicts/{outcome}"] for outcome in Outcome) == pytest.approx(1)


def test_lengths_are_told_by_outcome_and_the_entropy_by_token() -> None:
    figures = step_figures(
        record(
            n_tokens=[4, 2, 6, 4, 4, 4, None, 8, 3],
            truncated=[False, True, False, False, None, None, None, False, False],
            logprob_sums=[-2.0, -1.0, None, -2.0, -2.0, -2.0, -9.0, -4.0, -1.5],
        )
    )
    assert figures["length/mean"] == pytest.approx(35 / 8)
    assert figures["length/mean_correct"] == 6  # 4 and 8
    assert figures["length/mean_wrong"] == pytest.approx(20 / 5)  # the unscored ones are neither
    assert figures["length/max"] == 8
    assert figures["length/truncated"] == pytest.approx(1 / 6)
    # -(-2-1-2-2-2-4-1.5) / (4+2+4+4+4+8+3): the two rows of which one number is missing are left out
    assert figures["sampled/entropy"] == pytest.approx(14.5 / 29)


def test_the_shares_of_pools_are_those_of_the_ladder() -> None:
    pools = {Pool.HARD: 5, Pool.FRONTIER: 3, Pool.EASY: 2, Pool.EVAL: 7, Pool.QUARANTINE: 10}
    figures = step_figures(record(pools=pools))
    measures = {measure.name: measure.value for measure in of_pools(pools)}
    assert figures["pools/frontier_share"] == measures["frontier"] == 0.3
    assert figures["pools/quarantine_share"] == measures["quarantine"] == 0.5
    assert figures["pools/eval"] == 7


def test_records_of_other_rooms_keep_their_names_and_what_they_do_not_know() -> None:
    figures = step_figures(record(ledger={"overhead": None, "rounds": 2}, update={"loss": 0.5}, seconds={"judge": 1.5}))
    assert isnan(figures["ledger/overhead"])
    assert (figures["ledger/rounds"], figures["update/loss"], figures["seconds/judge"]) == (2, 0.5, 1.5)


def test_lists_of_other_lengths_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"n_tokens: expected one entry a reward \(9\), got 1"):
        record(n_tokens=[1])
    with pytest.raises(ArgumentError, match=r"completion_mask: expected shape \(1, 2\), got None"):
        record(advantages=torch.zeros(1, 2))
