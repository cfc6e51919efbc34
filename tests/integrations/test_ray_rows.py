"""Blocks of rows, and what becomes of them: what the local commands make, whatever the blocks. Needs no Ray."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardgate.integrations import ray_rows
from rewardgate.integrations.ray_blocks import ScoreQuestion, VerdictQuestion, table_of
from rewardgate.integrations.ray_folder import RunFolder
from rewardgate.integrations.ray_inputs import InputFile
from rewardgate.integrations.ray_rows import FAILED, row_blocks, unpacked
from rewardgate.prm import get as scorer
from rewardgate.prm.scored_rows import scored_rows
from rewardgate.rollouts.reading import read_rows
from rewardgate.rollouts.writing import STEP_SCORE_FIELDS, VERDICT_FIELDS, step_scores_row
from rewardgate.verifiers import get
from rewardgate.verifiers.verdict_rows import verdict_rows


def file_of(folder: Path, n: int, *, broken: tuple[int, ...] = (), name: str = "rows.jsonl") -> Path:
    """`n` rows, right where their number is even; those in `broken` cannot be read."""
    path = folder / name
    rows = [
        {"prompt": f"{number}?", "response": f"so {number - number % 2}", "answer": str(number)} for number in range(n)
    ]
    lines = ["{no json" if number in broken else json.dumps(row) for number, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def without_seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in ("seconds", "file")} for row in rows]


def blocks_of(path: Path, out: Path, *, block_rows: int = 64, done: frozenset[int] = frozenset()) -> list[Any]:
    folder = RunFolder(out)
    folder.open({}, [str(path)])
    return list(row_blocks(folder, InputFile(0, str(path), "", done), {}, path=str(path), block_rows=block_rows))


def test_the_blocks_of_a_file_are_its_rows_in_order_and_numbered_through(tmp_path: Path) -> None:
    path = file_of(tmp_path, 150, broken=(3, 140))
    blocks = blocks_of(path, tmp_path / "out")
    assert [(block.number, block.start, len(unpacked(block))) for block in blocks] == [
        (0, 0, 64),
        (1, 64, 64),
        (2, 128, 22),
    ]
    assert [row for block in blocks for row in unpacked(block)] == list(read_rows(path))
    assert RunFolder(tmp_path / "out").size(0) == (3, 150)


def test_blocks_that_are_there_are_not_handed_on_and_the_others_stay_the_same(tmp_path: Path) -> None:
    path = file_of(tmp_path, 200)
    whole = blocks_of(path, tmp_path / "out")
    assert blocks_of(path, tmp_path / "out", done=frozenset({0, 2})) == [whole[1], whole[3]]


def test_long_texts_close_a_block_early_but_only_where_a_batch_ends(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(ray_rows, "LARGE_CHARACTERS", 100)
    blocks = blocks_of(file_of(tmp_path, 300), tmp_path / "out", block_rows=256)
    assert [len(unpacked(block)) for block in blocks] == [64, 64, 64, 64, 44]


def test_a_file_without_a_usable_row_tells_why_and_has_no_size(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "?", "response": 4}\n' * 5)
    (block,) = blocks_of(path, tmp_path / "out")
    assert (block.number, block.file) == (FAILED, 0)
    assert "expected at least one usable row, got 0 of 5" in block.problem
    assert RunFolder(tmp_path / "out").size(0) is None


def test_a_row_of_several_responses_is_several_rows_of_the_output(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text("\n".join(json.dumps({"prompt": "?", "responses": ["4"] * 40, "answer": "4"}) for _ in range(4)))
    blocks = blocks_of(path, tmp_path / "out")
    assert [(block.start, len(unpacked(block))) for block in blocks] == [(0, 64), (64, 64), (128, 32)]


# Besides a quarter of the profile's examples, each of which reads and judges up to 200 rows twice: files that end at a
# block's end, just before it and behind it, with rows on both sides that cannot be read.
@settings(max_examples=settings().max_examples // 4)
@example(n=63, broken=set(), block_rows=64)
@example(n=64, broken={63}, block_rows=64)
@example(n=129, broken={63, 64, 128}, block_rows=64)
@example(n=193, broken={127, 192}, block_rows=192)
@given(n=st.integers(1, 200), broken=st.sets(st.integers(0, 199)), block_rows=st.sampled_from([64, 128, 192]))
def test_verdicts_do_not_depend_on_where_blocks_end(
    tmp_path_factory: pytest.TempPathFactory, n: int, broken: set[int], block_rows: int
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    path = file_of(folder, n, broken=tuple(broken - {0}))
    answers = VerdictQuestion("numeric").opened()
    found = []
    for block in blocks_of(path, folder / "out", block_rows=block_rows):
        rows, _ = answers(unpacked(block))
        found += [{**row, "row": block.start + row["row"]} for row in rows]
    assert without_seconds(found) == without_seconds(
        list(verdict_rows(read_rows(path), get("numeric"), name="numeric"))
    )


def test_the_counts_of_a_block_are_those_of_its_rows(tmp_path: Path) -> None:
    path = file_of(tmp_path, 10, broken=(4,))
    _, counts = VerdictQuestion("numeric").opened()(list(read_rows(path)))
    # Of 0 to 9 the even ones are right; row 4 cannot be read.
    assert counts == {"correct": 4, "incorrect": 5, "error": 1, "refused_rows": 1, "unscored": 1}


def test_tables_have_the_fields_of_the_local_commands_behind_the_file() -> None:
    assert VerdictQuestion("math").schema().names == ["file", *VERDICT_FIELDS]
    assert ScoreQuestion("arithmetic").schema().names == ["file", *STEP_SCORE_FIELDS]


def test_a_table_holds_what_the_local_command_writes(tmp_path: Path) -> None:
    path = file_of(tmp_path, 70, broken=(7,))
    question = VerdictQuestion("numeric")
    rows, _ = question.opened()(list(read_rows(path)))
    assert without_seconds(table_of(rows, question.schema()).to_pylist()) == without_seconds(rows)


def test_step_scores_are_those_of_the_local_command(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    responses = ["2 + 2 = 4\n\n3 + 3 = 7", "", None, "no sum here", "5 - 1 = 4"] * 20
    path.write_text("\n".join([*(json.dumps({"prompt": "?", "response": text}) for text in responses), "{"]))
    judge = scorer("arithmetic")
    local = [
        step_scores_row(one.rollout, row=number, steps=one.written, scorer="arithmetic", version=judge.version)
        for number, one in enumerate(scored_rows(read_rows(path), judge))
    ]
    question = ScoreQuestion("arithmetic")
    rows, counts = question.opened()(list(read_rows(path)))
    assert table_of(rows, question.schema()).drop_columns("file").to_pylist() == rows == local
    # 20 times four steps, of which "no sum here" is unknown; 20 rows without a response, one that cannot be read.
    assert counts == {
        "steps": 80,
        "steps_scored": 60,
        "steps_out_of_reach": 0,
        "without_text": 21,
        "refused_rows": 1,
    }


def test_half_a_surrogate_pair_becomes_the_replacement_character_and_the_rest_stays() -> None:
    question = VerdictQuestion("exact")
    row = {**dict.fromkeys(VERDICT_FIELDS), "extracted": "a\ud83d\u2028é😀", "reward": float("nan"), "span": [0, 2]}
    (found,) = table_of([row], question.schema()).to_pylist()
    assert (found["extracted"], found["reward"], found["span"]) == ("a\ufffd\u2028é😀", None, [0, 2])
