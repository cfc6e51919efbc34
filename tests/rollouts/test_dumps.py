from pathlib import Path

import pytest
from rollout_records import write_lines
from tool_dumps import samples_row, verl_row, write_state

from rewardgate.errors import InputError, NoUsableRowsError
from rewardgate.rollouts import read

ROW = {"prompt": "2+2?", "response": "4", "answer": "4", "reward": 1.0}


def test_what_stands_beside_the_dumps_is_left_alone_and_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "1.jsonl", *[verl_row("a", "4", 1.0)] * 2)
    write_lines(tmp_path / "metrics.jsonl", {"step": 1, "reward": 0.5})
    write_state(tmp_path, {"step": 1})
    (tmp_path / "settings.json").write_text('{"lr": 1}')
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    reading = read(tmp_path)
    assert (reading.format, [path.name for path in reading.files]) == ("verl", ["1.jsonl"])
    assert reading.summary.notes[:2] == (
        "1 files read as verl: 1.jsonl",
        "4 other files hold no rollouts, or these again: broken.parquet, metrics.jsonl, settings.json, ...",
    )


def test_dumps_of_two_formats_are_not_mixed_unless_one_is_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "1.jsonl", verl_row("a", "4", 1.0))
    write_lines(tmp_path / "samples_a_2026-11-30T03-21-02.1.jsonl", samples_row(2, ["4"], "none", ["4"], em=1.0))
    with pytest.raises(InputError, match=r"of one format, got verl \(1 files\), lm_eval \(1 files\)"):
        read(tmp_path)
    assert read(tmp_path, format="lm_eval").summary.n_rollouts == 1


def test_a_folder_of_plain_files_is_one_table(tmp_path: Path) -> None:
    for name in ("rank0", "rank1"):
        write_lines(tmp_path / f"{name}.jsonl", ROW, ROW)
    reading = read(tmp_path)
    # Nothing tells that the prompt of one file is that of the other at the same step: two groups.
    assert (reading.format, reading.summary.group_sizes) == ("columns", {2: 2})
    assert [group.group_id for group in reading] == [
        f"{group.prompt_id}{end}" for group, end in zip(reading, ("", "#2"), strict=True)
    ]


def test_a_group_with_an_id_of_its_own_is_gathered_over_the_files_of_its_workers(tmp_path: Path) -> None:
    for name in ("rank0", "rank1"):
        write_lines(tmp_path / f"{name}.jsonl", {**ROW, "group_id": "g", "step": 1})
    assert read(tmp_path).summary.group_sizes == {2: 1}


def test_named_columns_choose_the_files_that_have_them(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", {"q": "2+2?", "a": "4"})
    write_lines(tmp_path / "b.jsonl", {"other": 1})
    reading = read(tmp_path, prompt_key="q", response_key="a")
    assert [path.name for path in reading.files] == ["a.jsonl"]


def test_a_folder_without_rollouts_says_how_many_files_it_has(tmp_path: Path) -> None:
    write_lines(tmp_path / "metrics.jsonl", {"step": 1, "loss": 0.5})
    with pytest.raises(NoUsableRowsError, match="got 1 files without any"):
        read(tmp_path)


def test_a_refusal_names_its_own_file(tmp_path: Path) -> None:
    write_lines(tmp_path / "9.jsonl", verl_row("a", "4", 1.0), "torn")
    write_lines(tmp_path / "10.jsonl", verl_row("a", "4", 1.0, step=10), verl_row("a", "4", 1.0, step=10), "torn")
    assert [(Path(refusal.file).name, refusal.line) for refusal in read(tmp_path).summary.refusals] == [
        ("9.jsonl", 2),
        ("10.jsonl", 3),
    ]
