from collections.abc import Sequence

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo import GATE_MODES
from rewardgate.pipeline import token_advantages
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.rollouts import Group, Rollout
from rewardgate.training.groups.scoring import Scoring, scoring_of
from rewardgate.training.options import Signal

TEXTS = ("1 + 1 = 2\n\n2 + 2 = 5", "1 + 1 = 3\n\n2 + 2 = 4\n\n3 + 3 = 6", "1 + 1 = 2\n\n2 + 2 = 4")


class Broken:
    """The arithmetic scorer, which raises at one word."""

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        if any("poison" in step for row in rows for step in row.steps):
            raise RuntimeError("poisoned")
        return get("arithmetic").score(rows)


def group(*texts: str) -> Group:
    rows = (Rollout(prompt_id="p", response=text, rewards={"r": 0.0}, reward_name="r") for text in texts)
    return Group(group_id="p", rollouts=tuple(rows))


@pytest.mark.parametrize("mode", sorted(GATE_MODES))
def test_the_siblings_of_a_row_that_the_scorer_failed_on_get_the_advantages_of_the_group_without_it(mode: str) -> None:
    scoring = Scoring(Broken())
    whole = token_advantages([group(*TEXTS, "poison\n\n2 + 2 = 5")], None, scoring, mode)
    without = token_advantages([group(*TEXTS)], None, scoring, mode)
    torch.testing.assert_close(whole.advantages[:3], without.advantages, rtol=0, atol=1e-6)
    assert without.advantages.any()
    assert not whole.advantages[3].any()
    assert (scoring.count_failed(whole.step_scores), scoring.count_failed(without.step_scores)) == (1, 0)


def test_nothing_to_say_is_no_fault_and_out_of_reach_is_one() -> None:
    class Remote(Broken):
        transient_rules = frozenset({"unreachable"})

    scoring = Scoring(Remote())
    said = [StepScore(None, "nothing_to_check", ""), StepScore(1.0, "equal", "")]
    away = [StepScore(1.0, "equal", ""), StepScore(None, "unreachable", "")]
    assert scoring.count_failed([said, None, away, []]) == 1


def test_a_scorer_is_had_by_name_or_from_a_file() -> None:
    assert scoring_of(Signal()) is None
    scoring = scoring_of(Signal(scorer="arithmetic"))
    assert scoring is not None
    assert scoring.version == get("arithmetic").version
    scoring.close()
    # A scorer's own limit is not that of a function.
    judge = {"base_url": "http://localhost", "model": "m", "timeout_s": -1.0}
    with pytest.raises(ArgumentError, match=r"timeout_s: expected a positive number of seconds, got -1.0"):
        scoring_of(Signal(scorer="judge", scorer_options=judge))
