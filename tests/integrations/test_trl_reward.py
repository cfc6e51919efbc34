import asyncio
import inspect
import pickle
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from misbehaving import Judge

from rewardgate.errors import ArgumentError, InputError, UnknownNameError
from rewardgate.integrations.trl_reward import AsyncVerdictReward, reward

IN_PROCESS: dict[str, Any] = {"workers": 0, "timeout_s": None}


def as_trl_calls(function: Any, completions: list, **columns: list) -> Any:
    """TRL 1.16's call: everything by name, the loggers and the trainer's state included."""
    return function(
        prompts=["2+2?"] * len(completions),
        completions=completions,
        completion_ids=[[1, 2]] * len(completions),
        trainer_state=object(),
        log_extra=lambda column, values: None,
        log_metric=lambda name, value: None,
        **columns,
    )


def test_texts_and_conversations_get_the_same_rewards_one_a_completion_in_order() -> None:
    function = reward("math", **IN_PROCESS)
    texts = [r"so \boxed{4}", r"so \boxed{5}", "I do not know", r"\boxed{1/2}"]
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    solutions = ["4", "4", "4", "0.5"]
    assert as_trl_calls(function, texts, solution=solutions) == [1.0, 0.0, 0.0, 1.0]
    assert as_trl_calls(function, chats, solution=solutions) == [1.0, 0.0, 0.0, 1.0]
    assert as_trl_calls(function, [], solution=[]) == []


def test_what_cannot_be_scored_is_none_and_costs_no_other_row() -> None:
    function = reward("math", **IN_PROCESS)
    found = as_trl_calls(function, ["4", "4", None, "4", "4"], solution=["4", None, "4", "", ["5", "4"]])
    assert found == [1.0, None, None, None, 1.0]


def test_numbers_in_the_column_are_targets_as_a_person_would_write_them() -> None:
    function = reward("exact", target="answer", **IN_PROCESS)
    assert as_trl_calls(function, ["18", "18", "0.5"], answer=[18, 18.0, 0.5]) == [1.0, 1.0, 1.0]


def test_a_missing_column_is_an_error_at_the_first_call_that_names_those_seen() -> None:
    function = reward("math", **IN_PROCESS)
    with pytest.raises(ArgumentError, match='column of the data set named "solution", got columns: answer, level'):
        as_trl_calls(function, ["4"], answer=["4"], level=[1])
    with pytest.raises(ArgumentError, match="got columns: none besides the prompt"):
        as_trl_calls(function, ["4"])
    with pytest.raises(ArgumentError, match=r"solution: expected one target a completion \(2\), got 1"):
        as_trl_calls(function, ["4", "4"], solution=["4"])


def test_a_verifier_of_form_needs_no_column() -> None:
    function = reward("format", target=None, tags=("answer",), **IN_PROCESS)
    assert as_trl_calls(function, ["<answer>4</answer>", "4"]) == [1.0, 0.0]


def test_rows_that_hang_die_or_raise_are_found_in_processes_off_the_main_thread() -> None:
    function = reward(Judge(), workers=2, timeout_s=0.5)
    completions = ["a", "hang", "b", "die", "raise", "a"]
    found: list = []

    def train() -> None:
        found.extend(as_trl_calls(function, completions, solution=["a"] * 6) for _ in range(2))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join(60)
    # The one that hangs exhausts its seconds by itself, the target does not: 0, or a policy would hang on purpose.
    assert found == [[1.0, 0.0, 0.0, None, None, 1.0]] * 2


def test_a_target_that_hangs_is_unknown() -> None:
    assert as_trl_calls(reward(Judge(), timeout_s=0.3), ["a"], solution=["hang"]) == [None]


def test_processes_are_kept_between_calls() -> None:
    function = reward("math", workers=1)
    for _ in range(2):
        assert as_trl_calls(function, ["4"] * 40, solution=["4"] * 40) == [1.0] * 40
    held = function.verifier._there._workers
    assert len(held._processes) == 1


def test_a_function_of_the_users_own_is_a_reward_under_its_own_name(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("def same(completion, target):\n    return float(completion == target)\n")
    function = reward(f"{script}:same", workers=1)
    assert function.__name__ == "same"
    assert as_trl_calls(function, ["4", "5"], solution=["4", "4"]) == [1.0, 0.0]


def test_targets_that_are_no_one_text_are_not_logged_as_one() -> None:
    extra: dict[str, list] = {}
    function = reward("math", **IN_PROCESS)
    solutions = ["4", ["4"], ["4", "four"], 4, None]
    found = function(completions=["4"] * 5, solution=solutions, log_extra=extra.__setitem__)
    assert found == [1.0, 1.0, 1.0, 1.0, None]
    assert extra["math_target"] == ["4", "4", None, "4", None]
    function = reward("format", target=None, tags=("answer",), **IN_PROCESS)
    function(completions=["4"], log_extra=extra.__setitem__)
    assert "format_target" not in extra


def test_outcomes_are_counted_where_trl_offers_to_log() -> None:
    metrics: dict[str, list[float]] = defaultdict(list)
    extra: dict[str, list] = {}
    reward("math", name="maths", **IN_PROCESS)(
        completions=[r"\boxed{4}", r"\boxed{5}", "", r"\boxed{4}"],
        solution=["4", "4", "4", None],
        log_metric=lambda name, value: metrics[name].append(value),
        log_extra=extra.__setitem__,
    )
    # 1 of 4 each; all eight outcomes, zeros too, because TRL averages over the calls that logged.
    assert metrics == {
        "verdicts/maths/correct": [0.25],
        "verdicts/maths/incorrect": [0.25],
        "verdicts/maths/no_answer": [0.25],
        "verdicts/maths/hedged": [0.0],
        "verdicts/maths/unsupported": [0.0],
        "verdicts/maths/budget": [0.0],
        "verdicts/maths/bad_target": [0.25],
        "verdicts/maths/error": [0.0],
        "verdicts/maths/unscored": [0.25],
    }
    assert extra["maths_outcome"] == ["correct", "incorrect", "no_answer", "bad_target"]
    assert extra["maths_extracted"] == ["4", "5", "", ""]
    assert extra["maths_rule"][3] == "no_target"
    assert extra["maths_target"] == ["4", "4", "4", None]


def test_a_pickled_copy_gives_the_same_rewards() -> None:
    copy = pickle.loads(pickle.dumps(reward("math", workers=1)))
    assert copy.__name__ == "math"
    assert as_trl_calls(copy, ["4", "5"], solution=["4", "4"]) == [1.0, 0.0]


def test_names_by_which_trl_logs() -> None:
    assert reward("math", **IN_PROCESS).__name__ == "math"
    assert reward(Judge(), **IN_PROCESS).__name__ == "Judge"
    assert reward(Judge(), name="outcome", **IN_PROCESS).__name__ == "outcome"


def test_the_async_form_is_what_trl_takes_for_a_coroutine_function() -> None:
    function = reward("math", is_async=True, **IN_PROCESS)
    assert isinstance(function, AsyncVerdictReward)
    # `trl.trainer.utils.is_async_callable` asks exactly this.
    assert inspect.iscoroutinefunction(function.__call__)
    assert asyncio.run(as_trl_calls(function, ["4", "5"], solution=["4", "4"])) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"verifier": "maths"}, UnknownNameError, 'verifier: unknown name "maths"; known: '),
        ({"verifier": "no.such:fn"}, InputError, "verifier: expected an importable function at no.such:fn"),
        ({"verifier": len}, ArgumentError, "verifier: expected a name, pkg.mod:fn or an object with verify"),
        ({"verifier": Judge(), "strict": True}, ArgumentError, r"options: expected none .* got \['strict'\]"),
        ({"verifier": "math", "workers": -1}, ArgumentError, "workers: expected a whole number >= 0, got -1"),
        ({"verifier": "math", "timeout_s": 0.0}, ArgumentError, "timeout_s: expected a positive number"),
        ({"verifier": "math", "workers": 0}, ArgumentError, "timeout_s: expected None with workers=0"),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(arguments: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reward(**arguments)
