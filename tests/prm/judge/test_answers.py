import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.judge.answers import Answer, UnreadableError, read_boxed, read_json
from rewardgate.prm.judge.replies import Reply


@pytest.mark.parametrize(
    ("text", "index"),
    [
        (r"\boxed{2}", 2),
        (r"\boxed{-1}", -1),
        (r"\boxed{−1}", -1),
        (r"Paragraph 0 has \boxed{5} pens, so it holds. \boxed{1}", 1),
        (r"$\boxed{1}$.", 1),
        (r"\boxed{ 1 }", 1),
        (r"\boxed{\text{1}}", 1),
        (r"\boxed{\text{paragraph\_1}}", 1),
        (r"\boxed{\text{Paragraph 1}}", 1),
        (r"\boxed{paragraph_1}", 1),
        (r"\boxed{<paragraph_1>}", 1),
        (r"\boxed{Step 1}", 1),
        (r"**\boxed{1}**", 1),
        (r"\boxed{01}", 1),
        (r"<think>\boxed{0}</think>\boxed{1}", 1),
        (r"so \boxed{0}</think> it is \boxed{1}", 1),
    ],
)
def test_the_last_box_behind_the_thinking_is_the_answer(text: str, index: int) -> None:
    assert read_boxed(Reply(text), 3).first_error == index


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "-1",
        r"\boxed{}",
        r"\boxed{none}",
        r"\boxed{1.0}",
        r"\boxed{1.5}",
        r"\boxed{0,1}",
        r"\boxed{0} or \boxed{x}",
        r"\boxed{x-1}",
        r"\boxed{3}",
        r"\boxed{-2}",
        r"\boxed{--1}",
        r"\boxed{٣}x",
        r"\boxed{1",
        r"\boxed{99999999999999999999}",
        r"<think>\boxed{1}",
        r"\boxed{0}</think>",
    ],
)
def test_anything_but_one_index_of_the_row_is_no_answer(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_boxed(Reply(text), 3)


@pytest.mark.parametrize("stopped_by", ["length", "content_filter", "LENGTH", "max_tokens"])
def test_a_reply_that_was_cut_off_is_no_answer_also_with_a_box(stopped_by: str) -> None:
    for reply in (Reply(r"\boxed{1}", stopped_by), Reply('{"first_error": 1}', stopped_by)):
        with pytest.raises(UnreadableError, match="ended by"):
            (read_boxed if "boxed" in reply.text else read_json)(reply, 3)


@pytest.mark.parametrize(
    "text",
    [
        '{"first_error": 1}',
        ' {"reason": "x", "first_error": 1, "more": []} ',
        '```json\n{"first_error": 1}\n```',
        '```\n{"first_error": 1}\n```',
        '<think>{"first_error": 0}</think>{"first_error": 1}',
    ],
)
def test_an_object_with_the_index_is_the_answer(text: str) -> None:
    assert read_json(Reply(text), 3).first_error == 1


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "[1]", "null", '{"first_error": "1"}', '{"first_error": 1.0}', '{"first_error": null}'),
        *('{"first_error": true}', '{"first_error": 3}', '{"first_error": -2}', '{"error": 1}', '{"first_error": NaN}'),
        *('{"first_error": 1', 'It is {"first_error": 1}', "[" * 100_000, '{"first_error": ' + "9" * 5_000 + "}"),
    ],
)
def test_anything_else_is_no_answer(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_json(Reply(text), 3)


def test_the_reason_comes_along_in_one_line() -> None:
    assert read_json(Reply('{"first_error": 0, "reason": "2 + 2\\n is 4"}'), 1) == Answer(0, "2 + 2 is 4")
    assert read_json(Reply('{"first_error": 0, "reason": ["x"]}'), 1) == Answer(0)


@given(
    st.text() | st.lists(st.sampled_from([r"\boxed{", "}", "-1", "1", "<think>", "</think>", "{", "\\"])).map("".join)
)
def test_any_text_is_an_index_of_the_row_or_unreadable(text: str) -> None:
    for read in (read_boxed, read_json):
        with suppress(UnreadableError):
            assert -1 <= read(Reply(text), 2).first_error < 2


@pytest.mark.parametrize(
    "flood",
    [
        *(
            "\\boxed{" * 50_000,
            "\\boxed{1" + "}" * 50_000,
            "<think>" * 50_000,
            "{" * 200_000,
            "```json\n" + "\n" * 100_000,
        ),
        *("\\boxed{" + " \\_~" * 50_000 + "x}", "\\boxed{paragraph" + "_" * 50_000 + "x}"),
        "\\boxed{$" + " " * 50_000 + "<" + " " * 50_000 + "x}",
    ],
    ids=range(8),
)
def test_a_flood_is_read_in_linear_time(flood: str) -> None:
    begun = time.process_time()
    for read in (read_boxed, read_json):
        with suppress(UnreadableError):
            read(Reply(flood), 2)
    assert time.process_time() - begun < 2  # quadratic ones took minutes


@given(st.integers(-1, 30), st.text(st.characters(exclude_characters="\\{}<>"), max_size=20))
def test_both_forms_say_the_same_number(index: int, words: str) -> None:
    assert read_boxed(Reply(f"{words} \\boxed{{{index}}} {words}"), 31).first_error == index
    assert read_json(Reply(json.dumps({"reason": words, "first_error": index})), 31).first_error == index
