import pytest
from audited import Suspect, audited, group

from rewardgate.audit.findings import headline
from rewardgate.audit.report.model import Finding

MIXED = group("mixed", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])


def finding(section: str, severity: str) -> Finding:
    return Finding(section=section, severity=severity, sentence=f"{section} {severity}")


def test_the_headline_is_the_first_of_the_worst() -> None:
    found = [finding("golds", "warn"), finding("causes", "fail"), finding("stake", "fail"), finding("groups", "ok")]
    assert headline(found).sentence == "causes fail"


def test_a_file_without_a_fault_is_ok_and_says_what_that_means() -> None:
    report = audited(MIXED)
    assert report.severity == "ok"
    assert report.headline == "nothing was found among what could be measured"


@pytest.mark.parametrize(("clean", "severity"), [(1, "fail"), (400, "warn")])
def test_severity_goes_by_the_share_and_the_threshold_is_said(clean: int, severity: str) -> None:
    faulty = group("a", "3400", [(r"\boxed{3,400}", 0.0), (r"\boxed{1}", 0.0)])
    report = audited(
        faulty, *(group(f"g{number}", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)]) for number in range(clean))
    )
    (refused,) = (found for found in report.findings if found.section == "causes" and "right answer" in found.sentence)
    assert refused.severity == severity
    assert "2 %" in refused.threshold
    assert refused.sentence == "1 right answer scored wrong (format 1); 1 dead or nearly dead group due to it"


def test_rewards_on_another_scale_are_not_mistaken_for_refusals_in_silence() -> None:
    report = audited(group("a", "7", [(r"\boxed{7}", 0.9), (r"\boxed{8}", 0.1)]))
    assert (report.severity, report.findings[0].section) == ("fail", "reading")
    assert "no reward reaches 1, the highest is 0.9" in report.headline
    assert "--correct-at" in report.headline
    assert audited(group("a", "7", [(r"\boxed{7}", 0.9), (r"\boxed{8}", 0.1)]), correct_at=0.5).severity == "ok"


def test_groups_of_one_have_no_advantage_at_all() -> None:
    report = audited(group("a", "7", [(r"\boxed{7}", 1.0)]), group("b", "8", [(r"\boxed{8}", 1.0)]))
    assert report.headline == "no group has two scored rollouts: there is no group-relative advantage at all"


def test_a_permissive_verifier_fails_the_audit() -> None:
    report = audited(MIXED, suspect=Suspect(lambda completion, target: 1.0))
    assert report.severity == "fail"
    assert report.headline == "1 rollout (50 %) paid though the referee refuses"
