import json
from pathlib import Path
from typing import Any

import pytest

from rewardgate.audit.runs.looks import MAX_LOOKS, ROWS_WITHOUT_STEP, Look, WatchReport, Window, look, new_rows


def line(
    step: int | None, response: str = "4", reward: float | None = 1.0, target: str = "4", prompt: str = "?"
) -> bytes:
    row: dict[str, Any] = {"prompt": prompt, "response": response, "target": target, "reward": reward, "step": step}
    return json.dumps(row).encode() + b"\n"


def a_look(step: int) -> Look:
    return Look(first_step=step, last_step=step, n_rows=1, severity="ok", headline="", seconds=0.0)


def test_a_window_closes_when_one_step_more_has_begun() -> None:
    window = Window(2)
    assert window.add(line(1)) == window.add(line(1)) == window.add(line(2)) == []
    assert [row.step for row in window.add(line(3))] == [1, 1, 2]
    # Step 3 stays and is the first of the next two.
    assert window.add(line(4)) == []
    assert [row.step for row in window.add(line(5))] == [3, 4]
    assert [row.step for row in window.rest()] == [5]
    assert window.rest() == []


def test_rows_that_come_late_or_unreadable_go_with_the_window_that_is_open() -> None:
    window = Window(1)
    assert [row.step for row in (window.add(line(7)), window.add(b"{torn\n"), window.add(line(8)))[-1]] == [7, None]
    assert [row.step for row in (window.add(line(7)), window.add(line(9)))[0]] == [7]


def test_rows_without_a_step_are_looked_at_by_their_number() -> None:
    window = Window(5)
    taken = [window.add(line(None)) for _ in range(ROWS_WITHOUT_STEP)]
    assert [len(rows) for rows in taken] == [0] * (ROWS_WITHOUT_STEP - 1) + [ROWS_WITHOUT_STEP]


def test_a_window_that_grows_too_large_is_looked_at_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewardgate.audit.runs.looks.MAX_BYTES", 1000)
    window = Window(5)
    assert window.add(line(1)) == []
    assert len(window.add(line(1, response="x" * 1000))) == 2


def test_a_line_without_its_end_waits(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert list(new_rows(log, 0)) == []
    log.write_bytes(b"one\ntw")
    assert list(new_rows(log, 0)) == [(b"one\n", 4)]
    log.write_bytes(b"one\ntwo\n")
    assert list(new_rows(log, 4)) == [(b"two\n", 8)]
    log.write_bytes(b"new\n")  # begun anew
    assert list(new_rows(log, 8)) == [(b"new\n", 4)]


def test_a_look_says_what_the_audit_says_of_these_rows(tmp_path: Path) -> None:
    window = Window(5)
    for step in (1, 2):
        for prompt in "ab":
            window.add(line(step, r"so \boxed{4}", 0.0, prompt=prompt))
            window.add(line(step, "I have no idea.", 0.0, prompt=prompt))
            window.add(line(step, "the answer is 4", None, prompt=prompt))
    found = look(window.rest(), tmp_path / "rows.jsonl")
    assert (found.first_step, found.last_step, found.n_rows, found.n_rollouts) == (1, 2, 12, 12)
    assert (found.n_unscored, found.n_no_answer, found.n_targets) == (4, 4, 1)
    assert found.groups is not None
    assert (found.groups.all_wrong, found.groups.mixed) == (4, 0)
    assert found.severity == "fail"


def test_a_window_without_any_reward_fails_and_says_what_came_in_its_place(tmp_path: Path) -> None:
    window = Window(5)
    for told in ('"KeyError: gold"', '"KeyError: gold"', '"TypeError"'):
        row = {"prompt_id": "p", "response": "4", "target": "4", "rewards": {"f": None}, "meta": {"raised": told}}
        window.add(json.dumps({"schema": "rewardgate.rollout/1", **row}).encode() + b"\n")
    found = look(window.rest(), tmp_path / "rows.jsonl")
    assert (found.severity, found.n_unscored, found.unscored_because) == ("fail", 3, '"KeyError: gold"')
    assert found.headline == 'none of 3 rollouts has a reward; most got "KeyError: gold"'


def test_rows_of_which_none_can_be_used_are_a_look_too(tmp_path: Path) -> None:
    window = Window(5)
    window.add(b"Traceback (most recent call last):\n")
    found = look(window.rest(), tmp_path / "rows.jsonl")
    assert (found.severity, found.n_rows, found.n_rollouts) == ("fail", 1, 0)
    assert found.headline.startswith("the log: expected at least one usable row, got 0 of 1")


def test_a_report_keeps_the_first_look_and_the_latest() -> None:
    report = WatchReport(log="log.jsonl")
    for step in range(MAX_LOOKS + 3):
        report = report.with_look(a_look(step))
    steps = [one.first_step for one in report.looks]
    assert (report.n_looks, len(steps), steps[:2], steps[-1]) == (MAX_LOOKS + 3, MAX_LOOKS, [0, 4], MAX_LOOKS + 2)
