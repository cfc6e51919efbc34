import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from chat_server import ChatServer, Script, chat_server

import rewardgate
from rewardgate.cli import main
from rewardgate.prm import StepScore
from rewardgate.prm.scored_rows import read_scored_rows
from rewardgate.rollouts.reading import read_rows
from rewardgate.rollouts.records import Rollout
from rewardgate.rollouts.writing import STEP_SCORE_FIELDS

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"
COMMAND = [sys.executable, "-c", "from rewardgate.cli import main; main()"]


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["rewardgate", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(cast("int", ended.value.code), captured.out, captured.err)

    return run


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as listening:
        yield listening


def write_rows(path: Path, *rows: dict | str) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def some_rows(tmp_path: Path) -> Path:
    return write_rows(
        tmp_path / "rows.jsonl",
        {"prompt": "p", "prompt_id": "p", "response": "3 * 4 = 12\n\n12 + 1 = 14"},
        "{broken",
        {"prompt": "p", "prompt_id": "p", "response": None},
        {"prompt": "p", "prompt_id": "p", "response": ""},
        {"prompt": "p", "prompt_id": "p", "response": "é😀: 1 + 1 = 2"},
    )


def judge_options(server: ChatServer) -> list[str]:
    pairs = {"base_url": server.base_url, "model": "judge", "api_key_env": "NO_KEY", "first_wait_s": 0.001}
    return [part for key, value in pairs.items() for part in ("--option", f"{key}={value}")]


def test_one_line_a_row_in_order_refused_rows_and_empty_ones_included(run: Run, tmp_path: Path) -> None:
    done = run("score", some_rows(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [tuple(row) for row in rows] == [STEP_SCORE_FIELDS] * 5
    assert [(row["row"], row["line"]) for row in rows] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert [(step["start"], step["end"], step["score"]) for step in rows[0]["steps"]] == [(0, 12, 1.0), (12, 23, 0.0)]
    assert "14 on the right" in rows[0]["steps"][1]["detail"]
    assert [row["steps"] for row in rows[1:4]] == [None, None, []]
    assert "JSON" in rows[1]["problem"]
    assert [row["problem"] for row in rows[2:]] == ["no response", None, None]
    assert (rows[4]["prompt_id"], rows[4]["scorer"], rows[4]["version"]) == ("p", "arithmetic", "1")
    assert done.stderr == ("4 rollouts (1 without a response), 1 rows refused · 3 of 3 steps scored · arithmetic 1\n")


def test_what_is_written_is_read_back_beside_the_rollouts(run: Run, tmp_path: Path) -> None:
    rows, out = some_rows(tmp_path), tmp_path / "scores.jsonl"
    assert run("score", rows, "--out", out).returncode == 0
    scored = list(read_scored_rows(out))
    texts = []
    for rollout, said in zip(read_rows(rows), scored, strict=True):
        if isinstance(rollout, Rollout) and said.steps:
            assert isinstance(rollout.response, str)
            texts += [rollout.response[step.start : step.end] for step in said.steps]
    assert texts == ["3 * 4 = 12\n\n", "12 + 1 = 14", "é😀: 1 + 1 = 2"]
    assert scored[0].scores is not None
    assert scored[0].scores[0] == StepScore(1.0, "equalities_hold", "1 equality holds")
    assert scored[1].scores is None


@pytest.mark.parametrize("batch", ["1", "2", "100"])
def test_the_batch_changes_nothing(run: Run, tmp_path: Path, batch: str) -> None:
    rows = some_rows(tmp_path)
    assert run("score", rows, "--batch", batch).stdout == run("score", rows).stdout


def test_lists_of_responses_and_messages_are_rows_of_their_own(run: Run, tmp_path: Path) -> None:
    answer = [{"role": "assistant", "content": "2 + 2 = 5"}, {"role": "user", "content": "1 + 1 = 3"}]
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "responses": ["1 + 1 = 2", "1 + 1 = 3"]})
    assert [row["steps"][0]["score"] for row in map(json.loads, run("score", rows).stdout.splitlines())] == [1.0, 0.0]
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "completion": answer})
    (row,) = map(json.loads, run("score", rows).stdout.splitlines())
    assert [(step["end"], step["score"]) for step in row["steps"]] == [(9, 0.0)]


def test_the_split_is_the_users(run: Run, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "response": "a\nb\n\nc"})
    for split, ends in (("blank_lines", [5, 6]), ("lines", [2, 5, 6])):
        (row,) = map(json.loads, run("score", rows, "--split", split).stdout.splitlines())
        assert [step["end"] for step in row["steps"]] == ends


def test_a_judge_is_asked_with_its_options_and_tells_what_it_cost(run: Run, tmp_path: Path, server: ChatServer) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", *[{"prompt": f"p{n}", "response": f"ok {n}\n\nWRONG"} for n in range(5)])
    prices = ["--option", 'prices={"prompt": 1, "completion": 2}']
    done = run("score", rows, "--scorer", "judge", *judge_options(server), *prices)
    assert done.returncode == 0, done.stderr
    scores = [[step["score"] for step in json.loads(line)["steps"]] for line in done.stdout.splitlines()]
    assert scores == [[1.0, 0.0]] * 5
    # 5 * (100 prompt + 2 * 10 completion) / 1e6
    assert done.stderr.splitlines()[1] == (
        "judge: 5 questions, 5 answers (0 unreadable) · 500 prompt tokens (0 cached), 50 completion · cost 0.0006"
    )


def test_a_second_run_with_a_cache_asks_nothing(run: Run, tmp_path: Path, server: ChatServer) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", *[{"prompt": f"p{n}", "response": "ok"} for n in range(5)])
    arguments = ["score", rows, "--scorer", "judge", *judge_options(server), "--cache", tmp_path / "cache"]
    first = run(*arguments)
    assert len(server.requests) == 5
    again = run(*arguments)
    assert (len(server.requests), again.stdout) == (5, first.stdout)
    assert "cache: 5 rows found, 0 scored" in again.stderr
    run(*arguments, "--option", "max_tokens=99")
    assert len(server.requests) == 10


def test_an_ensemble_is_built_from_json_and_its_members_tell_their_cost(
    run: Run, tmp_path: Path, server: ChatServer
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "response": "1 + 1 = 2\n\n2 + 2 = 5"})
    judge = {"scorer": "judge", "base_url": server.base_url, "model": "m", "api_key_env": "NO_KEY"}
    arguments = ["--option", 'rules=["arithmetic"]', "--option", f"model={json.dumps(judge)}"]
    done = run("score", rows, "--scorer", "veto", *arguments)
    (row,) = map(json.loads, done.stdout.splitlines())
    assert [(step["score"], step["rule"]) for step in row["steps"]] == [(1.0, "grade"), (0.0, "veto")]
    assert "judge: 1 questions, 1 answers" in done.stderr


def test_a_judge_that_is_away_for_some_rows_leaves_them_unknown(run: Run, tmp_path: Path, server: ChatServer) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", *[{"prompt": f"p{n}", "response": "ok"} for n in range(3)])
    server.script = [Script(500)]
    options = [*judge_options(server), "--option", "retries=0", "--option", "concurrency=1"]
    done = run("score", rows, "--scorer", "judge", *options)
    steps = [json.loads(line)["steps"][0] for line in done.stdout.splitlines()]
    assert (done.returncode, [step["score"] for step in steps]) == (0, [None, 1.0, 1.0])
    assert "2 of 3 steps scored, unknown: judge_unavailable 1" in done.stderr


def test_a_judge_that_is_away_for_all_rows_is_an_error_and_no_file(
    run: Run, tmp_path: Path, server: ChatServer
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "response": "ok"})
    server.script = [Script(500, b"down")]
    options = [*judge_options(server), "--option", "retries=0"]
    done = run("score", rows, "--scorer", "judge", *options, "--out", tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr) == (
        2,
        "rewardgate: --scorer: expected an answer from judge, got none; judge_unavailable: status 500: down\n",
    )
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_a_key_that_is_refused_is_one_line_and_exit_2(run: Run, tmp_path: Path, server: ChatServer) -> None:
    server.script = [Script(401, {"error": {"message": "no key"}})]
    rows = write_rows(tmp_path / "rows.jsonl", {"prompt": "p", "response": "ok"})
    done = run("score", rows, "--scorer", "judge", *judge_options(server))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "got status 401: no key, from 127.0.0.1 with no key ($NO_KEY is not set)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scorer", "arithmetik"), 'step scorer: unknown name "arithmetik"; known: arithmetic, '),
        (("--scorer", "judge"), 'step scorer "judge": expected base_url, model among the options, got none'),
        (("--option", "votes=3"), 'step scorer "arithmetic": expected no options, got votes'),
        (("--option", "votes"), "--option: expected key=value, got 'votes'"),
        (("--option", "=3"), "--option: expected key=value, got '=3'"),
        (("--option", "a=1", "--option", "a=2"), "--option: expected a once, got it twice"),
        (("--split", "sentence"), "--split: expected one of auto, blank_lines"),
        (("--batch", "0"), "--batch"),
        (("--cache", FIXTURE), "cache: expected a writable folder, got "),
        (("--out", "/nowhere/x"), "--out: expected a writable file, got /nowhere/x"),
        (("--scorer", "judge", "--option", "base_url=4", "--option", "model=m"), "base_url: expected an address"),
    ],
)
def test_what_the_user_got_wrong_is_one_line_and_exit_2(
    run: Run, arguments: tuple[str | Path, ...], words: str
) -> None:
    done = run("score", FIXTURE, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert words in done.stderr


def test_it_does_not_write_over_its_input_and_a_file_of_nothing_leaves_nothing(run: Run, tmp_path: Path) -> None:
    rows = some_rows(tmp_path)
    before = rows.read_bytes()
    assert "expected another file than the input" in run("score", rows, "--out", rows).stderr
    assert rows.read_bytes() == before
    write_rows(rows, "not json")
    done = run("score", rows, "--out", tmp_path / "out.jsonl")
    assert (done.returncode, os.listdir(tmp_path)) == (2, ["rows.jsonl"])


OWN = """
import os

def long_enough(steps):
    if any("dozen" in step for step in steps):
        os._exit(1)
    return [float(len(step) > 10) for step in steps]
"""


def test_a_scorer_of_the_users_own_costs_only_the_row_that_it_dies_on(run: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN, encoding="utf-8")
    rollouts = tmp_path / "rollouts.jsonl"
    texts = ["a long enough step\n\nshort", "a dozen\n\nof steps"]
    rows = [{"prompt_id": "p", "prompt": "q", "response": text} for text in texts]
    rollouts.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    out = tmp_path / "scores.jsonl"
    assert run("score", rollouts, "--scorer", f"{own}:long_enough", "--out", out).returncode == 0
    scored = [row.scores for row in read_scored_rows(out)]
    assert [[one.value for one in scores] for scores in scored] == [[1.0, 0.0], [None, None]]
    assert {one.rule for one in scored[1]} == {"crashed"}
    refused = run("score", rollouts, "--scorer", f"{own}:long_enough", "--cache", tmp_path / "kept", "--out", out)
    assert refused.returncode == 2
    assert "cache: expected a scorer with a `version`, got " in refused.stderr


def test_list_shows_what_is_built_in(run: Run) -> None:
    assert {"arithmetic", "judge", "mean", "min", "veto"} <= set(run("list", "scorers").stdout.split())


def test_ctrl_c_waits_for_no_answer_and_what_was_answered_is_in_the_cache(
    run: Run, tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", *[{"prompt": f"p{n}", "response": "ok"} for n in range(20)])
    answered = 4

    def answer(_: dict) -> str:
        if len(server.requests) > answered:
            server.hangs.set()
            server.ending.wait()
        return "\\boxed{-1}"

    server.answer = answer
    takes_interrupts = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    options = [*judge_options(server), "--option", "timeout_s=300", "--batch", "2", "--option", "concurrency=2"]
    command = [*COMMAND[:-1], takes_interrupts + COMMAND[-1], "score", rows.name, "--scorer", "judge", *options]
    with subprocess.Popen(
        [*command, "--out", "out", "--cache", "cache"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert server.hangs.wait(60)
        interrupted = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=50)
    assert (process.returncode, errors) == (130, "")
    assert time.monotonic() - interrupted < 10  # not the 300 s of an answer
    assert set(os.listdir(tmp_path)) == {"rows.jsonl", "cache"}
    server.ending.set()
    asked = len(server.requests)
    server.answer = lambda _: "\\boxed{-1}"
    monkeypatch.chdir(tmp_path)
    again = run("score", rows.name, "--scorer", "judge", *options, "--cache", "cache")
    assert f"cache: {answered} rows found, {20 - answered} scored" in again.stderr
    assert len(server.requests) == asked + 20 - answered
