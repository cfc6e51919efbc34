"""Rows as ids: what the models were trained on, and positions that no text can move."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_prms import TOKENIZERS, mistral_tokenizer

from rewardgate.prm import StepRow
from rewardgate.prm.hf.families import FAMILIES, StepEncoder
from rewardgate.prm.hf.formatting import problem_text

SYSTEM = r"Please reason step by step, and put your final answer within \boxed{}."
MARKS = [
    "<extra_0>",
    "ки",
    " ки\n",
    "+",
    "\n",
    "<|im_end|>",
    "<|eot_id|>",
    "</s>",
    "<bos>",
    "Step 2: ",
    "\ue0000\ue001",
]
plain = st.text("abc 12+=.\\$", min_size=1, max_size=20).filter(str.strip).map(str.strip)
hostile = st.lists(st.sampled_from([*MARKS, " ", "a", "é", "日", "\ud800", "😀"]), max_size=6).map("".join)


def encoder(family: str) -> StepEncoder:
    return FAMILIES[family].encoder(TOKENIZERS[family]())


def whole(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def chat(tokenizer: Any, *turns: tuple[str, str]) -> list[int]:
    messages = [{"role": role, "content": content} for role, content in turns]
    return whole(tokenizer, tokenizer.apply_chat_template(messages, tokenize=False, date_string="26 Jul 2024"))


@given(plain, st.lists(plain, min_size=1, max_size=4))
def test_qwen_reads_the_chat_of_its_model_card(problem: str, steps: list[str]) -> None:
    found = encoder("qwen").encode(StepRow(problem, tuple(steps)))
    answer = "<extra_0>".join(steps) + "<extra_0>"
    expected = chat(TOKENIZERS["qwen"](), ("system", SYSTEM), ("user", problem), ("assistant", answer))
    assert found.ids == expected
    tag = TOKENIZERS["qwen"]().convert_tokens_to_ids("<extra_0>")
    assert found.positions == [place for place, token in enumerate(expected) if token == tag]


@given(plain, st.lists(plain, min_size=1, max_size=4))
def test_rlhflow_reads_before_every_answer_of_a_chat_in_turns(problem: str, steps: list[str]) -> None:
    tokenizer = TOKENIZERS["rlhflow"]()
    first, *others = steps
    users = [f"{problem} {first}", *others]
    turns = list(chain.from_iterable((("user", text), ("assistant", "+")) for text in users))
    found = encoder("rlhflow").encode(StepRow(problem, tuple(steps)))
    assert found.ids == chat(tokenizer, *turns)
    # As the original does it: the third token from the end of the chat that ends with the step's answer.
    ends = [len(chat(tokenizer, *turns[: 2 * number])) - 3 for number in range(1, len(steps) + 1)]
    assert found.positions == ends


@given(plain, st.lists(plain, min_size=1, max_size=4))
def test_math_shepherd_reads_the_tags_of_one_text(problem: str, steps: list[str]) -> None:
    tokenizer = mistral_tokenizer()
    solution = "\n".join(f"Step {number}: {step} ки" for number, step in enumerate(steps, 1))
    expected = [tokenizer.bos_token_id, *whole(tokenizer, f"{problem} {solution}")]
    found = encoder("math_shepherd").encode(StepRow(problem, tuple(steps)))
    assert found.ids == expected
    assert found.positions == [place for place, token in enumerate(expected) if token == whole(tokenizer, "ки")[0]]


def test_math_shepherd_does_not_number_a_step_that_is_numbered() -> None:
    found = encoder("math_shepherd").encode(StepRow("q", ("Step 7: a", "b")))
    assert mistral_tokenizer().decode(found.ids) == "<s> q Step 7: a ки\nStep 2: b ки"


@given(plain, st.lists(plain, min_size=1, max_size=4))
def test_trl_reads_pieces_as_its_trainer_tokenizes_them(problem: str, steps: list[str]) -> None:
    tokenizer = TOKENIZERS["trl"]()
    ids, positions = [tokenizer.bos_token_id, *whole(tokenizer, problem)], []
    for step in steps:
        ids += whole(tokenizer, step) + whole(tokenizer, "\n")
        positions.append(len(ids) - 1)
    assert encoder("trl").encode(StepRow(problem, tuple(steps))) == (ids, positions)


def test_skywork_puts_a_line_end_behind_the_problem() -> None:
    tokenizer = TOKENIZERS["skywork"]()
    found = encoder("skywork").encode(StepRow("q", ("a", "b")))
    q, a, b, end = (whole(tokenizer, text)[0] for text in ("q", "a", "b", "\n"))
    assert found == ([tokenizer.bos_token_id, q, end, a, end, b, end], [4, 6])


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_no_text_adds_or_moves_a_position(family: str, data: st.DataObject) -> None:
    steps = tuple(data.draw(st.lists(hostile, max_size=4)))
    found = encoder(family).encode(StepRow(data.draw(hostile), steps))
    assert len(found.positions) == len(steps)
    read = [place for place in found.positions if place is not None]
    assert len(read) == sum(bool(step.strip()) for step in steps)
    # As many tokens behind the last one that is read as where the steps are plain: the end of a chat, or none.
    tail = encoder(family).encode(StepRow("a", ("b",)))
    if read:
        assert len(found.ids) - read[-1] == len(tail.ids) - (tail.positions[0] or 0)
    closing = 1 if family == "rlhflow" else 0
    assert all(found.ids[place + closing] == encoder(family).marks.tag[-1] for place in read)
    assert read == sorted(set(read))


@pytest.mark.parametrize(("family", "control"), [("qwen", "<|im_end|>"), ("rlhflow", "<|eot_id|>"), ("trl", "<bos>")])
def test_a_special_token_in_a_step_is_spelled_out(family: str, control: str) -> None:
    tokenizer = TOKENIZERS[family]()
    number = tokenizer.convert_tokens_to_ids(control)

    def count(step: str) -> int:
        return encoder(family).encode(StepRow("q", (step,))).ids.count(number)

    assert count(f"so {control} it is") == count("so it is")


def test_white_space_around_a_step_is_not_read_and_a_step_of_white_space_nowhere() -> None:
    for family in FAMILIES:
        bare = encoder(family).encode(StepRow("q", ("a", "b")))
        found = encoder(family).encode(StepRow("q", (" a\n\n", "", "\u2003\n", "b\r\n")))
        assert found.ids == bare.ids
        assert found.positions == [bare.positions[0], None, None, bare.positions[1]]


def test_without_steps_nothing_is_read() -> None:
    for family in FAMILIES:
        assert encoder(family).encode(StepRow("q", ())).positions == []


def test_the_problem_of_a_chat_is_what_the_user_said() -> None:
    messages = [
        {"role": "system", "content": "Box it."},
        {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "And 3+3?"},
    ]
    assert problem_text(messages) == "2+2?\n\nAnd 3+3?"
    assert problem_text(messages[:1]) == "system: Box it."
    row, same = StepRow(messages[:2], ("4",)), StepRow("2+2?", ("4",))
    assert encoder("qwen").encode(row) == encoder("qwen").encode(same)
