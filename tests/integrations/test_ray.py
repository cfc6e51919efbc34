"""Verdicts, step scores and audits on a real Ray of two workers, some of which are killed.

Needs Ray (.ci/host-ray installs it) and skips itself elsewhere.
"""

import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("ray") is None:
    pytest.skip("NOT RUN: Ray is not installed; .ci/host-ray runs this", allow_module_level=True)

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import ray.data
from ray_verifiers import KillsItsActor, KillsTheActorAbove, Unavailable

from rewardgate.audit import audit
from rewardgate.cli.command import _exit_code
from rewardgate.errors import ArgumentError, InputError, UnavailableError, WorkerDiedError
from rewardgate.integrations import ray as beyond
from rewardgate.prm import get as scorer
from rewardgate.prm.scored_rows import scored_rows
from rewardgate.rollouts.reading import read, read_rows
from rewardgate.rollouts.writing import step_scores_row
from rewardgate.verifiers import get
from rewardgate.verifiers.functions import load_verifier
from rewardgate.verifiers.verdict_rows import verdict_rows

pytestmark = pytest.mark.ray
SUPPORT = Path(__file__).parents[1] / "support"
HOSTILE = {"prompt": "?", "response": "\ud83d \u2028 \x00 é😀", "answer": "1"}


@pytest.fixture(scope="module", autouse=True)
def two_workers() -> Iterator[None]:
    """A Ray of our own with two processors, unless RAY_ADDRESS names one; the support modules can be imported in it."""
    options: dict[str, Any] = {"runtime_env": {"env_vars": {"PYTHONPATH": str(SUPPORT)}}, "log_to_driver": False}
    if not os.environ.get("RAY_ADDRESS"):
        options.update(address="local", num_cpus=2, include_dashboard=False, object_store_memory=1 << 28)
    ray.init(**options)
    yield
    ray.shutdown()


def rows_of(n: int, *, every: int = 3) -> list[Any]:
    """`n` rows, of which every third is wrong."""
    return [
        {"prompt": f"{i}?", "prompt_id": f"p{i}", "response": f"so \\boxed{{{i + (i % every == 0)}}}", "answer": str(i)}
        for i in range(n)
    ]


def written(path: Path, rows: list[Any]) -> Path:
    """`rows` as JSON lines; a row that is text as it stands."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what no two runs share."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def found_in(out: Path) -> list[dict[str, Any]]:
    """All rows of a run, in the order of the names of its parts."""
    return [row for part in sorted(out.glob("*.parquet")) for row in pq.read_table(part).to_pylist()]


def local(verifier: Any, *paths: Path, name: str) -> list[dict[str, Any]]:
    """What the local command writes of each file, with the file before it; Parquet has no half surrogate pairs."""
    found = [{"file": str(path), **row} for path in paths for row in verdict_rows(read_rows(path), verifier, name=name)]
    return json.loads(json.dumps(found).replace("\\ud83d ", "\\ufffd "))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """JSON lines, some of which cannot be read, the same compressed, and Parquet: in the order of their numbers."""
    odd: list[Any] = [*rows_of(130), "{no json", HOSTILE, {"prompt": "?", "response": None}, {"response": "4"}]
    first = written(tmp_path / "step_2.jsonl", odd)
    second = tmp_path / "step_9.jsonl"
    second.write_bytes(gzip.compress(first.read_bytes()))
    third = tmp_path / "step_10.parquet"
    pq.write_table(pa.Table.from_pylist(rows_of(100)), third)
    return [first, second, third]


def test_verdicts_are_those_of_the_local_command_row_for_row(files: list[Path], tmp_path: Path) -> None:
    done = beyond.verify(str(tmp_path / "step_*"), "math", tmp_path / "out", num_workers=2, block_rows=64)
    expected = local(get("math"), *files, name="math")
    assert plain(found_in(tmp_path / "out")) == plain(expected)
    assert (done.n_rows, done.n_files, done.n_blocks) == (368, 3, 8)
    assert done.counts["refused_rows"] == sum(row["rule"] == "refused_row" for row in expected) > 0
    assert done.counts["correct"] == sum(row["outcome"] == "correct" for row in expected)
    # Whoever reads the folder as a whole sees the rows and nothing else.
    assert ray.data.read_parquet(str(tmp_path / "out")).count() == 368


def test_a_second_call_judges_nothing_and_a_lost_block_alone_is_judged_again(files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"

    def run() -> beyond.BlocksJudged:
        return beyond.verify(files, "numeric", out, num_workers=2, block_rows=64)

    first = run()
    times = {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")}
    again = run()
    assert (again.n_rows, again.n_blocks_found, again.counts) == (first.n_rows, first.n_blocks, first.counts)
    (lost := out / "part-000001-0000001.parquet").unlink()
    assert run().n_blocks_found == first.n_blocks - 1
    changed = {part.name for part in out.glob("*.parquet") if part.stat().st_mtime_ns != times[part.name]}
    assert changed == {lost.name}
    assert plain(found_in(out)) == plain(local(get("numeric"), *files, name="numeric"))


def test_an_actor_that_is_killed_costs_no_row_and_gives_none_twice(tmp_path: Path) -> None:
    rows = rows_of(600)
    rows[333]["response"] = "poison"
    path, deaths = written(tmp_path / "rows.jsonl", rows), tmp_path / "deaths"
    deaths.mkdir()
    verifier = KillsItsActor(deaths, lives=1)
    done = beyond.verify(path, verifier, tmp_path / "out", num_workers=2, block_rows=64)
    assert len([*deaths.iterdir()]) == 1
    found = found_in(tmp_path / "out")
    assert done.n_rows == 600
    assert [row["row"] for row in found] == [*range(600)]
    assert plain(found) == plain(local(verifier, path, name="KillsItsActor"))


def test_the_killable_worker_of_an_actor_that_is_killed_ends_with_it(tmp_path: Path) -> None:
    rows = rows_of(130)
    rows[70]["response"] = "poison"
    path, seen = written(tmp_path / "rows.jsonl", rows), tmp_path / "seen"
    seen.mkdir()
    done = beyond.verify(path, KillsTheActorAbove(seen), tmp_path / "out", num_workers=2, block_rows=64)
    assert (done.n_rows, [row["row"] for row in found_in(tmp_path / "out")]) == (130, [*range(130)])
    (worker,) = seen.iterdir()
    deadline = time.monotonic() + 60
    while Path("/proc", worker.name).exists() and time.monotonic() < deadline:
        os.sched_yield()
    assert not Path("/proc", worker.name).exists()


def test_a_block_that_kills_every_actor_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    rows = rows_of(200)
    rows[70]["response"] = "poison"
    path, deaths = written(tmp_path / "rows.jsonl", rows), tmp_path / "deaths"
    deaths.mkdir()
    with pytest.raises(WorkerDiedError, match="block 1, from row 64: 5 actors died of it; all others are there"):
        beyond.verify(path, KillsItsActor(deaths, lives=99), tmp_path / "out", num_workers=2, block_rows=64)
    assert len([*deaths.iterdir()]) == 5
    assert {row["row"] for row in found_in(tmp_path / "out")} == {*range(200)} - {*range(64, 128)}


DRIVER = """
import sys
from pathlib import Path
from ray_verifiers import WaitsForAFile
from rewardgate.integrations import ray as beyond
import os, ray

ray.init(runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
path, out, file = map(Path, sys.argv[1:])
print(beyond.verify(path, WaitsForAFile(file), out, num_workers=2, block_rows=64))
"""


def test_after_a_kill_of_the_driver_only_what_is_missing_is_judged(tmp_path: Path) -> None:
    from ray_verifiers import WaitsForAFile

    rows = rows_of(320)
    rows[200]["response"] = "wait"  # in block 3: the run cannot end before it is killed
    path, out, file = written(tmp_path / "rows.jsonl", rows), tmp_path / "out", tmp_path / "go"
    program = [sys.executable, "-c", DRIVER, str(path), str(out), str(file)]
    # A driver of its own in the same cluster, whose end ends its actors.
    address = ray.get_runtime_context().gcs_address
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT), "RAY_ADDRESS": address}
    driver = subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        while len([*out.glob("*.parquet")]) < 3 and driver.poll() is None:
            os.sched_yield()
        assert driver.poll() is None, driver.communicate()[1].decode()
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
    before = {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")}
    file.touch()
    done = beyond.verify(path, WaitsForAFile(file), out, num_workers=2, block_rows=64)
    assert 3 <= done.n_blocks_found < done.n_blocks == 5
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before
    assert plain(found_in(out)) == plain(local(WaitsForAFile(file), path, name="WaitsForAFile"))


def test_step_scores_are_those_of_the_local_command(tmp_path: Path) -> None:
    responses = ["2 + 2 = 4\n\n3 + 3 = 7", "", None, "no sum here", "5 - 1 = 4"] * 40
    rows = [*({"prompt": "?", "response": text} for text in responses), "{"]
    path = written(tmp_path / "rows.jsonl", rows)
    done = beyond.score(path, "arithmetic", tmp_path / "out", num_workers=2, block_rows=64)
    judge = scorer("arithmetic")
    expected = [
        {
            "file": str(path),
            **step_scores_row(one.rollout, row=row, steps=one.written, scorer="arithmetic", version=judge.version),
        }
        for row, one in enumerate(scored_rows(read_rows(path), judge))
    ]
    assert found_in(tmp_path / "out") == expected
    assert (done.n_rows, done.counts["steps"], done.counts["steps_scored"]) == (201, 160, 120)


def groups_of(n: int) -> list[Any]:
    """`n` groups of four rollouts each, shuffled together, so that each straddles all blocks; some paid wrongly."""
    rows = []
    for group in range(n):
        for member in range(4):
            answer = group + (member == 3) + (group % 5 == 0)
            reward = float(answer == group) if group % 7 else 0.0  # every seventh is paid nothing
            prompt = f"What is {group} plus 0, if {group % 3} apples and {group} pears are all that there is?"
            response = f"We add them.\n\nThe answer is \\boxed{{{answer}}}."
            rows.append({"prompt": prompt, "response": response, "answer": str(group), "reward": reward})
    return [row for start in range(37) for row in rows[start::37]]


def report_of(report: Any) -> Any:
    return {name: value for name, value in report.model_dump(mode="json").items() if name != "seconds"}


@pytest.mark.parametrize("suspect", [None, "math", "mine.py:judge"])
def test_an_audit_is_that_of_one_process(suspect: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def judge(completion, target):\n    return float(target in completion)\n")
    path = written(tmp_path / "rows.jsonl", groups_of(300))
    sft = written(tmp_path / "sft.jsonl", [{"text": "We add them. The answer is what it was before we began to add."}])
    asked = None if suspect is None else load_verifier(suspect)
    here = audit(read(path), suspect=asked, sft=sft)
    there = beyond.audit(path, suspect=suspect, sft=sft, num_workers=2)
    assert report_of(there) == report_of(here)
    assert there.reading.n_groups == 300


def test_sandboxes_run_within_actors(tmp_path: Path) -> None:
    double = "```python\nprint(int(input()) * 2)\n```"
    programs = [double, "```python\nwhile True: pass\n```", "```python\nimport os; os._exit(3)\n```", "no code"] * 2
    tests = {"inputs": ["2\n"], "outputs": ["4\n"]}
    rows = [{"prompt": "Double it.", "response": program, "target": tests} for program in programs]
    path = written(tmp_path / "rows.jsonl", rows)
    options = {"timeout_s": 1.0, "require": "basic"}
    beyond.verify(path, "code", tmp_path / "out", options=options, num_workers=2)
    names = ("row", "outcome", "reward", "rule")
    found = [[row[name] for name in names] for row in found_in(tmp_path / "out")]
    assert found == [[row[name] for name in names] for row in local(get("code", **options), path, name="code")]
    assert [reward for _, _, reward, _ in found] == [1.0, 0.0, 0.0, 0.0] * 2


def test_a_users_function_that_hangs_costs_its_own_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "def judge(completion, target):\n    while 'hang' in completion: pass\n    return float(target in completion)\n"
    )
    rows = rows_of(100)
    rows[40]["response"] = "hang"
    path = written(tmp_path / "rows.jsonl", rows)
    beyond.verify("rows.jsonl", "mine.py:judge", "out", timeout_s=2.0, num_workers=2, block_rows=64)
    found = found_in(tmp_path / "out")
    expected = local(load_verifier("mine.py:judge", timeout_s=2.0), path, name="mine.py:judge")
    assert plain(found) == plain([{**row, "file": "rows.jsonl"} for row in expected])
    assert (found[40]["outcome"], found[40]["rule"], found[40]["reward"]) == ("error", "timed_out", None)


def test_a_file_that_holds_nothing_is_told_after_all_others_are_judged(files: list[Path], tmp_path: Path) -> None:
    empty = written(tmp_path / "empty.jsonl", ['{"a": 1}'])
    with pytest.raises(InputError, match=r"1 of 4 files cannot be read: .*empty\.jsonl"):
        beyond.verify([empty, *files], "numeric", tmp_path / "out", num_workers=2)
    assert plain(found_in(tmp_path / "out")) == plain(local(get("numeric"), *files, name="numeric"))


def test_what_no_actor_can_do_is_raised_here_as_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", rows_of(3))
    with pytest.raises(UnavailableError, match="sandbox: expected a jail, got none"):
        beyond.verify(path, Unavailable(), tmp_path / "out", num_workers=1)


def test_another_verifier_into_the_same_folder_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", rows_of(3))
    beyond.verify(path, "numeric", tmp_path / "out", num_workers=1)
    with pytest.raises(ArgumentError, match="name: expected 'numeric'"):
        beyond.verify(path, "exact", tmp_path / "out", num_workers=1)


def test_the_command_takes_a_glob_and_ends_in_one_line(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert _exit_code(["verify", str(tmp_path / "step_*"), "--engine", "ray", "--actors", "2", "--out", out]) == 0
    assert "368 rows of 3 files in 3 blocks" in capsys.readouterr().err
    assert plain(found_in(tmp_path / "out")) == plain(local(get("auto"), *files, name="auto"))


def test_the_audit_command_prints_the_report_of_the_local_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(written(tmp_path / "rows.jsonl", groups_of(40)))
    told = []
    for engine in ("local", "ray"):
        assert _exit_code(["audit", path, "--engine", engine, "--json", "-", "--no-progress"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    for report in told:
        report.pop("seconds")
    assert told[0] == told[1]


def test_the_commands_of_the_page_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs/one").mkdir(parents=True)
    written(Path("rollouts.jsonl"), groups_of(8))
    written(Path("runs/one/rollouts-1.jsonl"), groups_of(8))
    pq.write_table(pa.Table.from_pylist(groups_of(8)), "runs/one/rollouts-1.parquet")
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    commands = [line for line in page.splitlines() if line.startswith("rewardgate ")]
    assert len(commands) == 3
    for command in commands:
        assert _exit_code(shlex.split(command)[1:]) == 0
    assert [len(found_in(Path(out))) for out in ("verdicts", "scores")] == [32, 32]
