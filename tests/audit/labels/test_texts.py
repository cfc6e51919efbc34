import json
from hashlib import sha256
from pathlib import Path

import pytest
from label_files import PLAIN

from rewardgate.audit.labels import Drawn
from rewardgate.audit.labels.texts import file_digest, label_items
from rewardgate.errors import InputError
from rewardgate.rollouts.reading import read


def drawn(key: str) -> Drawn:
    group_id, _, position = key.rpartition("#")
    return Drawn(key, group_id, int(position), group_id, PLAIN, 0.5)


def rollouts_file(tmp_path: Path) -> Path:
    path = tmp_path / "rollouts.jsonl"
    rows = [
        {"prompt_id": "a", "prompt": "2+2?", "response": "It is \\boxed{4}.", "target": ["4", "four"]},
        {"prompt_id": "a", "prompt": "2+2?", "response": [{"role": "assistant", "content": ""}]},
        {"prompt_id": "b", "prompt": [{"role": "user", "content": "3+3?"}], "response": "\\boxed{6}", "target": "6"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_texts_come_in_the_order_of_the_sample_with_the_answer_marked(tmp_path: Path) -> None:
    b, a = label_items(read(rollouts_file(tmp_path)), [drawn("b#0"), drawn("a#0")])
    assert (b.prompt, b.target, b.response, b.extracted) == ("user: 3+3?", "6", "\\boxed{6}", "6")
    assert (a.target, a.extracted, a.response[slice(*(a.span or ()))]) == ('["4", "four"]', "4", "4")


def test_a_response_without_an_answer_or_a_target_has_none(tmp_path: Path) -> None:
    (item,) = label_items(read(rollouts_file(tmp_path)), [drawn("a#1")])
    assert (item.response, item.extracted, item.span) == ("", "", None)


def test_a_file_that_lacks_what_was_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected the file that was drawn from, got one without 'a#7' and 1 others"):
        label_items(read(rollouts_file(tmp_path)), [drawn("a#0"), drawn("a#7"), drawn("c#0")])


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = rollouts_file(tmp_path)
    assert file_digest(path) == sha256(path.read_bytes()).hexdigest()
    with pytest.raises(InputError, match="expected a readable file, got: No such file"):
        file_digest(tmp_path / "none")
