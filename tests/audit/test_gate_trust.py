from collections.abc import Sequence
from typing import Any

import pytest
from audited import audited, group
from hypothesis import given
from hypothesis import strategies as st
from scored_steps import Broken, Dice, Oracle

from rewardgate.audit.gate_trust import gate_trust
from rewardgate.audit.report.gate_trust import CreditRanking, GateTrust
from rewardgate.audit.report.ladder import Measure
from rewardgate.audit.report.model import AuditReport
from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.prm import StepRow, StepScore

RIGHT, WRONG = "right\n\n\\boxed{4}", "wrong\n\n\\boxed{5}"


def members(n_right: int, n_wrong: int) -> list[tuple[str, float]]:
    return [(RIGHT, 1.0)] * n_right + [(WRONG, 0.0)] * n_wrong


def groups(n: int) -> list[Any]:
    return [group(f"p{number}", "4", members(2, 2)) for number in range(n)]


def measure_of(report: AuditReport) -> Measure:
    assert report.ladder is not None
    (found,) = (one for one in report.ladder.rungs[4].measures if one.name == "step credit on mixed groups")
    return found


def trust_of(report: AuditReport) -> GateTrust:
    assert report.gate_trust is not None
    return report.gate_trust


def row(trust: GateTrust, credit: str, stratum: str = "all") -> CreditRanking:
    (found,) = (one for one in trust.credits if (one.credit, one.stratum) == (credit, stratum))
    return found


def test_a_scorer_that_tells_right_from_wrong_may_open_the_gate() -> None:
    report = audited(*groups(10), scorer=Oracle({"right": 1.0, "wrong": 0.0, "\\boxed{4}": 1.0, "\\boxed{5}": 1.0}))
    trust = trust_of(report)
    # 2 right and 2 wrong rollouts a group: 4 pairs, all won; "last" ties them.
    assert (row(trust, "rules").n_pairs, row(trust, "rules").auc, row(trust, "last").auc) == (40, 1, 0.5)
    found = measure_of(report)
    assert (found.value, found.status) == (1, "ok")
    assert found.sentence.startswith("a gate with Oracle ranks right rollouts of 10 mixed groups above wrong ones")
    assert "no step scorer was named" not in [entry.why for entry in report.not_measured]


def test_a_scorer_that_speaks_against_the_truth_keeps_the_gate_closed() -> None:
    report = audited(*groups(10), scorer=Oracle({"right": 0.0, "wrong": 1.0}))
    found = measure_of(report)
    assert (found.value, found.status) == (0, "fail")
    assert found.sentence.startswith("do not open a gate with Oracle: it does not rank right rollouts")
    assert report.ladder is not None
    assert report.ladder.change_first == "exploration and bootstrap"


def test_a_scorer_that_throws_dice_keeps_it_closed_too() -> None:
    report = audited(*groups(30), scorer=Dice(3))
    found, ranking = measure_of(report), row(trust_of(report), "rules")
    assert ranking.low is not None
    assert ranking.high is not None
    assert ranking.low <= 0.5 <= ranking.high
    assert found.status == "warn"
    assert "no better than chance" in found.sentence


def test_a_silent_scorer_says_nothing_for_the_gate_and_nothing_against_it() -> None:
    report = audited(*groups(10), scorer=Oracle({}))
    trust, found = trust_of(report), measure_of(report)
    # What the gate does with a rollout that nobody knows of is known: nothing. All tie.
    assert (row(trust, "rules").auc, trust.n_silent, trust.deciding) == (0.5, 40, None)
    assert (row(trust, "min").auc, row(trust, "min").n_unknown) == (None, 40)
    assert (found.value, found.status) == (None, "warn")
    assert found.sentence == "do not open a gate with Oracle: it said nothing of any step"


def test_without_a_mixed_group_there_is_nothing_to_hold_it_against() -> None:
    report = audited(group("a", "4", members(0, 4)), scorer=Oracle({"wrong": 0.0}))
    assert trust_of(report).n_asked == 0
    assert measure_of(report).sentence == ("do not open a gate with Oracle: there is no mixed group to hold it against")


def test_without_a_scorer_the_report_says_that_nobody_measured_it() -> None:
    report = audited(*groups(3))
    assert report.gate_trust is None
    assert report.ladder is not None
    assert "do not open a gate before its step scorer was measured here" in report.ladder.rungs[4].enable
    assert "whether a gate would speak truly here" in [entry.what for entry in report.not_measured]


def test_the_scorer_is_asked_about_mixed_groups_alone() -> None:
    scorer = Oracle({"right": 1.0, "wrong": 0.0})
    audited(
        group("all wrong", "4", members(0, 3)),
        group("mixed", "4", members(1, 2)),
        group("all right", "4", members(3, 0)),
        scorer=scorer,
    )
    assert len(scorer.asked) == 3
    assert scorer.asked[0] == StepRow("?", ("right\n\n", "\\boxed{4}"), "4")


def test_rollouts_are_right_by_the_repaired_rewards() -> None:
    # The log pays nobody; the referee finds one of them right, and repair pays it.
    report = audited(group("a", "4", [(RIGHT, 0.0), (WRONG, 0.0)]), scorer=Oracle({"right": 1.0, "wrong": 0.0}))
    trust = trust_of(report)
    assert (report.groups[0].mixed, trust.rewards, trust.n_mixed) == (0, "after repair", 1)
    assert row(trust, "rules").auc == 1


def test_groups_with_few_right_rollouts_stand_by_themselves() -> None:
    class Length:
        """Right where the group is easy, wrong where it is hard."""

        version = "test"

        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            return [
                [StepScore(float(("right" in one.steps[0]) == ("easy" in str(one.prompt))), "", "")] * len(one.steps)
                for one in rows
            ]

    hard = [group(f"h{n}", "4", members(1, 3), prompt="hard") for n in range(4)]
    easy = [group(f"e{n}", "4", members(3, 1), prompt="easy") for n in range(4)]
    trust = trust_of(audited(*hard, *easy, group("m", "4", members(2, 2), prompt="hard"), scorer=Length()))
    assert row(trust, "rules", "at most 1/4 right").auc == 0
    assert row(trust, "rules", "at least 3/4 right").auc == 1
    assert row(trust, "rules", "between").n_groups == 1
    # 4 × 3 pairs lost, 4 × 3 won, 2 × 2 lost.
    assert row(trust, "rules").auc == pytest.approx(12 / 28)


def test_of_many_groups_a_draw_is_asked_about_and_told() -> None:
    scorer, same, other = (Oracle({"right": 1.0, "wrong": 0.0}) for _ in range(3))
    found = trust_of(audited(*groups(30), scorer=scorer, scorer_groups=5))
    assert (found.n_mixed, found.n_groups, found.n_asked, len(scorer.asked)) == (30, 5, 20, 20)
    assert trust_of(audited(*groups(30), scorer=same, scorer_groups=5)) == found
    assert trust_of(audited(*groups(30), scorer=other, scorer_groups=5, seed=1)).seed == 1


def test_unknown_rewards_and_absent_responses_are_left_out() -> None:
    rollouts = [*members(1, 1), (RIGHT, None), (None, 0.0)]
    trust = gate_trust(
        [group("a", "4", rollouts)], [[1.0, 0.0, None, 0.0]], Oracle({"right": 1.0}), name="o", rewarded_by="as logged"
    )
    assert (trust.n_mixed, trust.n_asked) == (1, 2)


def test_an_empty_response_has_no_credit() -> None:
    trust = gate_trust(
        [group("a", "4", [("", 1.0), (WRONG, 0.0)])],
        [[1.0, 0.0]],
        Oracle({"wrong": 0.0}),
        name="o",
        rewarded_by="as logged",
    )
    assert (row(trust, "rules").n_unknown, row(trust, "rules").auc, trust.deciding) == (1, None, None)


@given(st.permutations(range(6)))
def test_the_order_of_groups_and_rollouts_does_not_matter(order: list[int]) -> None:
    values = {f"step {n}": n / 5 for n in range(6)}
    rollouts = [(f"step {n}", float(n in (1, 4, 5))) for n in range(6)]
    shuffled = [rollouts[place] for place in order]
    found = gate_trust(
        [group("a", "4", shuffled)],
        [[reward for _, reward in shuffled]],
        Oracle(values),
        name="o",
        rewarded_by="as logged",
        decides="verigate",
    )
    # Right 0.2, 0.8, 1.0 against wrong 0.0, 0.4, 0.6: 1 + 3 + 3 of 9.
    assert row(found, "verigate").auc == pytest.approx(7 / 9)
    assert found.credits[0].credit == "verigate"


def test_what_cannot_be_asked_is_refused_in_one_line() -> None:
    with pytest.raises(ArgumentError, match="expected scores of every text, got RuntimeError: out of memory"):
        audited(*groups(2), scorer=Broken(RuntimeError("out of memory")))
    with pytest.raises(UnknownNameError, match='unknown name "nobody"'):
        audited(*groups(2), scorer="nobody")
    with pytest.raises(ArgumentError, match="scorer_groups: expected a whole number >= 1, got 0"):
        audited(*groups(2), scorer=Oracle({}), scorer_groups=0)
    with pytest.raises(ArgumentError, match="decides: expected one of rules, verigate, got 'min'"):
        gate_trust([], [], Oracle({}), name="o", rewarded_by="", decides="min")
