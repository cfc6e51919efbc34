"""A program against its tests: every verdict is decided here, on the trusted side of the wall."""

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from . import values
from .jail import frames
from .jailer import Jail
from .outputs import Comparison, output_difference
from .runs import Ended, JailError, Limits, Running, UnsupportedTestsError
from .specification import FunctionCase, Specification, StdinCase

__all__ = ["CaseResult", "function_results", "stdin_results"]

_SHOWN_CHARS = 120
_MEMORY_SIGNS = (b"MemoryError", b"std::bad_alloc", b"Cannot allocate memory")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: whether it passed, else what went wrong, and how."""

    passed: bool
    weight: float = 1.0
    rule: str = ""
    detail: str = ""


class Runs(Protocol):
    """What runs whole programs: a jail, or a service."""

    def run(self, source: bytes, *, stdin: bytes = b"", limits: Limits) -> Running: ...


def stdin_results(
    jail: Runs,
    program: bytes,
    specification: Specification,
    limits: Limits,
    comparison: Comparison,
    check: Callable[[StdinCase, str], str | None] | None = None,
) -> Iterator[CaseResult]:
    """One result a case, each in a process and a scratch folder of its own.

    Args:
        check: decides instead of the comparison: the difference it sees, None for none.
    """
    for number, case in enumerate(specification.stdin, 1):
        stdin = case.stdin.encode("utf-8", "surrogateescape")
        running = jail.run(program, stdin=stdin, limits=limits)
        if killed_by_another(running):
            running = jail.run(program, stdin=stdin, limits=limits)
        wrong = bad_end(running, limits)
        if wrong is None:
            output = running.stdout.decode("utf-8", "replace")
            if check is not None:
                difference = check(case, output)
            else:
                difference = output_difference(
                    case.expected, output, comparison=comparison, float_tolerance=specification.float_tolerance
                )
            wrong = None if difference is None else ("wrong_output", difference)
        yield case_of(number, case.weight, wrong, f"input {clipped(case.stdin)}")


def function_results(
    jail: Jail, program: bytes, specification: Specification, limits: Limits, *, prelude: bool, known: int | None = None
) -> Iterator[CaseResult]:
    """One result a case, all in one process: calls may share what the module remembers.

    Args:
        known: in the second and last attempt, how many results the first has given.
    """
    session = Session(jail, program, limits, len(specification.function), prelude=prelude)
    try:
        for number, case in enumerate(specification.function, 1):
            said = session.call(specification.entry_point, case.args, case.kwargs)
            if said is not None and number <= (known or 0):
                continue
            if said is None and known is None and session.was_killed_by_another:
                session.close()
                yield from function_results(jail, program, specification, limits, prelude=prelude, known=number - 1)
                return
            wrong = wrong_answer(said, case, specification) if said is not None else session.bad_end()
            yield case_of(number, case.weight, wrong, f"arguments {values.shown(case.args)}")
            if said is None:
                for left in specification.function[number:]:
                    yield CaseResult(False, left.weight, "not_run", "the program had ended")
                return
    finally:
        session.close()


class Session:
    """A candidate that is called, over the frames of its channel."""

    def __init__(self, jail: Jail, program: bytes, limits: Limits, n_calls: int, *, prelude: bool) -> None:
        self._jail = jail
        self._limits = limits
        # One process answers all cases: its limits are those of a case times their number.
        whole = replace(limits, cpu_s=limits.cpu_s * max(1, n_calls))
        self._running = jail.start("calls", program, limits=whole, settings={"prelude": prelude})
        self._late = False
        self._first = self._hear()

    def call(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any] = {}) -> dict[str, Any] | None:
        """What the candidate says to one call; None where it ended instead."""
        if self._first is None or "loaded" not in self._first:
            return self._first
        try:
            request = {
                "name": name,
                "args": [values.as_plain(argument) for argument in args],
                "kwargs": {key: values.as_plain(argument) for key, argument in kwargs.items()},
            }
        except values.NotAValueError as error:
            raise JailError(f"args: {error}") from error
        try:
            self._jail.tell(self._running, request)
        except frames.FrameError as error:
            raise JailError(f"args: {error}") from error
        return self._hear()

    def bad_end(self) -> tuple[str, str]:
        """Rule and detail of the end of a candidate that did not answer."""
        if self._late:
            return "timeout", f"a call took more than {self._limits.cpu_s:g} s"
        return bad_end(self._running, self._limits) or ("ended", "the program ended before it answered")

    @property
    def not_loaded(self) -> str | None:
        """What was raised while the module was loaded; None where nothing was."""
        return raised_text(self._first) if self._first is not None and "raised" in self._first else None

    @property
    def was_killed_by_another(self) -> bool:
        return killed_by_another(self._running)

    def close(self) -> None:
        """End the candidate, and wait for that."""
        self._jail.end(self._running)

    def _hear(self) -> dict[str, Any] | None:
        """The next frame that is an answer at all; None where the candidate ended, took too long, or wrote garbage."""
        try:
            answered = self._jail.hear(self._running, self._limits.wall_s)
        except frames.FrameError as error:
            return {"garbage": str(error)}
        if answered is None:
            if self._running.ended is None:
                self._late = True
            return None
        return answered[0] if isinstance(answered[0], dict) else {"garbage": "the answer is no mapping"}


def wrong_answer(said: dict[str, Any], case: FunctionCase, specification: Specification) -> tuple[str, str] | None:
    if "value" in said:
        try:
            got = values.to_value(said["value"])
        except values.NotAValueError as error:
            return "garbage", str(error)
        tolerance = specification.float_tolerance or 0.0
        if values.equal(case.expected, got, rel_tol=tolerance, abs_tol=tolerance):
            return None
        return "wrong_value", f"expected {values.shown(case.expected)}, got {values.shown(got)}"
    if "raised" in said:
        return "raised", raised_text(said)
    if "missing" in said:
        return "no_entry_point", f"no function named {specification.entry_point!r}"
    garbage = said.get("garbage")
    return "garbage", clipped(garbage if isinstance(garbage, str) else "an answer of no known kind")


def killed_by_another(running: Running) -> bool:
    """Whether a SIGKILL that was not ours ended a run: the kernel's, short of memory, or the program's own.

    Such a run is tried once more; killed again, it is the program's fault, so that no program gains by killing itself.
    """
    ended = running.ended
    return ended is not None and ended.signal == signal.SIGKILL and ended.killed is None


def bad_end(running: Running, limits: Limits) -> tuple[str, str] | None:
    """Rule and detail where a run did not end well; None where it exited with 0."""
    ended = running.ended
    assert ended is not None
    if ended.killed == "output":
        return "output_limit", f"printed more than {limits.output_bytes} bytes"
    if ended.killed == "memory":
        return "memory", f"needed more than {limits.memory_bytes} bytes in all its processes"
    if ended.killed == "processes":
        return "processes", f"started more than {limits.processes} processes"
    if ended.killed is not None:
        what = "processor" if ended.killed == "cpu" else "clock"
        return "timeout", f"ran longer than {limits.cpu_s if what == 'processor' else limits.wall_s:g} s ({what} time)"
    if ended.signal == signal.SIGXCPU:
        return "timeout", f"ran longer than {limits.cpu_s:g} s (processor time)"
    if ended.signal is not None:
        return "signal", f"ended by {_signal_name(ended)}"
    if ended.exit_code == 0:
        return None
    last = bytes(running.stderr).decode("utf-8", "replace").strip().rpartition("\n")[2]
    if any(sign in running.stderr for sign in _MEMORY_SIGNS):
        return "memory", f"needed more than {limits.memory_bytes} bytes: {clipped(last)}"
    return "exit_code", f"exit code {ended.exit_code}: {clipped(last)}"


def _signal_name(ended: Ended) -> str:
    try:
        return signal.Signals(ended.signal or 0).name
    except ValueError:
        return f"signal {ended.signal}"


def case_of(number: int, weight: float, wrong: tuple[str, str] | None, given: str) -> CaseResult:
    if wrong is None:
        return CaseResult(True, weight)
    rule, detail = wrong
    return CaseResult(False, weight, rule, f"case {number}: {detail}; {given}")


def raised_text(said: Mapping[str, Any]) -> str:
    """What was raised, in the words of a stranger, where they are words at all: anything else is not written out."""
    words = (said.get(key) for key in ("raised", "text"))
    return clipped(": ".join(word if isinstance(word, str) else "?" for word in words))


def clipped(text: str) -> str:
    text = text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
    return repr(text)


def checked(jail: Jail, checker: bytes, case: StdinCase, output: str, limits: Limits) -> str | None:
    """What the checker of a task says of an output: None where it accepts it, else why not.

    It is a program too, and reads what a stranger printed: it runs in a jail of its own, and one that raises, hangs
    or answers with something else has not accepted.

    Raises:
        UnsupportedTestsError: it cannot be loaded, or has no function `check`.
    """
    session = Session(jail, checker, limits, 1, prelude=True)
    if (why := session.not_loaded) is not None:
        session.close()
        raise UnsupportedTestsError(f"checker: expected code that loads, got {why}")
    try:
        said = session.call("check", (case.stdin, output, case.expected))
    finally:
        session.close()
    if said is None:
        return f"the checker did not answer: {session.bad_end()[1]}"
    if "missing" in said:
        raise UnsupportedTestsError("checker: expected a function named 'check', got none")
    return refusal(said, output)


def refusal(said: Mapping[str, Any], output: str) -> str | None:
    """Why what a checker said refuses `output`; None where it accepts it."""
    if "value" not in said:
        return f"the checker did not accept {clipped(output)}: {raised_text(said)}"
    try:
        accepted = values.to_value(said["value"])
    except values.NotAValueError:
        accepted = False
    is_yes = accepted is True or (type(accepted) in (int, float) and accepted == 1)
    return None if is_yes else f"the checker refuses {clipped(output)}"
