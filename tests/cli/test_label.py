import csv
import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from rewardgate.audit.labels import LabelStore
from rewardgate.cli import main


class Done(NamedTuple):
    """What a command left, under subprocess's names."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, with keys on its stdin."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str | Path, keys: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["rewardgate", "label", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", StringIO("\n".join(keys)))
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(cast("int", ended.value.code), captured.out, captured.err)

    return run


@pytest.fixture
def rollouts(tmp_path: Path) -> Path:
    """Three all-wrong prompts, two mixed ones, two all-correct ones; two rollouts each."""
    rows = [
        {
            "prompt": f"What is {n}+{n}?",
            "response": f"It is \\boxed{{{2 * n + wrong}}}.",
            "target": str(2 * n),
            "reward": r,
        }
        for n, rewards in enumerate([(0, 0)] * 3 + [(1, 0)] * 2 + [(1, 1)] * 2, start=1)
        for r, wrong in ((rewards[0], 1 - rewards[0]), (rewards[1], 1 - rewards[1]))
    ]
    path = tmp_path / "rollouts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_sample_is_labelled_blind_and_the_verdicts_are_measured(run: Run, rollouts: Path) -> None:
    done = run("run", rollouts, "--annotator", "ann", keys="wwwwwww")
    assert (done.returncode, done.stderr) == (0, "")
    assert "label · 1/7" in done.stdout
    assert "7 of 7 labelled by ann" in done.stdout
    assert "of the rejections inside all-wrong groups, 3 of 3 labelled prompts are truly wrong: 1.000" in done.stdout
    first = done.stdout.index("the verdict was")
    assert "all_wrong" not in done.stdout[:first]
    with LabelStore(f"{rollouts}.labels.sqlite") as store:
        assert {action.annotator for action in store.actions()} == {"ann"}


def test_labelling_goes_on_where_it_was_left_with_a_larger_sample_too(run: Run, rollouts: Path) -> None:
    assert "2 of 3 labelled by ann" in run("run", rollouts, "--annotator", "ann", "--n", "3", keys="wwq").stdout
    again = run("run", rollouts, "--annotator", "ann", keys="w").stdout
    assert "label · 3/3" in again
    assert "label · 1/3" not in again
    assert "label · 4/7" in run("run", rollouts, "--annotator", "ann", "--n", "59", keys="q").stdout


def test_labels_go_out_as_csv_and_come_back_from_another_person(run: Run, rollouts: Path, tmp_path: Path) -> None:
    run("run", rollouts, "--annotator", "ann", keys="wcq")
    exported = run("export", rollouts)
    rows = list(csv.DictReader(StringIO(exported.stdout)))
    assert (exported.returncode, len(rows)) == (0, 7)
    assert [row["label"] for row in rows] == ["w", "c", "", "", "", "", ""]
    for row in rows:
        row["label"], row["annotator"] = "w", "bob"
    rows[3]["label"] = "perhaps"
    filled = tmp_path / "filled.csv"
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = run("import", rollouts, filled)
    assert done.returncode == 0
    assert f"{filled}:5: label: expected one of" in done.stderr
    assert "6 labels added, 0 known already, 0 rows without a label, 1 refused" in done.stderr
    assert "2 labelled by several: raw agreement 0.500" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "FILE"), "labels: expected a file of labels, got FILE.labels.sqlite: No such file"),
        (("run", "FILE", "--annotator", " "), "--annotator: expected a name, got ' '"),
        (("run", "FILE", "--within", "tied"), "within: expected the beginning of a stratum's name, got 'tied'"),
        (("run", "FILE", "--labels", "FILE"), "labels: expected a writable file of labels, got FILE"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_2(
    run: Run, rollouts: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = rollouts.read_bytes()
    done = run(*(one.replace("FILE", str(rollouts)) for one in arguments))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"rewardgate: {message.replace('FILE', str(rollouts))}")
    assert rollouts.read_bytes() == before


def test_labels_of_another_file_or_of_other_verdicts_are_not_mixed(run: Run, rollouts: Path, tmp_path: Path) -> None:
    run("run", rollouts, "--annotator", "ann", keys="w")
    other = tmp_path / "other.jsonl"
    other.write_bytes(rollouts.read_bytes() + b"\n")
    done = run("run", other, "--labels", f"{rollouts}.labels.sqlite")
    assert done.returncode == 2
    assert "expected labels of" in done.stderr
    done = run("run", rollouts, "--verifier", "math")
    assert (done.returncode, done.stderr) == (
        2,
        "rewardgate: scored_by: expected 'as logged', as in the sample of these labels, got 'math'; keep other labels "
        "in another file\n",
    )
