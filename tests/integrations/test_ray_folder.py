"""The folder of a distributed run: which blocks are taken for done, and whose run it is. Needs no Ray."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rewardgate.errors import ArgumentError, InputError, WorkerDiedError, WorkerError
from rewardgate.integrations.ray_folder import RunFolder
from rewardgate.integrations.ray_inputs import InputFile, expanded
from rewardgate.integrations.ray_rows import FAILED
from rewardgate.integrations.ray_total import Total

ASKED = {"task": "verify", "name": "math", "options": {}, "block_rows": 64}


def written(folder: Path, *names: str) -> list[str]:
    """Files of these names, not empty."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(name)
    return [str(folder / name) for name in names]


def block_of(n_rows: int) -> Any:
    return pa.table({"row": list(range(n_rows))})


def test_globs_are_filled_in_nine_before_ten_and_nothing_comes_twice(tmp_path: Path) -> None:
    nine, ten, other = written(tmp_path, "step_9.jsonl", "step_10.jsonl", "other.jsonl")
    assert expanded([other, str(tmp_path / "step_*.jsonl"), Path(nine)]) == [other, nine, ten]


def test_a_file_whose_own_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    (odd,) = written(tmp_path, "a[1].jsonl")
    assert expanded(odd) == [odd]


def test_a_folder_and_a_file_in_it_would_be_judged_twice(tmp_path: Path) -> None:
    written(tmp_path / "run", "a.jsonl")
    with pytest.raises(ArgumentError, match=r"apart from each other, got .*a\.jsonl within"):
        expanded(str(tmp_path / "run" / "**"))


@pytest.mark.parametrize("paths", [[], "nowhere/*.jsonl"])
def test_no_input_at_all_is_refused(paths: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        expanded(paths)


def test_a_file_is_whole_when_its_size_is_known_and_each_of_its_blocks_is_there(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl")
    (file,) = folder.open(ASKED, inputs)
    assert not folder.is_whole(file)
    folder.note_size(0, n_blocks=2, n_rows=3)
    folder.write_part(0, 1, block_of(1), {"correct": 1})
    (file,) = folder.open(ASKED, inputs)
    assert (file.done, folder.is_whole(file)) == ({1}, False)
    folder.write_part(0, 0, block_of(2), {"correct": 2})
    (file,) = folder.open(ASKED, inputs)
    assert (file.done, folder.is_whole(file)) == ({0, 1}, True)


def test_another_question_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl")
    folder.open(ASKED, inputs)
    with pytest.raises(ArgumentError, match=r"name: expected 'math', as in the run that .* holds, got 'numeric'"):
        folder.open({**ASKED, "name": "numeric"}, inputs)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    inputs = written(tmp_path, "a.jsonl")
    written(tmp_path / "out", "mine.txt")
    with pytest.raises(ArgumentError, match="out: expected an empty folder or that of an earlier run"):
        RunFolder(tmp_path / "out").open(ASKED, inputs)


def test_a_new_input_comes_after_those_that_were_there(tmp_path: Path) -> None:
    folder, (one, two) = RunFolder(tmp_path / "out"), written(tmp_path, "b.jsonl", "a.jsonl")
    folder.open(ASKED, [one])
    files = folder.open(ASKED, [two, one])
    assert [(file.number, file.path) for file in files] == [(0, one), (1, two)]


def test_an_input_that_is_asked_for_no_more_is_refused(tmp_path: Path) -> None:
    folder, (one, two) = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl", "b.jsonl")
    folder.open(ASKED, [one, two])
    with pytest.raises(ArgumentError, match=r"got none of .*a\.jsonl"):
        folder.open(ASKED, [two])


def test_nothing_is_kept_of_an_input_that_changed(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl", "b.jsonl")
    folder.open(ASKED, inputs)
    for number in (0, 1):
        folder.write_part(number, 0, block_of(1), {})
        folder.note_size(number, n_blocks=1, n_rows=1)
    os.utime(inputs[0], ns=(0, 1))
    files = folder.open(ASKED, inputs)
    assert [file.done for file in files] == [frozenset(), {0}]
    assert folder.size(0) is None


def test_what_a_killed_writer_left_is_no_block_and_is_swept(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl")
    folder.open(ASKED, inputs)
    old, new = (tmp_path / "out" / f".rewardgate-{name}.part" for name in ("old", "new"))
    for half in (old, new):
        half.write_bytes(b"PAR1 half")
    os.utime(old, ns=(0, 0))
    (file,) = folder.open(ASKED, inputs)
    assert file.done == frozenset()
    assert [*(tmp_path / "out").glob(".rewardgate-*")] == [new]  # which somebody may be writing


def test_a_block_that_cannot_be_read_is_judged_again(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "a.jsonl")
    folder.open(ASKED, inputs)
    folder.write_part(0, 0, block_of(2), {"correct": 2})
    folder.part(0, 1).write_bytes(b"PAR1 not a whole file")
    (file,) = folder.open(ASKED, inputs)
    total = Total(folder, None)
    assert total.found(file).done == {0}
    assert (total.n_rows, total.n_found, total.counts) == (2, 1, {"correct": 2})


def test_a_block_that_is_told_of_twice_is_counted_once(tmp_path: Path) -> None:
    total = Total(RunFolder(tmp_path), None)
    for _ in range(2):
        total.add(0, 0, 5, {"correct": 5}, "")
    assert (total.n_rows, total.n_blocks, total.counts) == (5, 1, {"correct": 5})


def checked(folder: RunFolder, *blocks: tuple[int, int, int, str]) -> Total:
    """The total of (file, number, rows, problem), checked."""
    total = Total(folder, None)
    for file, number, n_rows, problem in blocks:
        total.add(file, number, n_rows, {}, problem)
    total.check([InputFile(0, "a.jsonl", ""), InputFile(1, "b.jsonl", "")])
    return total


def test_a_missing_block_a_missing_row_and_a_file_without_its_end_are_found(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(ASKED, written(tmp_path.parent, "a.jsonl", "b.jsonl"))
    for number, n_rows in ((0, 3), (1, 2)):
        folder.write_part(number, 0, block_of(n_rows), {})
        folder.note_size(number, n_blocks=1, n_rows=n_rows)
    assert checked(folder, (0, 0, 3, ""), (1, 0, 2, "")).n_rows == 5
    with pytest.raises(WorkerError, match=r"b\.jsonl: expected \(1, 2\) \(blocks, rows\), got \(0, 0\)"):
        checked(folder, (0, 0, 3, ""))
    with pytest.raises(WorkerError, match=r"got \(1, 1\)"):
        checked(folder, (0, 0, 3, ""), (1, 0, 1, ""))
    folder.part(0, 0).unlink()
    with pytest.raises(WorkerError, match=r"a\.jsonl"):
        checked(folder, (0, 0, 3, ""), (1, 0, 2, ""))


def test_a_file_that_cannot_be_read_is_told_once_all_others_are_there_and_leaves_nothing(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(ASKED, written(tmp_path.parent, "a.jsonl", "b.jsonl"))
    folder.write_part(0, 0, block_of(1), {})
    folder.note_size(0, n_blocks=1, n_rows=1)
    folder.write_part(1, 0, block_of(64), {})
    with pytest.raises(InputError, match="1 of 2 files cannot be read: b is damaged; all others are judged"):
        checked(folder, (0, 0, 1, ""), (1, 0, 64, ""), (1, FAILED, 0, "b is damaged"))
    assert sorted(path.name for path in tmp_path.glob("*.parquet")) == ["part-000000-0000000.parquet"]


def test_a_block_that_ends_its_actors_is_named_with_its_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with pytest.raises(WorkerDiedError, match=r"a\.jsonl: block 3"):
        checked(folder, (0, 3, 0, "block 3, from row 192: 5 actors died of it"))


def test_how_often_a_block_was_begun_is_known_until_it_is_there_or_the_run_is_begun_anew(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path), written(tmp_path.parent, "a.jsonl")
    folder.open(ASKED, inputs)
    assert [folder.begin(0, 0), folder.begin(0, 0), folder.begin(0, 1)] == [1, 2, 1]
    folder.write_part(0, 0, block_of(1), {})
    assert folder.begin(0, 0) == 1
    folder.open(ASKED, inputs)
    assert folder.begin(0, 1) == 1


def test_the_plan_that_is_written_names_the_inputs_in_their_order(tmp_path: Path) -> None:
    folder, inputs = RunFolder(tmp_path / "out"), written(tmp_path, "b.jsonl", "a.jsonl")
    folder.open(ASKED, inputs)
    plan = json.loads((tmp_path / "out" / "_rewardgate" / "run.json").read_text())
    assert [*plan["files"]] == inputs
    assert plan["schema_version"] == "rewardgate.ray/1"
