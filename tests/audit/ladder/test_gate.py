from typing import Any

import pytest

from rewardgate.audit.ladder.gate import of_gate
from rewardgate.audit.report.gate_trust import CreditRanking, GateTrust


def trust(low: float | None, high: float | None, *, n_scored: int = 9, n_asked: int = 12) -> GateTrust:
    auc = None if low is None or high is None else (low + high) / 2
    fields: dict[str, Any] = {"credit": "rules", "n_groups": 3, "n_prompts": 3, "n_pairs": 12, "n_unknown": 0}
    row = CreditRanking(**fields, stratum="all", auc=auc, low=low, high=high)
    other = CreditRanking(**{**fields, "credit": "min"}, stratum="all", auc=1.0, low=1.0, high=1.0)
    return GateTrust(
        scorer="s", scorer_version="1", rewards="as logged", seed=0, decides="rules", n_mixed=3, n_groups=3,
        n_asked=n_asked, n_steps=20, n_scored=n_scored, n_silent=0, credits=(other, row),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "status", "said"),
    [
        (0.6, 0.8, "ok", "a gate with s ranks right rollouts of 3 mixed groups above wrong ones: AUC 0.700 [0.600, "),
        (
            0.4,
            0.8,
            "warn",
            "do not open a gate with s: it may rank right rollouts of 3 mixed groups above wrong ones no",
        ),
        (0.2, 0.4, "fail", "do not open a gate with s: it does not rank right rollouts of 3 mixed groups"),
        (None, None, "warn", "do not open a gate with s: it may rank"),
    ],
)
def test_the_gate_opens_only_where_its_own_credit_is_surely_above_chance(
    low: float | None, high: float | None, status: str, said: str
) -> None:
    (found,) = of_gate(trust(low, high))
    assert (found.status, found.sentence.startswith(said)) == (status, True)


def test_what_nobody_can_tell_warns() -> None:
    (silent,) = of_gate(trust(0.6, 0.8, n_scored=0))
    assert (silent.value, silent.status) == (None, "warn")
    assert silent.sentence == "do not open a gate with s: it said nothing of any step"
    (unasked,) = of_gate(trust(0.6, 0.8, n_scored=0, n_asked=0))
    assert unasked.sentence == "do not open a gate with s: there is no mixed group to hold it against"


def test_without_a_scorer_there_is_no_measure() -> None:
    assert list(of_gate(None)) == []
