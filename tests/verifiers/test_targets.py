"""Targets in every form."""

from time import process_time

import pytest

from rewardgate.verifiers.targets import is_too_long, read_target, read_targets


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("18", "18"),
        (" $18$ ", "18"),
        ("9 * 2 = 18\n#### 18", "18"),
        ("so\nA: 18", "18"),
        ("Answer: 1,000", "1,000"),
        (r"thus \boxed{\frac12}.", r"\frac{1}{2}"),
        ("a:b=2:3", "a:b=2:3"),
    ],
)
def test_the_final_answer_is_read(target: str, text: str):
    assert read_target(target).text == text


@pytest.mark.parametrize("target", ["", "  ", "$$", "...", r"\boxed{}"])
def test_nothing_readable_is_told_in_the_note(target: str):
    read = read_target(target)
    assert read.text == ""
    assert read.note


def test_mappings_and_sequences_name_their_answers():
    assert [one.text for one in read_targets({"ground_truth": ["1", "2"]})] == ["1", "2"]
    assert [one.text for one in read_targets(("1", "2"))] == ["1", "2"]
    assert [one.text for one in read_targets({"other": "1"})] == [""]
    assert [one.text for one in read_targets([5, 0.5])] == ["5", "0.5"]
    assert read_targets(True) == read_targets(None) == []


def test_digits_are_never_too_long():
    assert not is_too_long("7" * 200_000)
    assert is_too_long("x" * 200_000)


def test_many_digits_before_something_else_are_looked_at_once():
    started = process_time()
    assert is_too_long("7" * 200_000 + "x")
    assert process_time() - started < 1
