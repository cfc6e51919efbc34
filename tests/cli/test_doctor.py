"""`rewardgate doctor`: the layers of this machine, as text and as JSON, and `verify` over tests in a file."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rewardgate.cli import main
from rewardgate.cli.doctor_sandbox import PROOFS
from rewardgate.verifiers.sandbox.jailer import Jail


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["rewardgate", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out, said.err

    return run


def test_doctor_names_every_layer_with_its_proof_or_the_reason_why_it_is_missing(run: Any) -> None:
    code, out, _ = run("doctor", "sandbox")
    assert code == 0
    assert "tier" in out
    with Jail() as jail:
        for name, proof in PROOFS.items():
            (line,) = [line for line in out.splitlines() if line.split()[1:2] == [name]]
            assert line.startswith("  yes") == (name in jail.layers)
            assert (proof in line) == (name in jail.layers)


def test_doctor_writes_the_same_as_json(run: Any) -> None:
    code, out, _ = run("doctor", "sandbox", "--json")
    report = json.loads(out)
    assert (code, report["schema_version"]) == (0, 1)
    assert [layer["name"] for layer in report["sandbox"]["layers"]] == list(PROOFS)
    assert all(layer["is_here"] == (layer["reason"] is None) for layer in report["sandbox"]["layers"])


def test_a_tier_of_another_name_is_refused(run: Any) -> None:
    assert run("doctor", "--require", "stric")[::2] == (
        2,
        "rewardgate: --require: expected one of strict, standard, basic, got 'stric'\n",
    )


def test_a_tier_that_is_not_reached_ends_with_2(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def poorer(**options: Any) -> Jail:
        return Jail(without=["landlock"], **options)

    monkeypatch.setattr("rewardgate.verifiers.sandbox.jailer.Jail", poorer)
    code, out, err = run("doctor", "sandbox", "--require", "standard")
    assert (code, err.count("\n")) == (2, 1)
    assert "landlock" in err
    assert "sandbox: tier basic" in out
    assert "landlock  missing: left out on purpose" in out


ROWS = [
    {"prompt": "Add.", "response": "```python\nprint(sum(map(int, input().split())))\n```", "right": True},
    {"prompt": "Add.", "response": "```python\nprint(4)\n```", "right": False},
]
TARGETS = [
    {"inputs": ["1 2\n"], "outputs": ["3\n"]},
    json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
]


@pytest.mark.parametrize("verifier", ["auto", "code"])
def test_verify_runs_the_tests_of_a_file(run: Any, tmp_path: Path, verifier: str) -> None:
    file = tmp_path / "rows.jsonl"
    targets = TARGETS if verifier == "auto" else TARGETS[:1]
    rows = [{**row, "target": target} for target in targets for row in ROWS]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run("verify", file, "--verifier", verifier)
    assert code == 0, err
    verdicts = [json.loads(line) for line in out.splitlines()]
    assert [verdict["reward"] == 1 for verdict in verdicts] == [row["right"] for row in rows]
    assert {verdict["rule"] for verdict in verdicts} == {"tests_passed", "wrong_output"}
