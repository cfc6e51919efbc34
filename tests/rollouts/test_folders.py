import gzip
import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import write_lines

from rewardgate.errors import InputError
from rewardgate.rollouts import folders, read
from rewardgate.rollouts.containers import open_rows
from rewardgate.rollouts.folders import FolderRows, candidates

OPEN = partial(open_rows, tokens=False, columns=())


def row(prompt: str, number: int, **cells: object) -> dict[str, object]:
    return {"prompt": prompt, "response": str(number), "reward": number % 2, **cells}


def test_rows_of_all_files_are_found_again_where_they_stand(tmp_path: Path) -> None:
    write_lines(tmp_path / "1.jsonl", row("a", 0), "# log", row("a", 1))
    (tmp_path / "2.jsonl").write_text("")
    (tmp_path / "3.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(row("b", 2)).encode())
    (tmp_path / "4.jsonl").write_bytes(gzip.compress(json.dumps(row("c", 3)).encode() + b"\n"))
    (tmp_path / "5.json").write_text(json.dumps([row("d", 4), row("d", 5)], indent=1))
    write_lines(tmp_path / "6.jsonl", row("e", 6))
    rows = FolderRows(candidates(tmp_path), OPEN)
    for _ in range(2):  # the second pass finds what the first has found
        found = list(rows.scan())
        places = [rows.files.place(one.line) for one in found]
        assert places == [(0, 1), (0, 2), (0, 3), (2, 1), (3, 1), (4, 2), (4, 7), (5, 1)]
        good = [one for one in found if one.value is not None]
        assert [one.value and one.value["response"] for one in good] == list("0123456")
        for one in reversed(good):
            assert rows.at(one.offset, len(one.data)) == one.value


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=5))
def test_any_files_are_read_as_their_rows_one_after_the_other(files: list[list[int]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, values in enumerate(files):
            write_lines(folder / f"{number}.jsonl", *[row("a", value) for value in values])
        rows = FolderRows(candidates(folder), OPEN)
        found = list(rows.scan())
        assert [(rows.files.place(one.line)) for one in found] == [
            (number, line) for number, values in enumerate(files) for line in range(1, len(values) + 1)
        ]
        assert [rows.at(one.offset, len(one.data)) for one in found] == [
            row("a", value) for values in files for value in values
        ]


def test_files_are_taken_by_number_and_hidden_ones_and_models_not(tmp_path: Path) -> None:
    others = (".cache/a.jsonl", "notes.md", "model.safetensors", "tokenizer.json", "model.safetensors.index.json")
    for name in ("step_10/a.jsonl", "step_9/a.jsonl", "x.JSONL", *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [str(path.relative_to(tmp_path)) for path in candidates(tmp_path)] == [
        "step_9/a.jsonl",
        "step_10/a.jsonl",
        "x.JSONL",
    ]


def test_too_many_files_are_an_error_and_not_a_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_FILES", 2)
    for number in range(3):
        write_lines(tmp_path / f"{number}.jsonl", row("a", number))
    with pytest.raises(InputError, match="expected at most 2 files, got more"):
        read(tmp_path)


def test_a_thousand_steps_need_one_descriptor(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    for step in range(300):
        write_lines(tmp_path / f"{step}.jsonl", *[row("a", number, step=step) for number in range(2)])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_open + 20, hard))
    try:
        assert read(tmp_path).summary.group_sizes == {2: 300}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
