import pytest
from audited import Suspect, audited, group

from rewardgate.audit import assembling
from rewardgate.verifiers import get

WRONG = [(r"\boxed{5}", 0.0), (r"\boxed{6}", 0.0)]


def test_the_tables_stand_in_the_order_logged_suspect_referee_repaired() -> None:
    names = [table.name for table in audited(group("a", "4", WRONG), suspect=Suspect(lambda c, t: 0.0)).groups]
    assert names == ["as logged", "Suspect", "by the referee", "after repair"]
    assert [table.name for table in audited(group("a", "4", WRONG)).groups] == [
        "as logged", "by the referee", "after repair",
    ]  # fmt: skip


def test_verifiers_are_named_as_users_know_them() -> None:
    report = audited(group("a", "4", WRONG), suspect=get("numeric"))
    assert (report.scored_by, report.referee) == ("numeric", "auto")


def test_cards_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembling, "MAX_CARDS", 2)
    report = audited(*(group(f"g{number}", "4", WRONG) for number in range(5)))
    assert (len(report.cards), report.n_cards_left_out) == (2, 3)
    assert sum(count.groups for count in report.causes) == 5


def test_the_report_says_under_which_options_it_was_made() -> None:
    report = audited(group("a", "4", WRONG), near=2, correct_at=0.5, wrong_at=0.1, seed=7)
    assert (report.near, report.correct_at, report.wrong_at, report.seed) == (2, 0.5, 0.1, 7)
    assert report.schema_version == "rewardgate.audit/1"
    assert report.rewardgate_version
