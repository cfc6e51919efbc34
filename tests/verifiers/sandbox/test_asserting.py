"""Messages between a candidate and the tests: what is no message ends the talk, and never the caller."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandboxed import shared_verifier

from rewardgate.verifiers.sandbox.asserting import _Relay
from rewardgate.verifiers.sandbox.jail import frames
from rewardgate.verifiers.sandbox.runs import Limits, Running

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")

TOKEN = 0x5E2F9C1AB7D04E6F
HOSTILE: list[Any] = [
    {"op": ["answer"]}, {"op": {}}, {"op": None}, {"op": "done", "results": [{"passed": True}]}, {"op": "attribute"},
    {"op": "answer"}, {"op": "answer", "value": ["int", "zz"]}, {"op": "answer", "value": ["ref", {}]},
    {"op": "answer", "value": ["own", 10**9]}, {"op": "answer", "value": ["own", -1]}, {"op": "answer", "stop": True},
    {"op": "answer", "raised": {}, "text": []}, {"op": "answer", "raised": "SystemExit"}, {"op": "answer", "after": 3},
    {"op": "answer", "raised": "KeyboardInterrupt"}, {"op": "answer", "raised": "UnicodeDecodeError"},
    {"op": "call", "target": "check", "args": [], "kwargs": {}},
    {"op": "call", "target": 0, "args": [], "kwargs": {}}, {"op": "call"},
    {"op": "call", "target": "exec", "args": ["import os; os._exit(0)"], "kwargs": {}},
    {"op": "iter", "target": "__builtins__"},
    {"op": "next", "target": -1}, {"loaded": True}, {"raised": []}, 3, [], None,
    {"op": "answer", "value": ["opaque", [[[]]]]}, {"value": ["int", "1"]},
]  # fmt: skip


def lying(message: Any, *, is_loaded: bool) -> str:
    """A candidate that says `message` first, before or after it says that it is loaded."""
    loaded = frames.packed({"loaded": True}) if is_loaded else b""
    return f"import os\nos.write(3, {loaded + frames.packed(message)!r})\ndef f(x):\n    return 1\n"


@pytest.mark.parametrize("message", HOSTILE, ids=json.dumps)
def test_a_message_of_any_kind_wins_nothing_and_raises_nothing(message: Any) -> None:
    tests = f"def check(candidate):\n    assert candidate([1]) == {TOKEN}\n    assert candidate(2) == {TOKEN}\n"
    for target in (
        {"entry_point": "f", "test_code": tests, "timeout_s": 0.3},
        {"fn_name": "f", "cases": [{"args": [1], "expected": TOKEN}] * 2, "timeout_s": 0.3},
    ):
        for is_loaded in (False, True):
            assert shared_verifier().verify(lying(message, is_loaded=is_loaded), target).reward == 0


class FakeJail:
    """A jail in which two runs have said all that they will ever say."""

    def __init__(self) -> None:
        self.told: dict[int, list[Any]] = {1: [], 2: []}

    def tell(self, running: Running, message: object) -> None:
        self.told[running.number].append(json.loads(frames.packed(message)[4:]))

    def pump(self, is_done: Any, wall_s: float) -> None:
        while not is_done():
            pass


def relayed(from_candidate: bytes, from_tests: bytes) -> tuple[Any, tuple[str, str], dict[int, list[Any]]]:
    jail, candidate, tests = FakeJail(), Running(1, 100), Running(2, 100)
    candidate.channel += from_candidate
    tests.channel += from_tests
    limits = Limits(cpu_s=-0.495)  # 0.01 s on the clock: nothing more will come
    said, problem = _Relay(jail, candidate, tests, limits).run()  # type: ignore[arg-type]
    return said, problem, jail.told


LOADED, DONE = frames.packed({"loaded": True}), frames.packed({"op": "done", "results": [{"passed": True}]})


def test_a_call_goes_there_and_its_answer_back() -> None:
    call, answer = {"op": "call", "target": "f", "args": []}, {"op": "answer", "value": None}
    said, problem, told = relayed(LOADED + frames.packed(answer), frames.packed(call) + DONE)
    assert said == {"op": "done", "results": [{"passed": True}]}
    assert problem == ("", "")
    assert told == {1: [call], 2: [answer]}


def test_a_call_waits_until_the_candidate_is_loaded() -> None:
    call = {"op": "call", "target": "f", "args": []}
    _, problem, told = relayed(b"", frames.packed(call) * 2)
    assert (problem[0], told[1]) == ("timeout", [])
    jail, candidate, tests = FakeJail(), Running(1, 100), Running(2, 100)
    relay = _Relay(jail, candidate, tests, Limits())  # type: ignore[arg-type]
    tests.channel += frames.packed(call) * 2
    assert not relay._moves()
    candidate.channel += LOADED
    assert not relay._moves()
    assert jail.told[1] == [call, call]


def test_only_the_tests_can_say_that_they_are_done() -> None:
    said, problem, told = relayed(LOADED + DONE, b"")
    assert said is None
    assert problem[0] == "garbage"
    assert told[2] == [{"op": "answer", "raised": "RemoteError", "text": problem[1]}]


def test_whoever_sent_garbage_is_heard_no_more_and_the_tests_are_told_once() -> None:
    answer = frames.packed({"op": "answer", "value": 1})
    call = frames.packed({"op": "call", "target": "f", "args": []})
    said, problem, told = relayed(LOADED + b"\xff\xff\xff\xff" + answer * 5, call * 2 + DONE)
    assert said is not None
    assert problem[0] == "garbage"
    assert [message.get("raised") for message in told[2]] == ["RemoteError"] * 3  # at once, and for each call


messages = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["answer", "call", "next", "iter", "done", "attribute"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["op", "value", "raised", "loaded", "target", "results"]), inner, max_size=4)
    ),
    max_leaves=8,
)  # fmt: skip
streams = st.lists(st.binary(max_size=12) | messages.map(frames.packed), max_size=5).map(b"".join)


@given(streams, streams)
def test_any_two_streams_are_relayed_to_an_end(from_candidate: bytes, from_tests: bytes) -> None:
    said, problem, _ = relayed(LOADED + from_candidate, from_tests)
    assert said is None or said["op"] == "done"
    assert said is not None or problem[0]
