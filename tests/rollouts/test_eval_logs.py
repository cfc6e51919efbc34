import json
from pathlib import Path

import pytest
from tool_dumps import inspect_log, inspect_sample, write_eval, zip_bytes

from rewardgate.errors import InputError
from rewardgate.rollouts import Refusal, Rollout, read, read_rows

SAMPLES = [inspect_sample(name, epoch, "4", {"match": "C"}) for epoch in (1, 2) for name in ("a", "b")]


@pytest.mark.parametrize("method", [0, 8, 93])
def test_an_archive_is_read_whatever_packs_it(tmp_path: Path, method: int) -> None:
    reading = read(write_eval(tmp_path / "log.eval", SAMPLES, method=method))
    assert (reading.container, reading.summary.group_sizes) == ("Inspect log", {2: 2})


def test_a_log_without_a_header_says_that_groups_may_be_incomplete(tmp_path: Path) -> None:
    reading = read(write_eval(tmp_path / "log.eval", SAMPLES[:3], method=93, has_header=False))
    assert reading.summary.group_sizes == {1: 1, 2: 1}
    assert any("its evaluation was stopped or still runs" in note for note in reading.summary.notes)


def test_an_archive_that_is_cut_short_keeps_the_samples_before_the_cut(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "log.eval", SAMPLES, method=93)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"samples/b_epoch_2") + 100])
    *rows, last = read_rows(path)
    assert [type(row) for row in rows] == [Rollout] * 3
    assert isinstance(last, Refusal)
    assert "cut short" in last.reason


def test_a_damaged_sample_costs_itself_alone(tmp_path: Path) -> None:
    members = {f"samples/{row['id']}_epoch_{row['epoch']}.json": json.dumps(row).encode() for row in SAMPLES}
    path = tmp_path / "log.eval"
    path.write_bytes(zip_bytes(members | {"samples/b_epoch_1.json": b'{"id": "b", "epo'}, 8))
    found = list(read_rows(path))
    assert [isinstance(row, Refusal) for row in found] == [False, True, False, False]


def test_long_texts_that_a_log_holds_apart_are_put_back(tmp_path: Path) -> None:
    sample = inspect_sample("a", 1, "4", {"match": "C"}, input="attachment://long")
    sample |= {"attachments": {"long": "2+2?"}}
    (group,) = read(write_eval(tmp_path / "log.eval", [sample]))
    assert group.prompt == "2+2?"


def test_objects_of_a_json_log_that_are_no_samples_are_passed_by(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(inspect_log(SAMPLES), indent=2))
    reading = read(path)
    assert (reading.container, reading.summary.n_rows, reading.summary.group_sizes) == (
        "Inspect log in JSON",
        4,
        {2: 2},
    )
    path.write_text(path.read_text()[:-900])  # a writer that was killed
    assert read(path).summary.n_rollouts == 3


def test_other_archives_are_refused_and_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.pt"
    path.write_bytes(zip_bytes({"archive/data.pkl": b"\x80\x02.", "archive/version": b"3"}, 0))
    with pytest.raises(
        InputError, match=r"got a PyTorch file, whose pickle could run code .*rollout_data\['samples'\]"
    ):
        read(path)
    path.write_bytes(zip_bytes({"a.txt": b"a"}, 0))
    with pytest.raises(InputError, match="got a zip archive"):
        read(path)
    path.write_bytes(zip_bytes({}, 0))
    with pytest.raises(InputError, match="got a zip archive"):
        read(path)
