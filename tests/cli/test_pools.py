import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

import pyarrow.parquet
import pytest

import rewardgate
from rewardgate.audit import audit as audit_groups
from rewardgate.cli import main
from rewardgate.diagnostics.pools import Pool, PromptPools
from rewardgate.rollouts import read

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run in this process."""

    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["rewardgate", "pools", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(cast("int", ended.value.code), captured.out, captured.err)

    return run


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A folder of verl dumps: a prompt that fails at steps 1 and 2, one that is mixed, and one that is always right."""
    folder = tmp_path / "rollouts"
    folder.mkdir()
    rewards = {"hard": [0.0] * 4, "middling": [1.0, 0.0] * 2, "easy": [1.0] * 4}
    for step in (1, 2, 10):
        rows = [
            {"input": name, "output": "4", "gts": "4", "score": score, "step": step}
            for name, scores in rewards.items()
            for score in scores
        ]
        (folder / f"{step}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def rows_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_folder_is_replayed_step_by_step_and_every_prompt_has_its_row(run: Run, dump: Path) -> None:
    done = run(dump)
    assert done.code == 0
    rows = rows_of(done.out)
    assert [row["pool"] for row in rows] == ["hard", "frontier", "easy"]
    assert [(row["visits"], row["last_step"]) for row in rows] == [(3, 10)] * 3
    assert list(rows[0]) == [
        "prompt_id", "pool", "mean", "low", "high", "mixed", "ema", "visits", "moves", "last_step",
    ]  # fmt: skip
    assert "3 prompts in 9 groups, 0 rows refused, steps 1 to 10 · hard 1 · frontier 1 · easy 1" in done.err


def test_parquet_holds_the_same_rows(run: Run, dump: Path, tmp_path: Path) -> None:
    rows = rows_of(run(dump).out)
    out = tmp_path / "pools.parquet"
    assert run(dump, "--out", out) == (0, "", run(dump).err)
    assert pyarrow.parquet.read_table(out).to_pylist() == rows
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".rewardgate")] == []


def test_without_steps_there_is_no_last_one_and_the_line_says_so(run: Run) -> None:
    done = run(FIXTURE)
    assert {row["last_step"] for row in rows_of(done.out)} == {None}
    assert "16 prompts in 16 groups, 1 without a known reward" in done.err
    assert "no steps logged" in done.err


def test_prompts_are_set_aside_by_an_audit_and_by_lists(run: Run, tmp_path: Path) -> None:
    audit = tmp_path / "audit.json"
    audit.write_text(audit_groups(read(FIXTURE)).model_dump_json())
    (tmp_path / "eval.txt").write_text("mixed\n\n")
    (tmp_path / "bad.txt").write_text("all-correct\n")
    done = run(FIXTURE, "--audit", audit, "--eval", tmp_path / "eval.txt", "--quarantine", tmp_path / "bad.txt")
    pools = {row["prompt_id"]: row["pool"] for row in rows_of(done.out)}
    assert pools["mixed"] == "eval"
    assert pools["all-correct"] == pools["gold-unreadable"] == pools["false-negative-units"] == "quarantine"
    assert pools["truncated"] == pools["undetermined"] == "frontier"


def test_a_trainer_goes_on_from_the_state(run: Run, dump: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    rows = rows_of(run(dump, "--state", state).out)
    pools = PromptPools()
    pools.load_state_dict(json.loads(state.read_text()))
    assert pools.pool_of(rows[0]["prompt_id"]) is Pool.HARD
    assert pools.update([1.0] * 8, [rows[0]["prompt_id"]] * 8, step=11) != []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hard-below", "0.95"], "hard_below: expected a number in (0, easy_above = 0.9), got 0.95"),
        (["--quarantine", "nowhere.txt"], "nowhere.txt: expected a text file of prompt ids, got: "),
        (["--audit", str(FIXTURE)], "expected what `audit --json` writes, got: "),
        (["--reward-key", "nothing"], "nothing"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(run: Run, arguments: list[str], message: str) -> None:
    done = run(FIXTURE, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_rewards_that_nobody_knows_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"prompt": "2+2?", "response": "4"}) + "\n")
    assert (
        run(path).err == f"rewardgate: {path}: expected a reward that is known, got none; name it with --reward-key\n"
    )


def test_the_input_is_not_written_over(run: Run, tmp_path: Path, dump: Path) -> None:
    run(dump, "--out", tmp_path / "pools.parquet")
    before = (tmp_path / "pools.parquet").read_bytes()
    done = run(tmp_path / "pools.parquet", "--out", tmp_path / "pools.parquet")
    assert done.code == 2
    assert (tmp_path / "pools.parquet").read_bytes() == before
