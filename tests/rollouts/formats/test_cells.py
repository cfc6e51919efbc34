from rewardgate.rollouts.formats.cells import cell, first_column, object_items, rows_of_lists, rows_of_objects, width
from rewardgate.rollouts.refusals import Tally


def test_a_name_with_dots_is_a_column_first_and_a_path_second() -> None:
    row = {"a.b": 1, "a": {"b": 2, "c": {"d": 3}}}
    assert [cell(row, name) for name in ("a.b", "a.c.d", "a.x", "x", None)] == [1, 3, None, None, None]
    assert cell({"a": None}, "a", default="absent") is None


def test_the_first_column_is_the_first_that_is_not_null() -> None:
    assert first_column({"a": None, "b": 0, "c": 1}, ("a", "b", "c")) == "b"
    assert first_column({"a": None}, ("a",)) is None


def test_a_row_is_wide_by_its_responses_or_by_its_rewards_alone() -> None:
    message = {"role": "assistant", "content": "4"}
    assert width({"r": ["a", "b"]}, "r", None) == 2
    assert width({"r": []}, "r", None) == 0
    assert width({"r": [message]}, "r", None) is None
    assert width({"r": [[message], [message]]}, "r", None) == 2
    assert width({"scores": [1, 0, 1]}, None, "scores") == 3
    assert width({"r": "a", "scores": [1, 0]}, "r", "scores") is None  # an odd reward, not a group
    assert width({"outputs": '["a", "b"]'}, "outputs", None) == 2  # a text cell of a table
    assert width({"output": '["a", "b"]'}, "output", None) is None  # a model that answers with JSON


def test_objects_that_a_row_lists_keep_what_the_row_says_of_all() -> None:
    row = {"id": "p", "level": 1, "samples": [{"text": "a", "id": "s"}, {"text": "b", "level": 2}]}
    items = object_items(row, "samples")
    assert items is not None
    assert rows_of_objects(row, "samples", items, left_out=("id",)) == [
        {"level": 1, "text": "a", "id": "s"},
        {"level": 2, "text": "b"},
    ]
    assert object_items({"samples": ["a"]}, "samples") is None
    assert object_items({"samples": []}, "samples") is None


def test_lists_in_step_are_taken_apart_and_everything_else_is_shared() -> None:
    row = {"r": ["a", "b"], "s": [1, None], "parts": {"acc": [1, 0]}, "gold": ["x", "y"], "n": [1, 2, 3], "id": "p"}
    assert rows_of_lists(row, 2, rewards=("s", "parts"), kept_whole=("gold",), left_out=("id",), tally=Tally()) == [
        {"gold": ["x", "y"], "n": [1, 2, 3], "r": "a", "s": 1, "parts": {"acc": 1}},
        {"gold": ["x", "y"], "n": [1, 2, 3], "r": "b", "s": None, "parts": {"acc": 0}},
    ]


def test_a_gold_repeated_for_each_response_is_one_gold() -> None:
    row = {"r": ["a", "b"], "gold": ["x", "x"]}
    first, _ = rows_of_lists(row, 2, rewards=(), kept_whole=("gold",), left_out=(), tally=Tally())
    assert first["gold"] == "x"


def test_rewards_out_of_step_are_unknown_and_counted_and_cost_no_response() -> None:
    tally = Tally()
    rows = rows_of_lists({"r": ["a", "b"], "s": [1]}, 2, rewards=("s",), kept_whole=(), left_out=(), tally=tally)
    assert rows == [{"r": "a", "s": None}, {"r": "b", "s": None}]
    assert tally == {"rewards_not_aligned": 1}
