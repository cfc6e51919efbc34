import json
from pathlib import Path

import pytest
from probe_reports import CHANCE, STRICT, SUBSTRING, report

from rewardgate.audit.probes.baseline import new_findings, read_report
from rewardgate.errors import InputError


def test_without_a_baseline_every_finding_is_new() -> None:
    assert new_findings(report(), None) == (SUBSTRING, CHANCE, STRICT)


def test_a_finding_is_known_by_its_fingerprint_whatever_its_counts() -> None:
    earlier = SUBSTRING.model_copy(update={"sentence": "accepted for 3 of 10 targets", "evidence": ()})
    assert new_findings(report(), report(findings=(earlier,), seed=7)) == (CHANCE, STRICT)


def test_a_known_finding_that_got_graver_is_new() -> None:
    milder = SUBSTRING.model_copy(update={"severity": "warn"})
    graver = CHANCE.model_copy(update={"severity": "fail"})
    assert new_findings(report(), report(findings=(milder, graver, STRICT))) == (SUBSTRING,)


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(report().model_dump_json(), encoding="utf-8")
    assert read_report(path) == report()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "expected JSON, got"),
        ("[]", "schema_version: expected rewardgate.probe/1, got None"),
        ('{"schema_version": "rewardgate.audit/1"}', "schema_version: expected rewardgate.probe/1, got rewardgate.aud"),
        ('{"schema_version": "rewardgate.probe/1"}', "rewardgate_version: expected what rewardgate.probe/1 holds"),
        (json.dumps({**json.loads(report().model_dump_json()), "seed": "x"}), "seed: expected what"),
    ],
)
def test_what_is_no_probe_report_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_report(path)
    assert str(refused.value).startswith(f"{path}: {told}")


def test_a_missing_baseline_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a readable file"):
        read_report(tmp_path / "none.json")
