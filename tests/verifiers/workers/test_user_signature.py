from collections.abc import Callable
from typing import Any

import pytest

from rewardgate.verifiers.workers.user_signature import read_signature


def trl(prompts: Any, completions: Any, **kwargs: Any) -> None: ...
def trl_of_a_column(completions: Any, right_answer: Any) -> None: ...
def verl(data_source: Any, solution_str: Any, ground_truth: Any, extra_info: Any = None) -> None: ...
def plain(completion: Any, target: Any) -> None: ...
def prompt_first(prompt: Any, completion: Any, target: Any) -> None: ...
def unknown_names(a: Any, b: Any) -> None: ...
def target_first(ground_truth: Any, answer: Any) -> None: ...
def answers(answer: Any, solution: Any) -> None: ...
def with_option(response: Any, answer: Any, tolerance: float = 0.0) -> None: ...
def optional_target(text: Any, target: Any = None) -> None: ...
def positional_only(pred: Any, gold: Any, /) -> None: ...


@pytest.mark.parametrize(
    ("function", "shape", "roles"),
    [
        (trl, "trl", {"prompts": "column", "completions": "column"}),
        (trl_of_a_column, "trl", {"completions": "column", "right_answer": "target"}),
        (
            verl,
            "verl",
            {
                "data_source": "data_source",
                "solution_str": "completion",
                "ground_truth": "target",
                "extra_info": "extra_info",
            },
        ),
        (plain, "plain", {"completion": "completion", "target": "target"}),
        (prompt_first, "plain", {"prompt": "prompt", "completion": "completion", "target": "target"}),
        (unknown_names, "plain", {"a": "completion", "b": "target"}),
        (target_first, "plain", {"ground_truth": "target", "answer": "completion"}),
        (answers, "plain", {"answer": "completion", "solution": "target"}),
        (with_option, "plain", {"response": "completion", "answer": "target"}),
        (optional_target, "plain", {"text": "completion", "target": "target"}),
        (positional_only, "plain", {"pred": "completion", "gold": "target"}),
    ],
)
def test_each_parameter_is_given_what_its_name_or_place_says(
    function: Callable[..., None], shape: str, roles: dict[str, str]
) -> None:
    signature = read_signature(function, "f")
    assert signature.shape == shape
    assert dict(signature.roles) == roles
    assert list(signature.roles) == list(roles.items())


def of_openrlhf(queries: Any, prompts: Any, labels: Any) -> None: ...
def of_one(completion: Any) -> None: ...
def of_two_unknown_columns(completions: Any, first: Any, second: Any) -> None: ...
def of_three(completion: Any, target: Any, tolerance: float) -> None: ...


@pytest.mark.parametrize("function", [of_openrlhf, of_one, of_two_unknown_columns, of_three])
def test_a_shape_that_would_have_to_be_guessed_is_refused(function: Callable[..., None]) -> None:
    with pytest.raises(TypeError, match=r"f: (expected|nothing is known)"):
        read_signature(function, "f")


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a function, got int"):
        read_signature(3, "f")
