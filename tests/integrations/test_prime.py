"""Rewards and gold checks inside Prime Intellect's own tasks, scoring and `validate`, without a model.

Needs its package `verifiers` (.ci/host-prime installs it) and skips itself elsewhere.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

try:
    version("verifiers")
except PackageNotFoundError:
    pytest.skip("NOT RUN: prime's verifiers is not installed; .ci/host-prime runs this", allow_module_level=True)

import verifiers.v1 as vf
from library_tree import ROOT
from verifiers.v1.configs.task import RewardFunctionConfig, TaskConfig
from verifiers.v1.errors import TaskError
from verifiers.v1.state import State
from verifiers.v1.trace import Trace, TraceTask

from rewardgate.integrations.prime import reward

pytestmark = pytest.mark.prime

math = reward("math", target="answer", workers=1)


class ProblemData(vf.TaskData):
    answer: str | None = None


class Problem(vf.Task[ProblemData]):
    @vf.reward(weight=2.0)
    async def correct(self, task: Any, trace: Any) -> float:
        return await math(task, trace)


def scored(task: vf.Task, reply: str) -> Trace:
    """The trace of a rollout that ended with `reply`, scored by the host."""
    recorded = TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
    agent = vf.AgentInfo(config=vf.AgentConfig(), name="policy", trainable=True)
    trace = Trace(task=recorded, state=State(), agent=agent, root_reply=reply)
    asyncio.run(task.score(trace))
    return trace


@pytest.mark.parametrize(("reply", "found"), [(r"so \boxed{4}", 1.0), (r"so \boxed{5}", 0.0), ("no idea", 0.0)])
def test_the_host_records_our_reward_with_its_weight(reply: str, found: float) -> None:
    trace = scored(Problem(ProblemData(prompt="2+2?", answer="4")), reply)
    assert trace.rewards["correct"] is not None
    assert (trace.rewards["correct"].score, trace.reward) == (found, 2.0 * found)


def test_a_function_is_plugged_in_by_its_address() -> None:
    plugged = {"outcome": RewardFunctionConfig(fn=f"{__file__}:math", weight=0.5)}
    task = vf.Task[ProblemData](ProblemData(prompt="2+2?", answer="4"), TaskConfig(rewards=plugged))
    trace = scored(task, "4")
    assert {name: entry and entry.score for name, entry in trace.rewards.items()} == {"outcome": 1.0}
    assert trace.reward == 0.5


def test_an_unknown_reward_is_the_hosts_own_error_and_no_number() -> None:
    task = Problem(ProblemData(prompt="2+2?"))
    recorded = TraceTask(type="Problem", data=task.data, key=task.key, hash=task.hash)
    agent = vf.AgentInfo(config=vf.AgentConfig(), name="policy", trainable=True)
    trace = Trace(task=recorded, state=State(), agent=agent, root_reply="4")
    with pytest.raises(TaskError, match=r"RewardgateError: reward: unknown \(bad_target, no_target\)"):
        asyncio.run(task.score(trace))
    assert trace.rewards == {"correct": None}


def test_without_us_a_reward_of_none_is_an_error_and_an_empty_mapping_counts_as_zero() -> None:
    class Careless(vf.Task[ProblemData]):
        @vf.reward
        async def correct(self, task: Any, trace: Any) -> Any:
            return None if task.answer is None else {}

    with pytest.raises(TaskError, match="TypeError"):
        scored(Careless(ProblemData(prompt="2+2?")), "4")
    assert scored(Careless(ProblemData(prompt="2+2?", answer="4")), "4").reward == 0.0


DATA = """
import verifiers.v1 as vf

class ProblemData(vf.TaskData):
    answer: str | None = None
"""
TASKSET = """
class Problems(vf.Taskset[Problem]):
    def load(self):
        for answer in ("4", "\\\\frac{1}{2}", None):
            yield Problem(ProblemData(prompt="2+2?", answer=answer), self.config.task)

__all__ = ["Problems"]
"""


@pytest.mark.timeout(600)  # an environment of the host is slow to end on a busy machine
def test_with_what_the_page_prints_the_hosts_own_command_finds_the_golds_that_are_refused(tmp_path: Path) -> None:
    page = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"```\n(from rewardgate\.integrations\.prime .*?)```", page, re.DOTALL)
    (tmp_path / "problems.py").write_text(DATA + printed + TASKSET)
    command = [str(Path(sys.executable).parent / "vf-validate"), "problems", "--only-gold"]
    options = ["--runtime.type", "subprocess", "--rich", "false", "-o", str(tmp_path / "out")]
    done = subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    rows = [json.loads(line) for file in tmp_path.rglob("results.jsonl") for line in file.read_text().splitlines()]
    found = {row["index"]: row["reason"] for row in rows}
    assert found == {0: "valid", 1: "valid", 2: "invalid"}, done.stdout + done.stderr
