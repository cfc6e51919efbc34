from typing import Any

import pytest

from rewardgate.audit.golds.texts import gold_text, target_key


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (" 18 ", "18"),
        ("6 * 3 = 18\n#### 18", "18"),
        (["1/2", "0.5"], "1/2"),
        ({"answer": "7"}, "7"),
        ({"answer": ["7", "seven"]}, "7"),
        ({"tests": ["assert f() == 1"]}, None),
        ({"answer": 7}, "7"),
        ({"answer": [7]}, "7"),
        ({"answer": [7, "seven"]}, "7"),
        ({"answer": [["7"]]}, None),
        ([], None),
        ("  ", None),
        (None, None),
    ],
)
def test_the_answer_that_a_target_names(target: Any, text: str | None) -> None:
    assert gold_text(target) == text


def test_equal_targets_share_a_key() -> None:
    assert target_key({"a": 1, "b": 2}) == target_key({"b": 2, "a": 1})
    assert target_key("4") == "4"
    assert target_key(None) != target_key("None")
