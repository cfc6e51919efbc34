from typing import Any

import pytest
from audited import Suspect, audited, group

from rewardgate.rollouts.records import Group
from rewardgate.verifiers import get


def all_right() -> list[Group]:
    return [group(str(answer), str(answer), [(rf"\boxed{{{answer}}}", 1.0)] * 2) for answer in (14, 25, 36)]


def test_a_verifier_that_accepts_another_prompts_target_is_caught() -> None:
    found = audited(*all_right(), suspect=Suspect(lambda completion, target: 1.0)).permissive
    assert found is not None
    assert found.n_accepted == found.n_offered == 15  # 3 targets, 5 offers each
    assert found.by_kind["another prompt's target"] == (3, 3)
    assert found.upper_bound == pytest.approx(1.0)
    assert found.cases[0].answer == "25"


def test_a_verifier_that_looks_for_the_target_anywhere_is_caught_by_ten_times_it() -> None:
    def contains(completion: Any, target: Any) -> float:
        return float(str(target) in str(completion))

    report = audited(*all_right(), suspect=Suspect(contains))
    assert report.permissive is not None
    assert {kind for kind, (hit, _) in report.permissive.by_kind.items() if hit} == {"ten times", "negated"}
    assert any("accepts 6 of 15 wrong answers" in finding.sentence for finding in report.findings)


def test_an_honest_verifier_is_bounded_and_not_accused() -> None:
    report = audited(*all_right(), suspect=get("numeric"))
    assert report.permissive is not None
    assert report.permissive.n_accepted == 0
    assert report.permissive.upper_bound == pytest.approx(1 - 0.05 ** (1 / 15))
    assert not [finding for finding in report.findings if "wrong answers that it was offered" in finding.sentence]


def test_two_prompts_with_one_answer_accuse_nobody() -> None:
    groups = [group(name, target, [(r"\boxed{14}", 1.0)] * 2) for name, target in (("a", "14"), ("b", "14.0"))]
    found = audited(*groups, suspect=Suspect(lambda completion, target: float("14" in completion))).permissive
    assert found is not None
    assert "another prompt's target" not in found.by_kind  # the referee accepts it too


def test_logged_rewards_have_no_verifier_to_ask() -> None:
    assert audited(*all_right()).permissive is None
