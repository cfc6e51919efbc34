import json
from pathlib import Path

import pytest
from probing_here import patched_to_here, probe_here, spec

from rewardgate.audit.probes.fixing import verify_fix
from rewardgate.audit.probes.model import ProbeReport
from rewardgate.audit.probes.programs import ProgramTarget, program_target
from rewardgate.audit.probes.repros import repros_of
from rewardgate.audit.probes.targets import read_target_of, targets_of
from rewardgate.errors import NoUsableRowsError
from rewardgate.rollouts import Group, read

ADULT = "def is_adult(age):\n    return age >= 18"
TESTS = {"function": "is_adult", "cases": [{"args": [30], "expected": True}]}


def adult(**changed: object) -> ProgramTarget:
    target = program_target({**TESTS, "reference": ADULT, **changed}, prompt="Write is_adult(age).")
    assert target is not None
    return target


def rows(report: ProbeReport) -> dict[str, tuple[int, int]]:
    return {row.probe: (row.n_accepted, row.n) for row in report.rows}


def test_a_verifier_that_pays_the_reference_alone_is_clean() -> None:
    report = probe_here("same_program", [adult()])
    assert report.status == "ok"
    assert report.controls.separates
    # age > 18, age <= 18, 19, 17 and no return: five mutants, none of them paid.
    assert rows(report) == {
        "reference_program": (1, 1),
        "no_program": (0, 1),
        "mutant_boundary": (0, 1),
        "mutant_swapped_comparison": (0, 1),
        "mutant_off_by_one": (0, 2),
        "mutant_removed_return": (0, 1),
    }
    assert [entry.what for entry in report.not_measured] == ["answers in texts"]


def test_mutants_that_pass_are_found_and_say_where_they_differ() -> None:
    report = probe_here("program_without_digits", [adult()])
    assert [finding.fault for finding in report.findings] == ["mutant_survives"]
    (finding,) = report.findings
    assert finding.probes == ("mutant_off_by_one",)
    assert {case.recipe[1] for case in finding.evidence} == {"line 2: 18 → 19", "line 2: 18 → 17"}
    assert json.loads(finding.evidence[0].target)["function"] == "is_adult"
    assert report.headlines is not None
    assert report.headlines.false_pass_ceiling.rate == 1.0


def test_one_that_pays_every_program_is_inconclusive() -> None:
    report = probe_here("any_program", [adult()])
    assert report.status == "inconclusive"
    assert "mutants alike" in report.controls.reason


def test_a_reference_that_fails_its_own_tests_is_held_against_the_target() -> None:
    # The stub knows one text only: of this target the one under `reference` is not what is offered.
    other = ProgramTarget({**TESTS, "reference": "def is_adult(age):\n    return age > 17"}, ADULT)
    report = probe_here("same_program", [adult(), other])
    assert [finding.fault for finding in report.findings if finding.severity != "info"] == ["reference_refused"]
    assert rows(report)["reference_program"] == (1, 2)
    nothing_passes = probe_here("same_program", [other])
    assert (nothing_passes.status, nothing_passes.controls.reason) == (
        "inconclusive",
        "no reference program passes its own tests",
    )


def test_a_reference_in_another_language_is_not_mutated_and_that_is_said() -> None:
    report = probe_here("same_program", [adult(reference="fn main() {}")])
    assert rows(report) == {"reference_program": (1, 1), "no_program": (0, 1)}
    assert "mutants of 1 programs" in [entry.what for entry in report.not_measured]


def test_texts_and_programs_are_probed_in_one_audit() -> None:
    report = probe_here("same_program", [adult(), read_target_of("7")])
    assert rows(report)["mutant_boundary"] == (0, 1)
    assert report.n_targets == 2


@pytest.mark.parametrize(
    ("specification", "reference"),
    [
        ({"reference": "print(1)", "solution": "print(2)"}, "print(1)"),
        ({"solutions": ["print(2)", "print(3)"]}, "print(2)"),
        ({"code": "print(4)"}, "print(4)"),
        ({"prompt": "def f(n):\n", "canonical_solution": "    return n"}, "def f(n):\n    return n"),
        ({"prompt": "Add.", "canonical_solution": "def f(n):\n    return n"}, "def f(n):\n    return n"),
        ({"solutions": [], "reference": "  "}, None),
        ({"reference": 7}, None),
    ],
)
def test_the_reference_is_found_where_the_data_sets_keep_it(
    specification: dict[str, object], reference: str | None
) -> None:
    target = program_target(specification)
    assert (target and target.reference) == reference


def test_a_files_specifications_are_targets_where_they_hold_a_reference(tmp_path: Path) -> None:
    def groups(*targets: object) -> list[Group]:
        file = tmp_path / "rows.jsonl"
        lines = [
            {"prompt_id": str(number), "prompt": "?", "response": "x", "target": target, "rewards": {"r": 0.0}}
            for number, target in enumerate(targets)
        ]
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return list(read(file))

    found = targets_of(groups({**TESTS, "reference": ADULT}, "7", TESTS))
    assert [type(one).__name__ for one in found] == ["ProgramTarget", "ProbeTarget"]
    with pytest.raises(NoUsableRowsError, match="or a specification with a reference program, got none"):
        targets_of(groups(TESTS))


@pytest.mark.parametrize(("patched", "status"), [("program_without_digits", "still_there"), ("same_program", "fixed")])
def test_stored_mutants_are_asked_again_after_a_patch(
    monkeypatch: pytest.MonkeyPatch, patched: str, status: str
) -> None:
    patched_to_here(monkeypatch)
    repros = repros_of(probe_here("program_without_digits", [adult()]))
    (row,) = verify_fix(repros, verifier=spec(patched)).rows
    assert row.status == status
