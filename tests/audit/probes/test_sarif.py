import json
from pathlib import Path
from typing import Any

import pytest
from probe_reports import CHANCE, STRICT, SUBSTRING, report

from rewardgate.audit.probes.sarif import sarif

# The objects that are written, with the members that the standard requires and those that it allows of them.
TEXT = {"text"}
REQUIRED: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"invocations", "results", "columnKind", "properties"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "help"}),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "kind", "level", "locations", "partialFingerprints", "properties", "baselineState"},
    ),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "notification": ({"message"}, {"level"}),
    "location": (set(), {"physicalLocation", "logicalLocations"}),
}


def check(kind: str, found: dict[str, Any]) -> None:
    required, allowed = REQUIRED[kind]
    assert required <= found.keys() <= required | allowed, kind


def only_run(log: dict[str, Any]) -> dict[str, Any]:
    """The run, after the whole log was checked against the standard's structure."""
    check("log", log)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    check("run", run)
    assert run["tool"].keys() == {"driver"}
    check("driver", run["tool"]["driver"])
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        check("rule", rule)
        assert rule["shortDescription"].keys() == rule["help"].keys() == TEXT
    for result in run["results"]:
        check("result", result)
        assert result["message"].keys() == TEXT
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["kind"] in {"fail", "informational"}
        # 3.27.10: a level other than none belongs to a failure alone.
        assert (result["level"] == "none") == (result["kind"] != "fail")
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        for location in result["locations"]:
            check("location", location)
    (invocation,) = run["invocations"]
    check("invocation", invocation)
    for notification in invocation["toolExecutionNotifications"]:
        check("notification", notification)
    return run


def test_each_finding_is_a_result_with_the_level_of_its_severity() -> None:
    results = only_run(sarif(report()))["results"]
    assert [(one["ruleId"], one["kind"], one["level"]) for one in results] == [
        ("substring", "fail", "error"),
        ("random", "fail", "warning"),
        ("strict_format", "informational", "none"),
    ]
    assert results[0]["partialFingerprints"] == {"rewardgateProbe/v1": "a1b2c3d4e5"}


def test_a_box_in_a_sentence_is_no_placeholder_and_evidence_stays_as_it_was_asked() -> None:
    result = only_run(sarif(report()))["results"][0]
    assert result["message"]["text"].endswith(r"25 of 25 targets, \boxed{{7}} too.")
    assert result["properties"]["evidence"][0]["response"] == r"40, 41, 42, 43 in \boxed{7}"


def test_a_models_words_make_no_link() -> None:
    finding = SUBSTRING.model_copy(update={"sentence": "paid: [click](https://example.org)"})
    message = only_run(sarif(report(findings=(finding,))))["results"][0]["message"]["text"]
    assert message == "paid: [click] (https://example.org)"


def test_a_result_points_at_the_line_that_defines_the_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my graders").mkdir()
    (tmp_path / "my graders" / "sub.py").write_text(
        "X = 1\n\n\nasync def grade(a, b):\n    return 1\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    for spec in ("my graders/sub.py:grade", f"{tmp_path}/my graders/sub.py:grade"):
        (location,) = only_run(sarif(report(verifier=spec)))["results"][0]["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "my%20graders/sub.py"},
            "region": {"startLine": 4},
        }
        assert location["logicalLocations"] == [{"fullyQualifiedName": spec, "kind": "function"}]


@pytest.mark.parametrize("text", ["def other(): ...", "def (", "\0"])
def test_a_function_that_cannot_be_found_is_placed_in_its_file(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (location,) = only_run(sarif(report(verifier="sub.py:grade")))["results"][0]["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": "sub.py"}}


def test_a_registered_verifier_has_a_name_and_no_file() -> None:
    (location,) = only_run(sarif(report(verifier="math")))["results"][0]["locations"]
    assert location == {"logicalLocations": [{"fullyQualifiedName": "math", "kind": "function"}]}


def test_with_a_baseline_each_result_says_whether_it_is_new_and_what_is_gone_is_absent() -> None:
    log = sarif(report(findings=(SUBSTRING, STRICT)), baseline=report(findings=(STRICT, CHANCE)))
    states = {one["ruleId"]: one["baselineState"] for one in only_run(log)["results"]}
    assert states == {"substring": "new", "strict_format": "unchanged", "random": "absent"}


def test_an_inconclusive_probe_is_no_empty_list_alone() -> None:
    log = sarif(report(status="inconclusive", headline="it accepts an empty answer", findings=()))
    run = only_run(log)
    assert run["results"] == []
    notifications = run["invocations"][0]["toolExecutionNotifications"]
    assert notifications[0] == {"level": "error", "message": {"text": "Inconclusive: it accepts an empty answer"}}
    assert notifications[1]["message"]["text"] == "Not measured: prompt echo: no prompts; give rows with prompts"


def test_the_log_is_json() -> None:
    assert json.loads(json.dumps(sarif(report()), allow_nan=False)) == sarif(report())
