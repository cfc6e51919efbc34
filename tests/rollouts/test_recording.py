import asyncio
import functools
import inspect
import json
import logging
import math
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_records import any_text

from rewardgate.errors import ArgumentError
from rewardgate.rollouts import Rollout, read, read_rows
from rewardgate.rollouts.recording import record


def accuracy(completions: list[str], answer: list[str], **columns: Any) -> list[float]:
    """Right or wrong."""
    return [float(text == gold) for text, gold in zip(completions, answer, strict=True)]


def plain(completion: str, target: str) -> float:
    return float(completion == target)


async def slow_plain(completion: str, target: str) -> float:
    await asyncio.sleep(0)
    return float(completion == target)


class Grader:
    def __call__(self, completion: str, target: str) -> float:
        return 0.5


def recorded_by_name(completion: str, target: str) -> float:
    return 1.0


recorded_by_name = record(recorded_by_name, "never-written.jsonl")


def rollouts(path: Path) -> list[Rollout]:
    return [one for group in read(path) for one in group.rollouts]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollouts.jsonl"


def test_a_trl_function_is_logged_group_by_group(path: Path) -> None:
    reward = record(accuracy, path)
    for step in (1, 2):
        returned = reward(
            prompts=["2+2?", "2+2?", "3+3?", "3+3?"],
            completions=["4", "5", "6", "6"],
            completion_ids=[[1], [1, 2], [1], [1]],
            answer=["4", "4", "6", "6"],
            trainer_state=SimpleNamespace(global_step=step),
        )
        assert returned == [1.0, 0.0, 1.0, 1.0]
    groups = list(read(path))
    # Two prompts at two steps: four groups, though the prompts are the same.
    assert [[one.reward for one in group.rollouts] for group in groups] == [[1.0, 0.0], [1.0, 1.0]] * 2
    first = groups[0].rollouts[1]
    assert (first.prompt, first.response, first.target, first.step, first.n_tokens) == ("2+2?", "5", "4", 1, 2)
    assert set(first.meta) == {"time", "seconds", "process"}


def test_a_verl_function_is_logged_with_its_named_rewards(path: Path) -> None:
    def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None) -> dict[str, Any]:
        return {"score": float(solution_str == ground_truth), "pred": solution_str}

    reward = record(compute_score, path)
    for answer in ("4", "5"):
        reward(data_source="sums", solution_str=answer, ground_truth="4", extra_info={"index": 3, "split": "train"})
    (group,) = read(path)
    assert group.prompt_id == "sums/train/3"
    assert [(one.reward, one.reward_name) for one in group.rollouts] == [(1.0, "score"), (0.0, "score")]


def test_an_openrlhf_function_is_logged_without_the_prompt_in_the_response(path: Path) -> None:
    def reward_func(queries: list[str], prompts: list[str], labels: list[str]) -> dict[str, Any]:
        return {"rewards": [1.0, 0.0], "scores": [1.0, 0.0]}

    record(reward_func, path)(["2+2?4", "2+2?5"], ["2+2?", "2+2?"], ["4", "4"])
    (group,) = read(path)
    assert [(one.response, one.reward) for one in group.rollouts] == [("4", 1.0), ("5", 0.0)]


def test_an_async_function_stays_one_and_is_logged_when_it_is_done(path: Path) -> None:
    reward = record(slow_plain, path)
    assert inspect.iscoroutinefunction(reward)
    assert asyncio.iscoroutinefunction(reward)

    async def score() -> list[float]:
        return await asyncio.gather(reward("4", "4"), reward("5", "4"))

    assert asyncio.run(score()) == [1.0, 0.0]
    assert sorted(one.reward or 0.0 for one in rollouts(path)) == [0.0, 1.0]


def test_an_async_functions_exception_is_logged_and_raised(path: Path) -> None:
    async def broken(completion: str, target: str) -> float:
        raise KeyError("gold")

    with pytest.raises(KeyError, match="gold"):
        asyncio.run(record(broken, path)("4", "4"))
    assert rows(path)[0]["meta"]["raised"].startswith('"KeyError')


def test_name_signature_and_attributes_are_kept(path: Path) -> None:
    reward = record(accuracy, path)
    assert (reward.__name__, reward.__doc__) == ("accuracy", "Right or wrong.")
    assert inspect.signature(reward) == inspect.signature(accuracy)
    assert not inspect.iscoroutinefunction(reward)


@pytest.mark.parametrize("function", [Grader(), functools.partial(plain, target="4")], ids=["object", "partial"])
def test_a_callable_that_is_no_function_is_recorded_too(function: Any, path: Path) -> None:
    arguments = {"completion": "4"} if isinstance(function, functools.partial) else {"completion": "4", "target": "4"}
    assert record(function, path)(**arguments) == function(**arguments)
    assert rollouts(path)[0].response == "4"


def test_it_pickles_where_the_function_does(path: Path) -> None:
    copy = pickle.loads(pickle.dumps(record(plain, path)))
    assert copy("4", "4") == 1.0
    assert len(rollouts(path)) == 1
    assert pickle.loads(pickle.dumps(recorded_by_name)) is recorded_by_name
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(record(lambda completion, target: 1.0, path))


@pytest.mark.parametrize(
    "returned", [1.0, 1, True, 0.25, None, math.nan, "1", [1.0, 0.0], {"score": 1.0}, (1.0, "why"), object()]
)
def test_the_very_object_that_was_returned_is_handed_on(returned: object, path: Path) -> None:
    assert record(lambda completion, target: returned, path)("4", "4") is returned
    assert len(rollouts(path)) == 1


def test_no_reward_is_logged_as_null_with_what_was_returned(path: Path) -> None:
    reward = record(lambda completions, target: [None, float("nan"), "1"], path)
    reward(["a", "b", "c"], ["4"] * 3)
    assert [one.reward for one in rollouts(path)] == [None] * 3
    assert [row["meta"]["returned"] for row in rows(path)] == ["null", "NaN", '"1"']


def test_an_exception_is_logged_for_every_row_and_raised_on(path: Path) -> None:
    failure = ValueError("no gold")

    def broken(completions: list[str], target: list[str]) -> list[float]:
        raise failure

    with pytest.raises(ValueError, match="no gold") as caught:
        record(broken, path)(["a", "b"], ["4", "4"])
    assert caught.value is failure
    assert [(one.reward, one.meta["raised"]) for one in rollouts(path)] == [(None, '"ValueError: no gold"')] * 2


def test_arguments_that_the_function_changes_are_logged_as_they_came(path: Path) -> None:
    def strips(completion: list[dict[str, str]], target: str) -> float:
        completion[0]["content"] = completion[0]["content"].removesuffix("<|im_end|>")
        return 1.0

    record(strips, path)([{"role": "assistant", "content": "4<|im_end|>"}], "4")
    assert rollouts(path)[0].response == [{"role": "assistant", "content": "4<|im_end|>"}]


def test_a_wrong_call_fails_as_it_would_without_us(path: Path) -> None:
    with pytest.raises(TypeError, match="target"):
        record(plain, path)("4")  # type: ignore[call-arg]


@pytest.mark.parametrize("hindrance", ["a folder in its place", "a file in place of its folder"])
def test_a_log_that_cannot_be_written_is_said_once_and_changes_nothing(
    hindrance: str, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if hindrance == "a folder in its place":
        path.mkdir()
    else:
        path.write_text("")
        path = path / "rollouts.jsonl"
    reward = record(plain, path)
    with caplog.at_level(logging.WARNING):
        assert [reward("4", "4"), reward("5", "4")] == [1.0, 0.0]
    assert len(caplog.records) == 1
    assert "rollouts.jsonl: expected to log the rewards of plain, got: " in caplog.text


def test_an_argument_that_cannot_be_looked_at_is_said_once_and_changes_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Hostile:
        @property
        def tolist(self) -> Any:
            raise RuntimeError("no")

    reward = record(lambda completion, target: 1.0, path)
    with caplog.at_level(logging.WARNING):
        assert reward(Hostile(), "4") == 1.0  # type: ignore[arg-type]
    assert "RuntimeError: no" in caplog.text


def test_a_step_that_the_caller_tells_is_every_rows(path: Path) -> None:
    steps = iter([3, 4, None])
    reward = record(plain, path, step=lambda: next(steps))
    for _ in range(3):
        reward("4", "4")
    assert [one.step for one in rollouts(path)] == [3, 4, None]


def test_without_a_step_rows_of_one_call_that_share_a_prompt_are_a_group(path: Path) -> None:
    reward = record(accuracy, path)
    for _ in range(2):
        reward(prompts=["2+2?"] * 2 + ["3+3?"] * 2, completions=list("4566"), answer=list("4466"))
    assert [len(group) for group in read(path)] == [2, 2, 2, 2]


def test_rows_without_a_prompt_stand_alone(path: Path) -> None:
    reward = record(plain, path)
    reward("4", "4")
    reward("5", "4")
    assert [len(group) for group in read(path)] == [1, 1]


def test_targets_and_messages_of_foreign_types_are_written_as_json(path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    record(plain, path)("4", {"tests": numpy.array([1, 2]), "limit": float("nan")})
    assert rollouts(path)[0].target == {"tests": [1, 2], "limit": None}


@given(any_text, st.none() | st.floats() | st.text(max_size=3), any_text)
def test_what_is_recorded_is_what_was_seen(response: str, returned: Any, prompt: str) -> None:
    def reward(prompt: str, completion: str, target: str) -> Any:
        return returned

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollouts.jsonl"
        record(reward, path)(prompt, response, "4")
        (row,) = read_rows(path)
    assert isinstance(row, Rollout)
    assert (row.prompt, row.response, row.target) == (prompt, response, "4")
    assert row.reward == (returned if isinstance(returned, float) and math.isfinite(returned) else None)


def test_threads_lose_no_row(path: Path) -> None:
    reward = record(plain, path)
    with ThreadPoolExecutor(8) as pool:
        rewards = list(pool.map(lambda n: reward(str(n), "0"), range(400)))
    assert rewards == [1.0] + [0.0] * 399
    assert sorted(int(str(one.response)) for one in rollouts(path)) == list(range(400))


KILLED = """
import sys, threading
from rewardgate.rollouts.recording import record

def reward(completion, target):
    return 1.0

recorded, lock = record(reward, sys.argv[1]), threading.Lock()

def score(name):
    for n in range(10**9):
        recorded(f"{sys.argv[2]}-{name}-{n} " + "x" * 20_000, "4")
        with lock:
            print(f"{sys.argv[2]}-{name}-{n}", flush=True)  # only now is the row acknowledged

threads = [threading.Thread(target=score, args=(name,), daemon=True) for name in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_recorders_that_are_killed_lose_nothing_that_they_returned_from(path: Path) -> None:
    acknowledged: set[str] = set()
    n_killed = 0
    for kill_after in (3, 17, 40):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", KILLED, str(path), f"{kill_after}{name}"], stdout=subprocess.PIPE, text=True
            )
            for name in "ab"
        ]
        for writer in writers:
            assert writer.stdout is not None
            for _ in range(kill_after):
                acknowledged.add(writer.stdout.readline().strip())
            writer.kill()  # somewhere between or inside two writes
            # A line that the kill cut acknowledges nothing.
            acknowledged |= {line.strip() for line in writer.stdout.readlines() if line.endswith("\n")}
            writer.wait(30)
            writer.stdout.close()
            n_killed += 1
    found, torn = set(), 0
    for row in read_rows(path):
        if isinstance(row, Rollout):
            found.add(str(row.response).partition(" ")[0])
        else:
            torn += 1
            assert row.field == "row"
            assert "expected a JSON object" in row.reason
    assert acknowledged <= found
    assert torn <= 2 * n_killed  # one a thread that died inside its write


def test_a_torn_last_line_is_refused_with_its_number_and_costs_no_other(path: Path) -> None:
    reward = record(plain, path)
    reward("4", "4")
    reward("5", "4")
    path.write_bytes(path.read_bytes()[:-20])
    reading = read(path)
    assert [one.response for group in reading for one in group.rollouts] == ["4"]
    (refusal,) = reading.summary.refusals
    assert str(refusal).startswith(f"{path}:2: row: expected a JSON object, got ")


def test_what_is_not_callable_is_refused_at_once(path: Path) -> None:
    with pytest.raises(ArgumentError, match="reward_fn: expected a callable, got float"):
        record(1.0, path)  # type: ignore[arg-type]
