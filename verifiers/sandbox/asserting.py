"""Tests written in Python against a candidate: two jailed processes, and this one between them.

Neither sees the other. Frames are read, bounded and written anew here; a candidate can answer, or call back what the
tests handed it, and nothing else. The verdict is what the process of the tests says at its end.
"""

from collections.abc import Iterator
from time import monotonic
from typing import Any

from .jail import frames
from .jailer import Jail
from .judging import CaseResult, bad_end, clipped, killed_by_another, raised_text
from .runs import Limits, Running, UnsupportedTestsError
from .specification import Specification

__all__ = ["assert_results", "case_result"]

_MESSAGES_A_LOOK = 64
"""How many are moved before the clock is looked at again."""
_FROM_CANDIDATE = frozenset({"answer", "call", "next", "iter"})
_FROM_TESTS = _FROM_CANDIDATE | {"attribute", "special", "value", "await"}


def assert_results(
    jail: Jail, program: bytes, specification: Specification, limits: Limits, *, prelude: bool, stops: bool
) -> Iterator[CaseResult]:
    """One result a case; at least one, for tests that test nothing pass nobody.

    Raises:
        UnsupportedTestsError: the tests fail, or are over, before they ask anything of the candidate.
    """
    said, problem, is_killed = _said(jail, program, specification, limits, prelude=prelude, stops=stops)
    if is_killed:
        said, problem, _ = _said(jail, program, specification, limits, prelude=prelude, stops=stops)
    if said is None:
        yield CaseResult(False, 1.0, *problem)
        return
    results = said.get("results")
    if not isinstance(results, list) or not results:
        broken = said.get("broken")
        how = case_result(1, broken, ("", "")).detail if isinstance(broken, dict) else "some that test nothing"
        raise UnsupportedTestsError(f"tests: expected some that ask the program something, got {how}")
    for number, result in enumerate(results, 1):
        yield case_result(number, result, problem)


def _said(
    jail: Jail, program: bytes, specification: Specification, limits: Limits, *, prelude: bool, stops: bool
) -> tuple[dict[str, Any] | None, tuple[str, str], bool]:
    """What the tests said at their end, what went wrong with the candidate, and whether somebody killed either."""
    assert specification.asserts is not None
    settings = {
        "entry_point": specification.entry_point,
        "calls_check": specification.asserts.calls_check,
        "stops": stops,
        "in_process": False,
        "prompt": specification.prompt,
    }
    code = "\n".join(filter(None, (specification.setup, specification.asserts.code)))
    candidate = jail.start("calls", program, limits=limits, settings={"prelude": prelude, "objects": True})
    tests = jail.start("tests", code.encode("utf-8", "surrogatepass"), limits=limits, settings=settings)
    try:
        said, problem = _Relay(jail, candidate, tests, limits).run()
    finally:
        jail.end(candidate, tests)
    return said, problem, killed_by_another(candidate) or killed_by_another(tests)


class _Relay:
    """Hands frames from one side to the other until the tests are done."""

    def __init__(self, jail: Jail, candidate: Running, tests: Running, limits: Limits) -> None:
        self._jail, self._candidate, self._tests, self._limits = jail, candidate, tests, limits
        self._done: dict[str, Any] | None = None
        self._loaded = False
        self._problem = ("", "")
        self._failed = False
        self._waiting: list[dict[str, Any]] = []

    def run(self) -> tuple[dict[str, Any] | None, tuple[str, str]]:
        """What the tests said at their end, None where they said nothing; and what went wrong with the candidate."""
        until = monotonic() + self._limits.wall_s
        while self._done is None and not self._failed:
            self._jail.pump(lambda: self._moves() or monotonic() > until, self._limits.wall_s)
            if self._done is None and not self._failed and monotonic() > until:
                return None, self._problem if self._problem[0] else (
                    "timeout",
                    f"ran longer than {self._limits.wall_s:g} s",
                )
        return self._done, self._problem

    def _moves(self) -> bool:
        """Move what has come; whether that was the end."""
        try:
            for _ in range(_MESSAGES_A_LOOK):
                # Whoever sent garbage is not listened to any more.
                if self._problem[0] or (message := frames.unpacked(self._candidate.channel)) is None:
                    break
                self._from_candidate(message[0])
        except frames.FrameError as error:
            self._gone(("garbage", str(error)))
        try:
            for _ in range(_MESSAGES_A_LOOK):
                if (message := frames.unpacked(self._tests.channel)) is None:
                    break
                self._from_tests(message[0])
        except frames.FrameError as error:
            self._fails("garbage", str(error))
        if self._done is None and self._tests.ended is not None:
            self._fails(*(bad_end(self._tests, self._limits) or ("tests", "the tests ended without a word")))
        if self._candidate.ended is not None and not self._problem[0]:
            self._gone(bad_end(self._candidate, self._limits) or ("ended", "the program ended before it answered"))
        return self._done is not None or self._failed

    def _from_candidate(self, message: object) -> None:
        if not self._loaded and isinstance(message, dict) and "loaded" in message:
            self._loaded = True
            for request in self._waiting:
                self._jail.tell(self._candidate, request)
            self._waiting.clear()
        elif not self._loaded and isinstance(message, dict) and "raised" in message:
            self._fails("raised", raised_text(message))
        elif self._loaded and isinstance(message, dict) and _operation(message) in _FROM_CANDIDATE:
            self._jail.tell(self._tests, message)
        else:
            self._gone(("garbage", "the candidate sent an answer of no known kind"))

    def _from_tests(self, message: object) -> None:
        if isinstance(message, dict) and message.get("op") == "done":
            self._done = message
        elif isinstance(message, dict) and _operation(message) in _FROM_TESTS:
            if self._problem[0]:
                self._jail.tell(self._tests, {"op": "answer", "raised": "RemoteError", "text": self._problem[1]})
            elif self._loaded:
                self._jail.tell(self._candidate, message)
            else:
                self._waiting.append(message)

    def _gone(self, problem: tuple[str, str]) -> None:
        """The candidate will answer no more: whatever the tests ask for fails."""
        if not self._problem[0]:
            self._problem = problem
            try:
                self._jail.tell(self._tests, {"op": "answer", "raised": "RemoteError", "text": problem[1]})
            except frames.FrameError:
                self._failed = True  # it flooded the tests with what they never asked for

    def _fails(self, rule: str, detail: str) -> None:
        self._problem = (rule, detail)
        self._failed = True


def _operation(message: dict[str, Any]) -> str:
    said = message.get("op")
    return said if isinstance(said, str) else ""


def case_result(number: int, result: object, problem: tuple[str, str]) -> CaseResult:
    if isinstance(result, dict) and result.get("passed") is True:
        return CaseResult(True)
    if not isinstance(result, dict):
        return CaseResult(False, 1.0, "garbage", f"case {number}: an answer of no known kind")
    raised, text = str(result.get("raised", "")), str(result.get("text", ""))
    rule = problem[0] or (
        "wrong_value" if raised == "AssertionError" else "untrusted" if raised == "UntrustedError" else "raised"
    )
    said = f"{raised}: {text}" if text else raised
    return CaseResult(
        False, 1.0, rule, f"case {number}: {clipped(str(result.get('what', '')))} failed: {clipped(said)}"
    )
