import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from rollout_records import write_lines

from rewardgate.errors import NoUsableRowsError, UnknownNameError
from rewardgate.rollouts import Reading, Refusal, Rollout, read, read_rows


def row(prompt: str, response: Any = "4", **cells: Any) -> dict[str, Any]:
    return {"prompt": prompt, "response": response, "gold": "4", "reward": 1.0, **cells}


def shape(reading: Reading) -> list[list[str | None]]:
    return [[str(rollout.response) for rollout in group.rollouts] for group in reading]


def test_scattered_rows_are_gathered_in_the_order_of_first_appearance(tmp_path: Path) -> None:
    rows = [row(prompt, f"{prompt}{number}") for number in range(3) for prompt in "abc"]
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *rows))
    assert shape(reading) == [["a0", "a1", "a2"], ["b0", "b1", "b2"], ["c0", "c1", "c2"]]
    assert "gathered from all over the file" in reading.summary.notes[0]
    assert [rollout.source.line for group in reading for rollout in group.rollouts if rollout.source] == [
        *(1, 4, 7, 2, 5, 8, 3, 6, 9)
    ]


def test_rows_in_order_of_the_file_keep_their_refusals_in_place(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rollouts.jsonl", "# log", row("a"), "", row("b", number=5), '{"prompt": "cut')
    found = list(read_rows(path))
    assert [type(item) for item in found] == [Refusal, Rollout, Rollout, Refusal]
    assert [item.line if isinstance(item, Refusal) else item.source and item.source.line for item in found] == [
        1,
        2,
        4,
        5,
    ]


def test_the_summary_counts_everything(tmp_path: Path) -> None:
    rows = [
        row("a", id="1"),
        row("a", id="1"),
        row("a", id="2", gold="5"),
        row("b", id="3"),
        "junk",
        row("b", id="4"),
    ]
    summary = read(write_lines(tmp_path / "rollouts.jsonl", *rows)).summary
    assert (summary.n_rows, summary.n_rollouts, summary.n_groups, summary.n_refused) == (6, 5, 2, 1)
    assert summary.group_sizes == {2: 1, 3: 1}
    assert summary.warnings == {"rewritten_rows": 1, "targets_differ_in_group": 1}
    assert summary.refusals[0].line == 5
    assert json.loads(summary.model_dump_json())["group_sizes"] == {"2": 1, "3": 1}


def test_a_reading_can_be_iterated_again_and_says_the_same(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "rollouts.jsonl", row("a", reward="N/A"), row("b", 5), row("a")))
    first, summary = shape(reading), reading.summary
    assert shape(reading) == first == [["4", "4"]]
    assert reading.summary == summary


def test_two_iterations_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *[row(f"p{number // 2}") for number in range(20)]))
    assert [(one.prompt_id, two.prompt_id) for one, two in zip(reading, reading, strict=True)] == [
        (group.prompt_id, group.prompt_id) for group in reading
    ]


def test_the_same_prompt_at_two_steps_is_two_groups(tmp_path: Path) -> None:
    rows = [row("a", step=step, prompt_id="p") for step in (10, 20) for _ in range(2)]
    groups = list(read(write_lines(tmp_path / "rollouts.jsonl", *rows)))
    assert [(group.group_id, len(group)) for group in groups] == [("10/p", 2), ("20/p", 2)]
    assert {group.prompt_id for group in groups} == {"p"}


def test_an_explicit_id_wins_over_the_text_and_the_conflict_is_told(tmp_path: Path) -> None:
    rows = [row("a", prompt_id=name, gold=answer) for name, answer in (("p", "4"), ("p", "4"), ("q", "5"))]
    reading = read(write_lines(tmp_path / "rollouts.jsonl", *rows))
    assert [len(group) for group in reading] == [2, 1]
    assert reading.summary.warnings == {"prompt_with_two_ids_and_targets": 1}


def test_a_file_without_a_usable_row_is_an_error_and_never_an_empty_result(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    for text, said in [
        ("", "expected at least one row, got none"),
        ("\n\n", "got none"),
        ("INFO start\nINFO stop\n", r"got 0 of 2; line 1: row: expected a JSON object, got \"INFO start\""),
        (json.dumps({"prompt": "q", "response": None}), "no row has a response or a reward"),
    ]:
        path.write_text(text)
        with pytest.raises(NoUsableRowsError, match=said):
            list(read(path))
        with pytest.raises(NoUsableRowsError, match=said):
            list(read_rows(path))


def test_a_format_can_be_named_and_an_unknown_one_is_told_the_known(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rollouts.jsonl", {"question": "q", "gt": "4", "code": ["a"], "score": [True]})
    assert (read(path).format, read(path, format="columns").format) == ("qwen_math", "columns")
    with pytest.raises(UnknownNameError, match="known: columns"):
        read(path, format="qwen")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ['{"prompt": "a", "response": "4", "reward": 0, "reward": 1}'] * 2,
            "keys that stand twice in one object (line 1): reward; the last counts",
        ),
        (
            ["prompt,response,reward,Reward", "a,4,0,1", "a,4,0,1"],
            "columns that the header names twice: reward; the last counts",
        ),
    ],
)
def test_a_name_that_stands_twice_is_told(tmp_path: Path, lines: list[str], words: str) -> None:
    reading = read(write_lines(tmp_path / "rollouts", *lines))
    assert [rollout.reward for group in reading for rollout in group.rollouts] == [1.0, 1.0]
    assert words in reading.summary.notes


def test_rewards_out_of_step_do_not_cost_a_verdict_on_the_responses(tmp_path: Path) -> None:
    wide = {"prompt": "a", "responses": ["4", "5"], "gold": "4", "rewards": [1.0]}
    path = write_lines(tmp_path / "rollouts.jsonl", wide, {**wide, "prompt": "b", "rewards": [1.0, 0.0]})
    assert [row.response for row in read_rows(path) if isinstance(row, Rollout)] == ["4", "5", "4", "5"]
    summary = read(path).summary
    assert (summary.n_refused, summary.warnings["rewards_not_aligned"]) == (0, 1)


def test_a_damaged_file_keeps_its_rows_and_says_where_they_end(tmp_path: Path) -> None:
    plain = write_lines(tmp_path / "plain", row("a"), row("b"))
    path = tmp_path / "rollouts.jsonl.gz"
    path.write_bytes(gzip.compress(plain.read_bytes(), compresslevel=0)[:-4])  # without half of the trailer
    *rows, last = read_rows(path)
    assert [type(item) for item in rows] == [Rollout, Rollout]
    assert isinstance(last, Refusal)
    assert (last.line, last.field) == (3, "file")
    assert "damaged or cut short" in last.reason
    assert any("damaged or cut short" in note for note in read(path).summary.notes)


def test_an_empty_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    for open_file in (read, read_rows):
        with pytest.raises(NoUsableRowsError, match=r"expected files of rollouts .*, got 0 files without any"):
            open_file(tmp_path)


def test_many_refusals_are_counted_and_the_first_hundred_kept(tmp_path: Path) -> None:
    rows = ["junk"] * 150 + [row("a", 5) for _ in range(150)] + [row("a")]
    summary = read(write_lines(tmp_path / "rollouts.jsonl", *rows)).summary
    assert (summary.n_refused, len(summary.refusals), summary.n_rollouts) == (300, 100, 1)


def test_a_file_of_20_mb_streams_in_a_few_mb(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    with path.open("w") as file:
        for prompt in range(200):
            for number in range(8):
                cells = row(f"question {prompt} " * 10, f"words of reasoning {number} " * 600, reward=number % 2)
                file.write(json.dumps(cells) + "\n")
    assert path.stat().st_size > 20e6
    tracemalloc.start()
    try:
        reading = read(path)
        assert sum(len(group) for group in reading) == 1_600
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8e6


def test_a_response_of_5_mb_is_read_plain_and_compressed(tmp_path: Path) -> None:
    rows = [row("a"), row("a", "x" * 5_000_000), row("a")]
    path = write_lines(tmp_path / "rollouts.jsonl", *rows)
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(path.read_bytes(), compresslevel=1))
    for file in (path, packed):
        (group,) = read(file)
        assert [len(str(rollout.response)) for rollout in group.rollouts] == [1, 5_000_000, 1]
