from audited import audited, group

from rewardgate.rollouts.records import Group


def summed(name: str, *pairs: tuple[float, float]) -> Group:
    """A group of (accuracy, total)."""
    members = [
        (r"\boxed{5}", total, {"rewards": {"reward": total, "reward_accuracy": accuracy}}) for accuracy, total in pairs
    ]
    return group(name, "4", members)


def test_groups_that_are_dead_by_their_outcome_and_alive_in_the_sum_are_listed() -> None:
    report = audited(
        summed("wrong", (0, 0.1), (0, 0.2)),
        summed("right", (1, 1.1), (1, 1.2)),
        summed("alive", (0, 0.1), (1, 1.2)),
        summed("dead", (0, 0.1), (0, 0.1)),
    )
    phantom = report.phantom
    assert phantom is not None
    assert phantom.outcome == "reward_accuracy"
    assert (phantom.all_wrong_but_signal, phantom.all_correct_but_signal) == (("wrong",), ("right",))
    finding = next(finding for finding in report.findings if "get advantages though" in finding.sentence)
    assert finding.severity == "fail"  # 2 of 4 groups
    assert finding.sentence.startswith("2 groups get advantages though all their outcomes (reward_accuracy) are equal")


def test_without_an_outcome_beside_the_sum_nothing_is_said() -> None:
    assert audited(group("a", "4", [(r"\boxed{4}", 1.0), (r"\boxed{5}", 0.2)])).phantom is None
