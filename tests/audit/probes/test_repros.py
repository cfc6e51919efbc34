import json
import subprocess
import sys
from pathlib import Path

import pytest
from probe_reports import CHANCE, PAID, STRICT, SUBSTRING, report

from rewardgate.audit.probes.faults import FAULTS
from rewardgate.audit.probes.repros import _OF_CONDUCT, Repro, read_repros, repros_of, write_repros
from rewardgate.errors import InputError


def test_a_repro_holds_the_cases_that_went_wrong_and_the_references_they_belong_to() -> None:
    refused = PAID.model_copy(update={"response": "43", "accepted": False, "reward": 0.0})
    lost = PAID.model_copy(update={"response": "44", "accepted": None, "reward": None, "outcome": "timeout"})
    (repro,) = repros_of(report(findings=(SUBSTRING.model_copy(update={"evidence": (refused, PAID, lost)}),)))
    assert repro.cases == (PAID, lost)  # refused is what a list deserves
    assert repro.references == (("42", r"\boxed{42}"),)
    assert repro.refused_empty
    assert (repro.verifier, repro.fault, repro.correct_at) == ("graders/sub string.py:grade", "substring", 1.0)


@pytest.mark.parametrize("fault", ["random", "order_dependence", "thread", "event_loop"])
def test_a_fault_of_conduct_has_no_case_that_shows_it(fault: str) -> None:
    by_chance = CHANCE.model_copy(update={"fault": fault, "evidence": (PAID,)})
    (repro,) = repros_of(report(findings=(by_chance,)))
    assert repro.cases == ()


def test_a_composition_that_the_search_found_has_its_cases_though_no_row_shows_it() -> None:
    found = SUBSTRING.model_copy(update={"probes": (), "recipe": ("plus_one", "boxed")})
    (repro,) = repros_of(report(findings=(found,)))
    assert (repro.cases, repro.recipe) == ((PAID,), ("plus_one", "boxed"))


def test_what_only_explains_has_no_repro() -> None:
    assert repros_of(report(findings=(STRICT,))) == ()


def test_repros_are_read_back_as_they_were_written_half_a_surrogate_pair_included(tmp_path: Path) -> None:
    odd = PAID.model_copy(update={"response": "\ud83d \a 42\r\n\u2028"})
    written = report(findings=(SUBSTRING.model_copy(update={"evidence": (odd,)}), CHANCE))
    paths = write_repros(written, tmp_path / "repros")
    assert [path.name for path in paths] == ["01_substring_a1b2c3d4.json", "02_random_f00dfeed.json"]
    assert read_repros(tmp_path / "repros") == repros_of(written)
    assert read_repros(paths[0]) == repros_of(written)[:1]


def test_a_folder_without_repros_and_a_file_that_is_none_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected the \.json files of repros, got none"):
        read_repros(tmp_path)
    (tmp_path / "report.json").write_text(report().model_dump_json(), encoding="utf-8")
    with pytest.raises(InputError, match=r"schema_version: expected rewardgate\.repro/1, got rewardgate\.probe/1"):
        read_repros(tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="expected to be writable"):
        write_repros(report(), tmp_path / "file")


def test_no_response_can_leave_its_quotes_in_the_script(tmp_path: Path) -> None:
    hostile = PAID.model_copy(update={"response": '"""\n\'); raise SystemExit(7)  # {x} \\', "target": "'\n"})
    finding = SUBSTRING.model_copy(update={"evidence": (hostile,), "sentence": '"""{0}\nimport os'})
    (path,) = write_repros(report(findings=(finding,)), tmp_path)
    namespace: dict[str, object] = {}
    exec(compile(path.with_suffix(".py").read_text(encoding="utf-8"), "repro", "exec"), namespace)
    assert namespace["CASES"] == [(hostile.response, "'\n", PAID.prompt, False)]
    assert namespace["FINDING"] == '"""{0}\nimport os'


def test_the_script_alone_says_whether_the_fault_is_still_there(tmp_path: Path) -> None:
    grader = tmp_path / "grader.py"
    (path,) = write_repros(report(findings=(SUBSTRING,), verifier="grader.py:grade"), tmp_path / "repros")
    for text, code, told in (
        ("target in completion", 1, "1 of 1 cases go wrong"),
        ("target == completion", 0, "0 of 1 cases go wrong"),
    ):
        grader.write_text(f"def grade(completion, target):\n    return float({text})\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(path.with_suffix(".py"))], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout.splitlines()[-1]) == (code, told), done.stderr


def test_the_json_says_which_version_it_is() -> None:
    (repro,) = repros_of(report(findings=(SUBSTRING,)))
    data = json.loads(json.dumps(repro.model_dump()))
    assert data["schema_version"] == "rewardgate.repro/1"
    assert Repro.model_validate(data) == repro


def test_the_faults_of_conduct_are_known_faults() -> None:
    assert FAULTS.keys() > _OF_CONDUCT
