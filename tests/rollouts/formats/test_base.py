import pytest

from rewardgate.errors import UnknownNameError
from rewardgate.rollouts.formats import formats
from rewardgate.rollouts.formats.base import most


def test_every_registered_format_builds_and_knows_its_name() -> None:
    assert {"columns", "gsm8k_solutions", "native", "openai_batch", "qwen_math"} <= set(formats)
    for name in formats:
        assert formats.create(name).name == name


@pytest.mark.parametrize("name", sorted(formats))
def test_no_format_recognises_nothing_or_a_plain_row(name: str) -> None:
    made = formats.create(name)
    assert not made.recognises([])
    assert not made.recognises([{"prompt": "q", "response": "a", "answer": "4", "reward": 1.0}])


def test_an_unknown_format_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown name \"qwen\"; known: columns"):
        formats.create("qwen")


def test_a_log_line_among_the_first_rows_changes_nothing() -> None:
    assert most([{"a": 1}, {"a": 1}, {"log": 1}], lambda row: "a" in row)
    assert not most([{"a": 1}, {"log": 1}], lambda row: "a" in row)
    assert not most([], lambda row: True)
