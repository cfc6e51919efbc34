"""A service as a backend: programs run there, what is expected stays here.

It runs scripts and nothing else. A program that reads and prints is sent as it is; one that is called is sent with a
script of ours around it, whose answers are lines of plain data. Tests in Python need a process of their own beside the
candidate's, which a script has not: they are refused, unless the caller takes the weaker kind.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from . import values
from .asserting import case_result
from .backends import WEAKER, Judged, Trial, taken
from .judging import CaseResult, bad_end, case_of, raised_text, refusal, stdin_results, wrong_answer
from .runs import Limits, Running, UnsupportedTestsError
from .service import KEPT_BYTES, Service
from .specification import FunctionCase, StdinCase

__all__ = ["RemoteBackend"]

_MODULES = ("frames", "plain", "remote", "calls", "tests", "scripted")
"""In the order in which they import each other."""
_MARKER_BYTES = 16


class RemoteBackend:
    """Runs programs at a SandboxFusion-compatible service.

    Args:
        address: `http://host:8080`.
        workers: how many requests are under way at once.
        service: what is spoken to instead, for other attempts and another patience.
    """

    def __init__(self, address: str, *, workers: int = 2, service: Service | None = None) -> None:
        self._address, self._workers = address, workers
        self._service = service or Service(address)
        self._free = BoundedSemaphore(workers)

    def __reduce__(self) -> tuple[Any, ...]:
        """What makes another like it: locks and events do not travel to a worker."""
        return partial(RemoteBackend, self._address, workers=self._workers), ()

    def judged(self, trial: Trial) -> Judged:
        tests = trial.specification
        limits = replace(trial.limits, output_bytes=min(trial.limits.output_bytes, KEPT_BYTES))
        trial = replace(trial, limits=limits)
        where = f"layers of the service {self._address}"
        with self._free:
            if tests.asserts is not None:
                if not trial.in_process:
                    raise UnsupportedTestsError(_NO_ASSERTS)
                return Judged(list(self._tested(trial)), f"{where}; {WEAKER}")
            if tests.function:
                results = self._called(trial)
            else:
                _check_that_outputs_are_kept(max(len(case.expected) for case in tests.stdin))
                check = self._checker(trial) if tests.checker else None
                results = stdin_results(self._service, trial.program, tests, limits, trial.comparison, check)
            return Judged(list(taken(results, stops=trial.stops)), where)

    def close(self) -> None:
        self._service.close()

    def _called(self, trial: Trial) -> Iterator[CaseResult]:
        """One result a case of a function, all of them called by one script."""
        tests = trial.specification
        _check_that_outputs_are_kept(2 * sum(len(json.dumps(_encoded(case.expected))) for case in tests.function))
        limits = replace(trial.limits, cpu_s=trial.limits.cpu_s * len(tests.function))
        requests = [_request(tests.entry_point, case) for case in tests.function]
        said, running = self._said(trial.program, limits, prelude=trial.prelude, requests=requests)
        loaded = bool(said) and "loaded" in said[0]
        if said and not loaded:
            said = [said[0]] * (len(requests) + 1)  # it could not be loaded: that is the answer to every call
        for number, case in enumerate(tests.function, 1):
            if number < len(said):
                wrong = wrong_answer(said[number], case, tests)
            elif number == len(said):
                wrong = bad_end(running, limits) or ("ended", "the program ended before it answered")
            else:
                wrong = "not_run", "the program had ended"
            yield case_of(number, case.weight, wrong, f"arguments {values.shown(case.args)}")

    def _tested(self, trial: Trial) -> Iterator[CaseResult]:
        """One result a case of tests in Python, run by the script that loaded the program."""
        tests = trial.specification
        assert tests.asserts is not None
        settings = {
            "entry_point": tests.entry_point,
            "calls_check": tests.asserts.calls_check,
            "stops": trial.stops,
            "in_process": True,
        }
        code = "\n".join(filter(None, (tests.setup, tests.asserts.code)))
        order = {"tests": code, "settings": settings}
        said, running = self._said(trial.program, trial.limits, prelude=trial.prelude, **order)
        results = said[-1].get("results") if said else None
        if said and "raised" in said[0]:
            yield CaseResult(False, 1.0, "raised", raised_text(said[0]))
        elif results is None:
            how = bad_end(running, trial.limits) or ("ended", "the program ended before its tests did")
            yield CaseResult(False, 1.0, *how)
        elif not isinstance(results, list) or not results:
            yield CaseResult(False, 1.0, "no_tests", "the tests test nothing")
        else:
            for number, result in enumerate(results, 1):
                yield case_result(number, result, ("", ""))

    def _checker(self, trial: Trial) -> Callable[[StdinCase, str], str | None]:
        checker = trial.specification.checker.encode()

        def check(case: StdinCase, output: str) -> str | None:
            request = _request("check", FunctionCase((case.stdin, output, case.expected), None))
            said, running = self._said(checker, trial.limits, prelude=True, requests=[request])
            if len(said) < 2:
                how = bad_end(running, trial.limits) or ("", "it ended without a word")
                return f"the checker did not answer: {how[1]}"
            return refusal(said[1], output)

        return check

    def _said(
        self, program: bytes, limits: Limits, *, prelude: bool, requests: Sequence[Any] = (), **rest: Any
    ) -> tuple[list[dict[str, Any]], Running]:
        """The lines that our script wrote around `program`, as far as they make sense, and how it ended."""
        marker = secrets.token_hex(_MARKER_BYTES)
        order = {"marker": marker, "source": program.decode("utf-8", "surrogatepass"), "prelude": prelude}
        order |= {"requests": list(requests), "tests": None, "settings": None} | rest
        running = self._service.run(_script().encode(), stdin=json.dumps(order).encode("ascii"), limits=limits)
        said: list[dict[str, Any]] = []
        for line in running.stdout.decode("utf-8", "replace").split("\n"):
            if line.startswith(marker):
                try:
                    message = json.loads(line.removeprefix(marker))
                except (ValueError, RecursionError):
                    message = {"garbage": "a line that is no answer"}
                said.append(message if isinstance(message, dict) else {"garbage": "the answer is no mapping"})
        return said, running


@cache
def _script() -> str:
    """Our side of a candidate's process as one program, which finds its order on standard input."""
    folder = Path(__file__).parent / "jail"
    modules = [(name, (folder / f"{name}.py").read_text(encoding="utf-8")) for name in _MODULES]
    return _BOOTSTRAP.format(modules=modules)


_BOOTSTRAP = """\
import json, sys, types

order = json.loads(sys.stdin.read())
for name, text in {modules!r}:
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), sys.modules[name].__dict__)
sys.modules["scripted"].main(order)
"""
_NO_ASSERTS = (
    "tests in Python need a process of their own beside the program's, and a service runs one script: use the local "
    "backend, or asserts='in_process', which a program can corrupt"
)


def _request(name: str, case: FunctionCase) -> dict[str, Any]:
    return {
        "name": name,
        "args": [values.as_plain(argument) for argument in case.args],
        "kwargs": {key: values.as_plain(argument) for key, argument in case.kwargs.items()},
    }


def _encoded(value: Any) -> object:
    try:
        return values.as_plain(value)
    except values.NotAValueError:
        return None


def _check_that_outputs_are_kept(n_expected: int) -> None:
    """What is expected decides, not what comes: no program can print its way out of a verdict."""
    if n_expected >= KEPT_BYTES:
        raise UnsupportedTestsError(
            f"expected outputs of less than {KEPT_BYTES} bytes, which is what a service keeps, got about {n_expected}"
        )
