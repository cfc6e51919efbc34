import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rewardgate.verifiers import Outcome, get
from rewardgate.verifiers.target_texts import target_texts


def test_every_kind_of_target_is_read_and_nonsense_names_nothing() -> None:
    assert target_texts("a") == ["a"]
    assert target_texts(["a", "b"]) == ["a", "b"]
    assert target_texts({"answer": ["a"]}) == ["a"]
    assert target_texts({"answer": {"answer": "a"}}) == []
    assert target_texts({"tests": []}) == []
    assert target_texts([None, b"b", [], "a"]) == ["a"]
    assert target_texts(None) == target_texts(b"a") == target_texts(object()) == []


def test_a_number_is_its_text_wherever_it_stands_and_a_bool_is_none() -> None:
    assert target_texts(5) == target_texts(5.0) == target_texts({"answer": 5}) == target_texts(np.int64(5)) == ["5"]
    assert target_texts([-5, 0.1, True, "a", 10**20]) == ["-5", "0.1", "a", "100000000000000000000"]
    for nothing in (True, math.nan, math.inf, 10**5000, Fraction(1, 2)):
        assert target_texts(nothing) == []


@pytest.mark.parametrize("target", [5, 5.0, [5], [6, 5], {"answer": 5}, {"ground_truth": [5]}])
@pytest.mark.parametrize("name", ["math", "numeric", "exact", "auto"])
def test_a_target_that_is_a_number_is_judged_as_its_text(name: str, target: Any) -> None:
    assert get(name).verify("The answer is 5.", target).reward == 1.0
    assert get(name).verify("The answer is 7.", target).reward == 0.0
    assert get(name).verify("The answer is True.", True).outcome is Outcome.BAD_TARGET
