from rewardgate.audit.report.duplicates import Duplicates, Permissive, Phantom
from rewardgate.audit.suspicions import suspicions

NOTHING = Duplicates(n_prompts=100, n_all_correct=50, pairs={})


def severities(
    copies: Duplicates | None = None, permissive: Permissive | None = None, phantom: Phantom | None = None
) -> list[str]:
    return [finding.severity for finding in suspicions(copies, permissive, phantom, 100)]


def test_what_was_not_asked_or_not_found_is_no_finding() -> None:
    assert severities() == []
    assert severities(NOTHING) == []
    assert severities(None, Permissive(n_offered=10, n_accepted=0, upper_bound=0.26, by_kind={})) == []
    assert severities(None, None, Phantom(outcome="acc", n_groups=100)) == []


def test_severities_follow_their_thresholds() -> None:
    assert severities(NOTHING.model_copy(update={"pairs": {"exact": 1}})) == ["warn"]
    assert severities(NOTHING.model_copy(update={"pairs": {"variant": 90}})) == []
    assert severities(NOTHING.model_copy(update={"n_low_diversity": 9})) == ["ok"]
    assert severities(NOTHING.model_copy(update={"n_low_diversity": 10})) == ["warn"]
    assert severities(NOTHING.model_copy(update={"n_overlapping": 3})) == ["warn"]
    assert severities(None, None, Phantom(outcome="acc", n_groups=100, n_all_wrong_but_signal=4)) == ["warn"]
    assert severities(None, None, Phantom(outcome="acc", n_groups=100, n_all_wrong_but_signal=5)) == ["fail"]


def test_targets_in_prompts_are_set_against_what_chance_brings() -> None:
    assert severities(NOTHING.model_copy(update={"n_target_in_prompt": 6, "by_chance_in_prompt": 3})) == []
    assert severities(NOTHING.model_copy(update={"n_target_in_prompt": 7, "by_chance_in_prompt": 3})) == ["warn"]
