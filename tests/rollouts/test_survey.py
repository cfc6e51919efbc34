from pathlib import Path

import pytest
from rollout_records import write_lines

from rewardgate.errors import ArgumentError
from rewardgate.rollouts.fields import ReadOptions
from rewardgate.rollouts.refusals import RowRefusedError
from rewardgate.rollouts.rows import LocatedRow
from rewardgate.rollouts.survey import refusal_of, row_value, survey_file

QWEN = {"question": "q", "gt": "4", "answer": "4", "code": ["a"], "score": [True]}


def test_the_format_is_recognised_by_the_first_rows_unless_columns_are_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rollouts.jsonl", "# log", {"event": "start"}, QWEN, QWEN)
    assert survey_file(path, "auto", ReadOptions()).format_name == "qwen_math"
    assert survey_file(path, "auto", ReadOptions(target_key="answer")).format_name == "columns"


def test_a_survey_counts_rows_and_says_what_was_odd(tmp_path: Path) -> None:
    survey = survey_file(write_lines(tmp_path / "rollouts.jsonl", "# log", QWEN, QWEN), "auto", ReadOptions())
    assert (survey.n_rows, survey.n_refused, len(survey.index)) == (3, 1, 2)
    assert survey.refusals[0].reason == 'expected a JSON object, got "# log"'


def test_a_column_that_first_appears_late_is_still_found(tmp_path: Path) -> None:
    early = [{"prompt": f"q{number}", "response": "a"} for number in range(300)]
    late = {"prompt": "q", "response": "a", "reward": 1.0, "answer": "4"}
    survey = survey_file(write_lines(tmp_path / "rollouts.jsonl", *early, late), "auto", ReadOptions())
    assert (survey.reader.fields["rewards"], survey.reader.fields["target"]) == ("reward", "answer")


def test_an_option_that_names_no_column_is_an_argument_error(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="group_key"):
        survey_file(write_lines(tmp_path / "rollouts.jsonl", QWEN), "auto", ReadOptions(group_key="nope"))


def test_a_row_without_value_is_refused_with_its_problem() -> None:
    with pytest.raises(RowRefusedError) as refused:
        row_value(LocatedRow(3, 0, b"", None, "expected a JSON object, got 3"))
    assert str(refusal_of(Path("a"), 3, refused.value)) == "a:3: row: expected a JSON object, got 3"
    assert "nests less deeply" in refusal_of(Path("a"), 3, RecursionError()).reason
