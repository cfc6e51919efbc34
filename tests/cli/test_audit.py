import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two wrong answers, with half a surrogate pair in them, as a token cut inside an emoji leaves it."""
    file = tmp_path / "rows.jsonl"
    row = {"prompt_id": "a", "prompt": "2 + 2?", "response": "\\boxed{5} \ud83d", "target": "4", "rewards": {"r": 0.0}}
    file.write_text(f"{json.dumps(row)}\n" * 2)
    return file


def test_the_page_is_written_beside_the_summary_and_the_json(run: Run, rows: Path, tmp_path: Path) -> None:
    page, report = tmp_path / "report.html", tmp_path / "report.json"
    code, out, err = run("audit", rows, "--html", page, "--json", report)
    assert (code, err) == (0, "")
    assert "1 GOLDS" in out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "\\ud83d" in json.dumps(json.loads(report.read_text(encoding="utf-8")))


def test_the_page_alone_goes_to_stdout_where_it_is_asked_for(run: Run, rows: Path) -> None:
    code, out, _ = run("audit", rows, "--html", "-")
    assert code == 0
    assert out.startswith("<!doctype html>")
    assert "1 GOLDS" not in out


def test_two_reports_in_one_place_are_refused(run: Run, rows: Path, tmp_path: Path) -> None:
    for place in ("-", tmp_path / "out"):
        code, out, err = run("audit", rows, "--html", place, "--json", place)
        assert (code, out) == (2, "")
        assert f"--html: expected another file than --json, got {place}" in err


def test_the_page_is_never_written_over_the_rollouts(run: Run, rows: Path) -> None:
    before = rows.read_text()
    code, _, err = run("audit", rows, "--html", rows)
    assert code == 2
    assert "--html: expected another file than the input" in err
    assert rows.read_text() == before
