"""Without Ray, what needs it says how to install it, and the rest of the library does not notice."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from rewardgate.cli.command import _exit_code
from rewardgate.errors import MissingExtraError, UnknownNameError
from rewardgate.integrations import ray as beyond

pytestmark = pytest.mark.skipif(find_spec("ray") is not None, reason="NOT RUN: Ray is installed")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"prompt": "?", "response": "4", "answer": "4"}))
    return path


def test_its_absence_names_the_extra(rows: Path, tmp_path: Path) -> None:
    for ask in (
        lambda: beyond.verify(rows, "math", tmp_path / "out"),
        lambda: beyond.score(rows, "arithmetic", tmp_path / "out"),
        lambda: beyond.audit(rows),
    ):
        with pytest.raises(MissingExtraError, match=r"pip install 'rewardgate\[ray\]'"):
            ask()


def test_the_command_says_so_in_one_line(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["verify", str(rows), "--engine", "ray", "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["verify", "--engine", "ray"], "--out: expected a folder with --engine ray, got stdout"),
        (["score", "--engine", "ray", "--out", "out", "--cache", "kept"], "--cache: expected none with --engine ray"),
    ],
)
def test_what_cannot_go_together_is_refused(
    rows: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _exit_code([options[0], str(rows), *options[1:]]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_scorer_is_told_before_anything_runs(rows: Path) -> None:
    with pytest.raises(UnknownNameError, match="known: arithmetic"):
        beyond.score(rows, "arithmetik", rows.parent / "out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_rows": 100}, "block_rows: expected a multiple of 64, got 100"),
        ({"block_rows": 0}, "block_rows: expected a whole number >= 64, got 0"),
        ({"num_workers": 0}, "num_workers: expected a whole number >= 1, got 0"),
        ({"timeout_s": 0}, "timeout_s: expected"),
        ({"answer_key": "x"}, "answer_key: expected one of format, prompt_id_key"),
        ({"options": {"colour": "red"}}, "colour"),
    ],
)
def test_options_are_checked_before_anything_runs(rows: Path, options: dict, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        beyond.verify(rows, "math", rows.parent / "out", **options)
