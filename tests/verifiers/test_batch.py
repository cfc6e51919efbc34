import asyncio
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving import Judge

import rewardgate.verifiers as verifiers
from rewardgate.errors import ArgumentError
from rewardgate.rollouts import Rollout
from rewardgate.verifiers import Outcome
from rewardgate.verifiers.batch import averify, iter_verdicts, verify_many

MATH = verifiers.get("math")


def rules(verdicts: list[verifiers.Verdict]) -> list[tuple[str, float | None]]:
    return [(verdict.rule, verdict.reward) for verdict in verdicts]


def test_verdicts_are_aligned_with_tuples_and_rollouts() -> None:
    rows = [("4", "4"), ("5", "4", "2+2?"), Rollout(prompt_id="p", response=r"\boxed{4}", target="4")]
    assert [verdict.reward for verdict in verify_many(MATH, rows)] == [1.0, 0.0, 1.0]


def test_what_a_row_lacks_leaves_its_reward_unknown() -> None:
    assert rules(verify_many(MATH, [(None, "4"), ("4", None)])) == [("no_response", None), ("no_target", None)]


def test_a_verifier_that_raises_costs_its_own_row_alone() -> None:
    found = rules(verify_many(Judge(), [("a", "a"), ("raise", "a"), ("b", "a")]))
    assert found == [("judged", 1.0), ("raised", None), ("judged", 0.0)]


def test_a_row_that_hangs_or_kills_its_worker_costs_no_other() -> None:
    rows = [("a", "a"), ("hang", "a"), ("b", "a"), ("die", "a"), ("raise", "a"), ("a", "a")]
    found = verify_many(Judge(), rows, workers=2, budget_s=0.5)
    assert rules(found) == [
        ("judged", 1.0), ("timed_out", 0.0), ("judged", 0.0), ("crashed", None), ("raised", None), ("judged", 1.0),
    ]  # fmt: skip
    assert found[1].outcome is Outcome.BUDGET


def test_a_target_that_alone_runs_past_the_budget_is_unknown_and_no_policy_buys_that() -> None:
    (found,) = verify_many(Judge(), [("a", "hang")], budget_s=0.3)
    assert (found.outcome, found.reward) == (Outcome.BUDGET, None)


@given(st.lists(st.tuples(st.sampled_from(["4", "5", r"\boxed{4}", ""]), st.sampled_from(["4", "5", ""])), max_size=40))
def test_every_row_gets_exactly_the_verdict_that_it_gets_alone(rows: list[tuple[str, str]]) -> None:
    assert verify_many(MATH, rows) == [MATH.verify(completion, target) for completion, target in rows]


def test_workers_give_the_verdicts_that_this_process_gives() -> None:
    rows = [(rf"\boxed{{{number}}}", str(number % 7)) for number in range(100)]
    assert verify_many(MATH, rows, workers=2) == verify_many(MATH, rows)


def test_a_loop_that_is_left_does_not_wait_for_a_row_that_hangs() -> None:
    verdicts = iter_verdicts(Judge(), [("a", "a")] * 16 + [("hang", "a")] * 40, workers=2)
    assert next(verdicts).reward == 1.0
    started = time.monotonic()
    verdicts.close()
    assert time.monotonic() - started < 20


def test_a_verifier_of_the_callers_own_script_runs_in_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from rewardgate.verifiers import Outcome, Verdict\n"
        "from rewardgate.verifiers.batch import verify_many\n"
        "class Mine:\n"
        "    version = '1'\n"
        "    def verify(self, completion, target, *, prompt=None):\n"
        "        return Verdict(Outcome.CORRECT, 1.0)\n"
        "print(verify_many(Mine(), [('4', '4')], workers=1)[0].reward)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0\n"


def test_what_is_no_row_costs_its_own_place_alone() -> None:
    rows: list[Any] = [("4", "4"), "44", ["4", "4"], 7, ("4",)]
    assert [verdict.rule for verdict in verify_many(MATH, rows)][1::2] == ["unreadable_row", "unreadable_row"]
    assert [verdict.reward for verdict in verify_many(MATH, rows)] == [1.0, None, 1.0, None, None]


class Careless:
    """A batch verifier that breaks its contract in the way that its rows say."""

    version = "1"

    def verify_batch(self, rows: Sequence[Any]) -> list[Any]:
        if any(completion == "raise" for completion, _, _ in rows):
            raise RuntimeError("on purpose")
        return [self.verify(*row) for row in rows][1:]

    def verify(self, completion: str, target: str, prompt: Any = None) -> Any:
        return 1.0 if completion == "number" else Judge().verify(completion, target)


def test_a_batch_verifier_that_breaks_its_contract_is_asked_row_by_row() -> None:
    assert rules(verify_many(Careless(), [("a", "a"), ("b", "a")])) == [("judged", 1.0), ("judged", 0.0)]
    found = rules(verify_many(Careless(), [("a", "a"), ("raise", "a"), ("number", "a")]))
    assert found == [("judged", 1.0), ("raised", None), ("not_a_verdict", None)]


def test_a_verifier_that_cannot_be_shipped_is_refused_at_the_call() -> None:
    verifier = Judge()
    verifier.lock = iter_verdicts(MATH, [])  # a generator never pickles
    with pytest.raises(ArgumentError, match="verifier: expected one that pickles"):
        iter_verdicts(verifier, [], workers=1)


def test_rows_are_consumed_lazily() -> None:
    taken = 0

    def rows() -> Iterator[tuple[str, str]]:
        nonlocal taken
        while True:
            taken += 1
            yield "4", "4"

    verdicts = iter_verdicts(MATH, rows())
    assert [next(verdicts).reward for _ in range(10)] == [1.0] * 10
    assert taken == 10


def test_memory_stays_bounded_over_many_rows() -> None:
    rows = ((f"{'x ' * 2_000}\\boxed{{{number % 3}}}", "1") for number in range(3_000))  # 12 MB in all
    tracemalloc.start()
    right = sum(verdict.reward or 0 for verdict in iter_verdicts(MATH, rows))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert right == 1_000
    assert peak < 3_000_000


def test_a_verdict_asked_from_an_event_loop_is_the_same_verdict() -> None:
    async def asked() -> list[verifiers.Verdict]:
        texts = [r"\boxed{4}", "x " * 100_000 + r"\boxed{4}", r"\boxed{5}"]
        return await asyncio.gather(*(averify(MATH, text, "4") for text in texts))

    assert [verdict.reward for verdict in asyncio.run(asked())] == [1.0, 1.0, 0.0]


def test_the_event_loop_goes_on_while_a_verdict_hangs() -> None:
    async def ticks() -> int:
        verdict = asyncio.create_task(averify(MATH, "x " * 2_500_000 + r"\boxed{4}", "4"))
        count = 0
        while not verdict.done():
            await asyncio.sleep(0)
            count += 1
        return count

    started = time.monotonic()
    assert asyncio.run(ticks()) > 10
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(("option", "value"), [("workers", -1), ("budget_s", 0.0), ("budget_s", -1.0)])
def test_an_option_out_of_range_is_refused_at_the_call(option: str, value: float) -> None:
    with pytest.raises(ArgumentError, match=f"{option}: expected .*, got {value}"):
        iter_verdicts(MATH, [], **{option: value})


def test_the_progress_bar_changes_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert [verdict.reward for verdict in iter_verdicts(MATH, [("4", "4")], progress=True)] == [1.0]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("target", [True, [None], b"5", {1: 2}])
def test_a_target_of_no_kind_is_a_verdict_in_an_event_loop_too(target: Any):
    assert asyncio.run(averify(MATH, "5", target)).outcome is Outcome.BAD_TARGET
