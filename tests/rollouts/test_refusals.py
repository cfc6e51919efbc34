from collections.abc import Mapping

from hypothesis import given
from rollout_records import any_text, json_values

from rewardgate.rollouts.refusals import SENTENCES, Refusal, clip, warning_notes


def test_a_refusal_reads_as_file_line_field_and_reason() -> None:
    refusal = Refusal(file="a.jsonl", line=17, field="reward", reason="expected a number, got []")
    assert str(refusal) == "a.jsonl:17: reward: expected a number, got []"


@given(json_values | any_text)
def test_a_clipped_value_is_short_and_harmless(value: object) -> None:
    shown = clip(value)
    assert shown.isprintable()
    assert shown.isascii()
    # 60 characters may each be written as a pair of six-character escapes.
    assert len(shown) <= 60 * 12 + 5


def test_a_value_without_end_is_named_by_its_type() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert clip(loop) == "a list"
    assert clip(list(range(1000))) == "a list of 1000 items"


def test_warnings_are_sentences_that_end_in_their_counts() -> None:
    counts: Mapping[str, int] = {"reward_nan": 3, "duplicate_ids": 0, "something_new": 1}
    assert warning_notes(counts) == [f"{SENTENCES['reward_nan']}: 3", "something_new: 1"]
