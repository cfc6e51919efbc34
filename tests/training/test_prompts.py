import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from tiny_prms import plain_tokenizer, qwen_tokenizer

from rewardgate.errors import ArgumentError, InputError
from rewardgate.training.prompts import Prompt, PromptEncoder, read_prompts, without


def written(folder: Path, *rows: dict[str, Any], name: str = "prompts.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_usual_columns_are_found(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "2+2?", "answer": 4, "level": 1}, {"question": "é?", "answer": "5"})
    found = read_prompts(path)
    assert [(one.prompt, one.target) for one in found] == [("2+2?", "4"), ("é?", "5")]
    assert found[0].prompt_id.startswith("prompt-")
    assert found[0].prompt_id != found[1].prompt_id


def test_verl_rows_are_read_from_parquet(tmp_path: Path) -> None:
    row = {"prompt": [{"role": "user", "content": "2+2?"}], "reward_model": {"style": "rule", "ground_truth": "4"}}
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "train.parquet")
    (one,) = read_prompts(tmp_path / "train.parquet")
    assert (one.prompt, one.target) == ([{"role": "user", "content": "2+2?"}], "4")


def test_columns_are_named_by_the_caller(tmp_path: Path) -> None:
    path = written(tmp_path, {"q": "2+2?", "about": {"gold": "4"}, "question": "no", "key": 3})
    assert read_prompts(path, prompt_key="q", target_key="about.gold", prompt_id_key="key") == [
        Prompt("3", "2+2?", "4")
    ]


def test_a_csv_of_two_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prompts.csv"
    path.write_text("question,answer\n2+2?,4\n", encoding="utf-8")
    assert [one.target for one in read_prompts(path)] == ["4"]


def test_the_same_prompt_twice_is_one(tmp_path: Path) -> None:
    assert len(read_prompts(written(tmp_path, *[{"question": "2+2?", "answer": "4"}] * 3))) == 1


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"question": "2+2?", "answer": "4"}, {"question": "2+2?", "answer": "5"}], r':2: target: .* "4", got "5"'),
        (
            [{"id": 1, "question": "a", "answer": "4"}, {"id": 1, "question": "b", "answer": "4"}],
            r":2: prompt: .*\"1\"",
        ),
        ([{"question": "a", "answer": "4"}, {"question": "", "answer": "4"}], ":2: question: expected a prompt"),
        ([{"question": "a", "answer": "4"}, {"question": "b", "answer": None}], ":2: answer: expected a target"),
        ([{"question": "a"}], "expected a column of targets; target_key names one; columns: question"),
        ([{"answer": "a"}], "expected a column of prompts; prompt_key names one; columns: answer"),
        ([{"question": [1, 2], "answer": "4"}], "expected a column of prompts"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, rows: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_prompts(written(tmp_path, *rows))


def test_a_file_without_prompts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected at least one prompt, got none"):
        read_prompts(written(tmp_path))
    with pytest.raises(InputError, match=r"expected a column of prompts; .*; columns: level"):
        read_prompts(written(tmp_path, {"level": 1}))
    (tmp_path / "other.jsonl").write_bytes(b"\xe9\n")
    with pytest.raises(InputError, match=r"other\.jsonl:1: row: expected UTF-8"):
        read_prompts(tmp_path / "other.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"question": "a", "answer": "b"}\n{"question"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.jsonl:2: row: expected a JSON object"):
        read_prompts(tmp_path / "bad.jsonl")
    with pytest.raises(InputError, match='prompt_key: expected a column of the file, got "q"'):
        read_prompts(written(tmp_path, {"question": "a", "answer": "4"}), prompt_key="q")


def test_held_out_prompts_are_taken_out_by_id_and_by_words() -> None:
    prompts = [Prompt("a", "2+2?", "4"), Prompt("b", "3+3?", "6"), Prompt("c", "4+4?", "8")]
    held_out = [
        Prompt("a", "other", "1"),
        Prompt("z", [{"role": "user", "content": "x"}], "1"),
        Prompt("y", "3+3?", "6"),
    ]
    assert without(prompts, held_out) == [prompts[2]]


def test_a_text_is_encoded_as_the_tokenizer_has_it() -> None:
    tokenizer = plain_tokenizer()
    encode = PromptEncoder(tokenizer, template="Q: {prompt}\nA: {}")
    assert tokenizer.decode(encode("2+2?")) == "Q: 2+2?\nA: {}"


def test_a_chat_template_writes_the_messages() -> None:
    tokenizer = qwen_tokenizer()
    encode = PromptEncoder(tokenizer, system="Be brief.")
    assert tokenizer.decode(encode("2+2?")) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n"
    )
    own = [{"role": "system", "content": "Mine."}, {"role": "user", "content": "2+2?"}]
    assert tokenizer.decode(encode(own)).startswith("<|im_start|>system\nMine.")
    assert tokenizer.decode(PromptEncoder(tokenizer, chat=False)("2+2?")) == "2+2?"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"chat": True}, "chat: expected a tokenizer with a chat template"),
        ({"system": "Be brief."}, "system: expected None without a chat template"),
        ({"template": "no place"}, r"template: expected a text with \{prompt\} in it"),
    ],
)
def test_what_does_not_fit_the_tokenizer_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ArgumentError, match=problem):
        PromptEncoder(plain_tokenizer(), **options)


def test_messages_need_a_chat_template() -> None:
    with pytest.raises(ArgumentError, match="expected text, got messages"):
        PromptEncoder(plain_tokenizer())([{"role": "user", "content": "2+2?"}])


def test_long_prompts_are_left_out_and_empty_ones_refused() -> None:
    encoder = PromptEncoder(plain_tokenizer(), template="{prompt}")
    prompts = [Prompt("a", "2", "4"), Prompt("b", "2" * 50, "4")]
    assert [one.prompt_id for one in encoder.encoded(prompts, max_tokens=10)] == ["a"]
    assert len(encoder.encoded(prompts)) == 2
    with pytest.raises(ArgumentError, match="max_prompt_tokens: expected a prompt of at most 10"):
        encoder.encoded(prompts[1:], max_tokens=10)
    with pytest.raises(ArgumentError, match='prompt "c": expected at least one token'):
        encoder.encoded([Prompt("c", "", "4")])
