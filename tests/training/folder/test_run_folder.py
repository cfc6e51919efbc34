import errno
import json
from pathlib import Path

import pytest

from rewardgate.errors import InputError
from rewardgate.rollouts import Group, Rollout
from rewardgate.training.folder import run_folder
from rewardgate.training.folder.run_folder import RunFolder, write_whole


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")


def test_logs_are_cut_back_to_what_a_checkpoint_saw(folder: RunFolder) -> None:
    for step in (1, 2):
        folder.log_cost(step, {"generated": 4})
    seen = folder.positions()
    assert seen == {"ledger.jsonl": 2 * len('{"step": 1, "generated": 4}\n')}
    folder.log_cost(3, {"generated": 4})
    for step in (1, 2, 3):
        folder.dump("rollouts", step, [Group(group_id="g", rollouts=(Rollout(prompt_id="p", response="1"),))])
    with (folder.path / "ledger.jsonl").open("ab") as file:
        file.write(b'{"step": 4, "gen')  # the process dies here
    (folder.path / "metrics.jsonl").write_text('{"step": 1}\n', encoding="ascii")  # of no checkpoint
    folder.cut_back(2, seen)
    assert [json.loads(line)["step"] for line in (folder.path / "ledger.jsonl").read_text().splitlines()] == [1, 2]
    assert (folder.path / "metrics.jsonl").read_bytes() == b""
    assert sorted(path.name for path in (folder.path / "rollouts").iterdir()) == [
        "step_000001.jsonl",
        "step_000002.jsonl",
    ]


def test_what_a_killed_process_half_wrote_goes_and_what_is_nobodys_step_stays(folder: RunFolder) -> None:
    rollouts = folder.path / "rollouts"
    (rollouts / "step_kept").mkdir(parents=True)
    for name in ("step_000001.jsonl", "step_000003.jsonl", ".step_000002.jsonl.part", "mine.jsonl", "1.jsonl", ".part"):
        (rollouts / name).write_text("", encoding="ascii")
    folder.cut_back(1, {})
    kept = [".part", "1.jsonl", "mine.jsonl", "step_000001.jsonl", "step_kept"]
    assert sorted(path.name for path in rollouts.iterdir()) == kept


@pytest.mark.parametrize(
    "name", ["state.json", "config.toml", "ledger.jsonl", "metrics.jsonl", "rollouts", "checkpoints"]
)
def test_other_peoples_files_are_never_taken_for_a_run(folder: RunFolder, name: str) -> None:
    theirs = folder.path / name
    theirs.write_text("{}", encoding="ascii")
    assert not folder.has_run()
    with pytest.raises(
        InputError, match=rf"folder: expected a new one, or a run's, got .*, which holds {name}, and no"
    ):
        folder.begin(status="running")
    assert theirs.read_text(encoding="ascii") == "{}"


def test_a_folder_is_begun_once(folder: RunFolder) -> None:
    folder.begin(status="running", step=0)
    assert folder.has_run()
    folder.write_config("")
    folder.tell(status="stopped", step=3)
    folder.begin(status="running", step=0)
    assert json.loads((folder.path / "state.json").read_text(encoding="ascii"))["step"] == 3


def test_a_folder_that_cannot_hold_a_state_is_refused(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run_folder, "write_whole", full)
    with pytest.raises(InputError, match=r"expected one to write to, got .*: No space left on device"):
        folder.begin(status="running")


def test_what_is_shorter_than_a_checkpoint_saw_stays(folder: RunFolder) -> None:
    folder.log_cost(1, {})
    folder.cut_back(1, {"ledger.jsonl": 1000})
    assert (folder.path / "ledger.jsonl").read_text() == '{"step": 1}\n'


def test_a_dump_says_which_groups_were_learned_from(folder: RunFolder) -> None:
    groups = [Group(group_id=name, rollouts=(Rollout(prompt_id="p", meta={"rule": "x"}),)) for name in ("a", "b")]
    folder.dump("rollouts", 1, groups, kept=["b"])
    rows = [json.loads(line) for line in (folder.path / "rollouts" / "step_000001.jsonl").read_text().splitlines()]
    assert [row["meta"] for row in rows] == [{"rule": "x", "kept": False}, {"rule": "x", "kept": True}]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(InputError, match=r"folder: expected one to write to, got .*file/run"):
        RunFolder(tmp_path / "file" / "run")


def test_a_log_that_cannot_be_written_is_told_once(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run_folder, "write_whole", full)
    with pytest.warns(UserWarning, match=r"state.json is not written: No space left on device") as told:
        folder.tell(step=1)
    folder.tell(step=2)  # pytest makes a second warning an error
    assert len(told) == 1
    with pytest.raises(InputError, match="expected one to write to"):
        folder.write_config("")


def test_how_a_run_ended_is_told_on_a_full_disk_too(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    state = folder.path / "state.json"
    folder.tell(status="running", step=10, error="x" * 100)
    monkeypatch.setattr(run_folder, "write_whole", full)
    for status in ("failed", "finished as nobody expected it"):
        for error in (None, "y" * 300):  # shorter, and longer than what stood there
            folder.tell(status=status, error=error)
            found = json.loads(state.read_text(encoding="utf-8"))
            assert (found["status"], found["error"]) == (status, error)
    assert state.read_bytes().count(b"\n") == 1


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "one")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a", "two\ud83d")
    assert (tmp_path / "a").read_text() == "one"


def test_a_folder_can_be_taken_again_when_it_was_let_go(folder: RunFolder) -> None:
    with pytest.raises(InputError, match="no other process runs"):
        RunFolder(folder.path)
    folder.close()
    folder.close()
    RunFolder(folder.path).close()
