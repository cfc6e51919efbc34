import pytest
from audited import audited, group

from rewardgate.audit.causes.deciding import Cause
from rewardgate.audit.causes.repair import near_kind, repaired_reward
from rewardgate.audit.judging import Judged
from rewardgate.diagnostics.groups import GroupKind
from rewardgate.verifiers import Outcome, Verdict


def judged(scored: float | None, outcome: Outcome) -> Judged:
    reward = {Outcome.CORRECT: 1.0, Outcome.INCORRECT: 0.0}.get(outcome)
    return Judged("a:1", scored, True, None, scored, Verdict(outcome, reward), None, None)


@pytest.mark.parametrize(
    ("scored", "outcome", "cause", "gold_fails", "expected"),
    [
        (0.0, Outcome.CORRECT, Cause.FORMAT, False, 1.0),
        (0.0, Outcome.CORRECT, Cause.GOLD, True, 1.0),
        (0.0, Outcome.INCORRECT, Cause.GOLD, True, 0.0),
        (None, Outcome.CORRECT, Cause.SCORING_FAULT, False, 1.0),
        (None, Outcome.INCORRECT, Cause.SCORING_FAULT, False, -1.0),
        (None, Outcome.ERROR, Cause.SCORING_FAULT, False, None),
        (0.0, Outcome.BAD_TARGET, Cause.GOLD, True, None),
        (0.0, Outcome.BAD_TARGET, Cause.GOLD, False, 0.0),
        (0.0, Outcome.INCORRECT, Cause.UNDETERMINED, False, 0.0),
        (0.0, Outcome.INCORRECT, Cause.TRUNCATED, False, 0.0),
        (1.0, Outcome.INCORRECT, None, False, 1.0),  # paid for nothing: counted apart, not repaired
        (1.0, Outcome.INCORRECT, None, True, -1.0),  # paid because of its target
        (1.0, Outcome.BAD_TARGET, None, True, None),
    ],
)
def test_the_reward_after_repair(
    scored: float | None, outcome: Outcome, cause: Cause | None, gold_fails: bool, expected: float | None
) -> None:
    rollout = judged(scored, outcome)
    assert repaired_reward(rollout, cause, gold_fails=gold_fails, correct=1.0, wrong=-1.0) == expected


def test_only_the_causes_asked_for_are_repaired() -> None:
    rollout = judged(0.0, Outcome.CORRECT)
    options = {"gold_fails": False, "correct": 1.0, "wrong": 0.0}
    assert repaired_reward(rollout, Cause.FORMAT, only=[Cause.FORMAT], **options) == 1.0
    assert repaired_reward(rollout, Cause.FORMAT, only=[Cause.UNITS], **options) == 0.0


def test_a_repaired_reward_is_on_the_files_own_scale() -> None:
    # Right answers are paid 2, wrong ones -1: the refused one becomes 2.
    report = audited(group("a", "3400", [(r"\boxed{3400}", 2.0), (r"\boxed{3,400}", -1.0), (r"\boxed{3400}", 2.0)]))
    assert report.groups[-1].all_correct == 1
    assert report.stake is not None
    assert report.stake.spurious_rollouts == 1.0


@pytest.mark.parametrize(
    ("successes", "scored", "near", "expected"),
    [
        (1, 8, 1, "near_all_wrong"), (7, 8, 1, "near_all_correct"), (2, 8, 1, "mixed"), (2, 8, 2, "near_all_wrong"),
        (1, 2, 1, "mixed"), (1, 3, 1, "near_all_wrong"), (2, 3, 1, "near_all_correct"), (1, 8, 0, "mixed"),
        (0, 4, 0, "near_all_wrong"),
    ],
)  # fmt: skip
def test_nearly_degenerate_groups(successes: int, scored: int, near: int, expected: str) -> None:
    assert near_kind(GroupKind.MIXED, successes, scored, near) == expected


def test_groups_that_change_are_named() -> None:
    report = audited(
        group("becomes-mixed", "3400", [(r"\boxed{3,400}", 0.0), (r"\boxed{1}", 0.0)]),
        group("becomes-right", "25", [(r"\boxed{25 cm}", 0.0), (r"\boxed{25 cm}", 0.0)]),
        group("stays", "4", [(r"\boxed{5}", 0.0), (r"\boxed{6}", 0.0)]),
    )
    assert report.repair is not None
    assert report.repair.become_mixed == ("becomes-mixed",)
    assert report.repair.become_all_correct == ("becomes-right",)
    assert report.repair.n_rollouts_flipped == 3
    assert report.repair.changes == {
        "all_wrong -> mixed": 1, "all_wrong -> all_correct": 1, "all_wrong -> all_wrong": 1,
    }  # fmt: skip
