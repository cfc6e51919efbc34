import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    file = tmp_path / "steps.jsonl"
    rows = [
        {"problem": f"{n} + 3?", "steps": [f"{n} + 3 = {n + 3 + n % 2}", "Done."], "label": 0 if n % 2 else -1}
        for n in range(20)
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


@pytest.fixture
def rollouts(tmp_path: Path) -> Path:
    file = tmp_path / "rollouts.jsonl"
    rows = [
        {
            "prompt": f"{n} + 3?",
            "response": f"{n} + 3 = {said}\n\n\\boxed{{{said}}}",
            "target": str(n + 3),
            "reward": right,
        }
        for n in range(6)
        for said, right in ((n + 3, 1.0), (n + 4, 0.0))
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def test_labelled_steps_are_known_by_their_fields_and_audited(run: Run, steps: Path, tmp_path: Path) -> None:
    page, report = tmp_path / "s.html", tmp_path / "s.json"
    code, out, err = run("audit", steps, "--scorer", "arithmetic", "--html", page, "--json", report)
    assert (code, err) == (0, "")
    assert "read as processbench" in out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["schema_version"], found["first_errors"][0]["f1"]) == ("rewardgate.steps/1", 1.0)


def test_the_json_alone_goes_to_stdout(run: Run, steps: Path) -> None:
    code, out, _ = run("audit", steps, "--scorer", "arithmetic", "--json", "-")
    assert (code, json.loads(out)["scorer"]) == (0, "arithmetic")


def test_the_exit_code_follows_the_severity_where_asked(run: Run, steps: Path) -> None:
    # Half of the steps hold nothing to check: the coverage is 50 %, which does not warn.
    assert run("audit", steps, "--scorer", "arithmetic", "--fail-on", "warn")[0] == 0
    rows = [json.loads(line) for line in steps.read_text().splitlines()]
    steps.write_text("".join(f"{json.dumps({**row, 'steps': [*row['steps'], 'So.']})}\n" for row in rows))
    assert run("audit", steps, "--scorer", "arithmetic", "--fail-on", "warn")[0] == 1
    assert run("audit", steps, "--scorer", "arithmetic", "--fail-on", "fail")[0] == 0


def test_without_a_scorer_the_command_says_what_is_missing(run: Run, steps: Path) -> None:
    code, out, err = run("audit", steps)
    assert (code, out) == (2, "")
    assert err == "rewardgate: scorer: expected the name of one, as the file holds no step_scores, got none\n"
    assert run("audit", steps, "--scorer", "nobody")[0] == 2


def test_a_scorer_is_built_with_its_options_and_may_have_a_cache(run: Run, steps: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    code, out, _ = run("audit", steps, "--scorer", "arithmetic", "--cache", cache, "--json", "-")
    assert (code, json.loads(out)["scorer"], cache.is_dir()) == (0, "arithmetic", True)
    code, _, err = run("audit", steps, "--scorer", "arithmetic", "--option", "depth=3")
    assert (code, "expected no options, got depth" in err) == (2, True)
    for option, value in (("--option", "a=1"), ("--cache", cache)):
        code, _, err = run("audit", steps, option, value)
        assert (code, err) == (2, f"rewardgate: {option}: expected a --scorer to go with it, got none\n")


@pytest.mark.parametrize("option", ["--verifier", "--sft", "--labels", "--freeze"])
def test_what_needs_rollouts_is_refused_for_steps(run: Run, steps: Path, tmp_path: Path, option: str) -> None:
    code, _, err = run("audit", steps, "--scorer", "arithmetic", option, tmp_path / "x")
    assert code == 2
    assert f"{option}: expected a file of rollouts to go with it, got labelled steps in {steps}" in err


def test_the_page_is_never_written_over_the_steps(run: Run, steps: Path) -> None:
    before = steps.read_text()
    code, _, err = run("audit", steps, "--scorer", "arithmetic", "--html", steps)
    assert (code, steps.read_text()) == (2, before)
    assert "--html: expected another file than the input" in err


def test_on_rollouts_the_scorer_is_held_against_mixed_groups(run: Run, rollouts: Path) -> None:
    code, out, _ = run("audit", rollouts, "--scorer", "arithmetic", "--scorer-groups", 4, "--seed", 3)
    assert code == 0
    assert "Would a gate with arithmetic speak truly here?" in out
    assert "4 of them drawn (seed 3)" in out


def test_rollouts_that_come_through_a_pipe_are_not_tasted_first(run: Run, rollouts: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", 'cat "$1" > "$2"', "sh", str(rollouts), str(pipe))
    code, out, _ = run("audit", pipe)
    os.waitpid(writer, 0)
    assert (code, "12 rollouts" in out) == (0, True)
