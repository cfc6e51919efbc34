import json
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from probing_here import patched_to_here

from rewardgate.cli import main

Run = Callable[..., tuple[int, str, str]]

PATCHED = """
def grade(completion, target):
    return float(completion == f"\\\\boxed{{{target}}}")
"""
FAULTY = """
def grade(completion, target):
    return float(target in completion)
"""
STRICT_BUT_TOLERANT = """
def grade(completion, target):
    number = completion.removeprefix("\\\\boxed{").removesuffix("}")
    try:
        return float(abs(float(number) - float(target)) <= abs(float(target)) * 2e-4)
    except ValueError:
        return 0.0
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command, with the verifier in this process: what runs in others is tested where it stands."""
    patched_to_here(monkeypatch)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["rewardgate", "probe", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return run


def grader(folder: Path, source: str, name: str = "grader") -> str:
    (folder / f"{name}.py").write_text(source)
    return f"{folder / name}.py:grade"


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Three prompts with their targets: what is tested here is the command."""
    file = tmp_path / "rows.jsonl"
    lines = [
        {"prompt_id": target, "prompt": f"Say {target}.", "response": "?", "target": target, "rewards": {"r": 0.0}}
        for target in ("31", "47", "58")
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.mark.parametrize(
    ("source", "fail_on", "code"),
    [
        (FAULTY, None, 0),
        (FAULTY, "fail", 1),
        (STRICT_BUT_TOLERANT, "fail", 0),  # a tolerance of one part in 5,000 warns
        (STRICT_BUT_TOLERANT, "warn", 1),
        (PATCHED, "warn", 0),
    ],
)
def test_findings_fail_the_command_only_where_it_is_told_so(
    run: Run, few: Path, tmp_path: Path, source: str, fail_on: str | None, code: int
) -> None:
    options = () if fail_on is None else ("--fail-on", fail_on)
    found, out, err = run(grader(tmp_path, source), "--rollouts", few, *options)
    assert (found, err) == (code, "")
    assert "6 FINDINGS" in out


def test_an_inconclusive_probe_fails_the_command_too(run: Run, few: Path, tmp_path: Path) -> None:
    nobody = grader(tmp_path, "def grade(completion, target):\n    return 0.0\n")
    assert run(nobody, "--rollouts", few)[0] == 0
    code, out, _ = run(nobody, "--rollouts", few, "--fail-on", "fail")
    assert code == 1
    assert "INCONCLUSIVE" in out


def test_the_files_targets_are_used(run: Run, few: Path, tmp_path: Path) -> None:
    code, out, _ = run(grader(tmp_path, PATCHED), "--rollouts", few, "--json", "-")
    report = json.loads(out)
    assert code == 0
    assert (report["n_targets"], report["targets_from"]) == (3, str(few))
    assert {row["worst"]["target"] for row in report["rows"] if row["worst"]} <= {"31", "47", "58"}


def test_every_kind_of_output_is_written_beside_the_summary(run: Run, few: Path, tmp_path: Path) -> None:
    places = {name: tmp_path / f"out.{name}" for name in ("json", "sarif", "junit")}
    options = [part for name, place in places.items() for part in (f"--{name}", place)]
    code, out, err = run(grader(tmp_path, FAULTY), "--rollouts", few, *options)
    assert (code, err) == (0, "")
    assert "MUST REJECT" in out
    report = json.loads(places["json"].read_text())
    assert report["status"] == "findings"
    (sarif,) = json.loads(places["sarif"].read_text())["runs"]
    accusing = [one for one in report["findings"] if one["severity"] != "info"]
    assert {one["fault"] for one in accusing} <= {result["ruleId"].split("/")[-1] for result in sarif["results"]}
    suite = ElementTree.parse(places["junit"]).getroot()
    assert len(list(suite.iter("testcase"))) >= len(report["rows"])


def test_two_outputs_on_stdout_are_refused(run: Run, few: Path, tmp_path: Path) -> None:
    code, out, err = run(grader(tmp_path, PATCHED), "--rollouts", few, "--json", "-", "--sarif", "-")
    assert (code, out) == (2, "")
    assert "--json, --sarif, --junit: expected one of them on stdout at most, got several" in err


def test_known_findings_are_no_news(run: Run, few: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    faulty = grader(tmp_path, FAULTY)
    assert run(faulty, "--rollouts", few, "--json", known, "--fail-on", "warn")[0] == 1
    assert run(faulty, "--rollouts", few, "--baseline", known, "--fail-on", "warn")[0] == 0
    # A fault that came since is.
    (tmp_path / "grader.py").write_text(
        FAULTY.replace("target in completion", "not completion or target in completion")
    )
    assert run(faulty, "--rollouts", few, "--baseline", known, "--fail-on", "warn")[0] == 1


def test_repros_are_still_there_until_the_grader_is_patched(run: Run, few: Path, tmp_path: Path) -> None:
    folder = tmp_path / "repros"
    faulty = grader(tmp_path, FAULTY)
    code, _, err = run(faulty, "--rollouts", few, "--repros", folder)
    n_repros = len(list(folder.glob("*.json")))
    assert (code, err) == (0, f"{n_repros} repros in {folder}\n")
    assert n_repros > 0
    code, out, _ = run(faulty, "--verify-fix", folder)
    assert code == 1
    assert "still_there" in out
    assert out.endswith("not fixed\n")
    patched = grader(tmp_path, PATCHED, "patched")
    code, out, _ = run(patched, "--verify-fix", folder)
    assert code == 0
    assert out.endswith("all fixed\n")
    code, out, _ = run(patched, "--verify-fix", folder, "--json", "-")
    assert json.loads(out)["is_fixed"] is True


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["maths"], 'verifier: unknown name "maths"; known: '),
        (["exact", "--baseline", "none.json"], "none.json: expected a readable file, got: No such file or directory"),
        (["exact", "--verify-fix", "none"], "none: expected a readable file"),
        (["exact", "--rollouts", "none.jsonl"], "none.jsonl"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_exit_2(run: Run, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
