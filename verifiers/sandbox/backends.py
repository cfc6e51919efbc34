"""Where programs run: one contract, behind which stand jails of ours, jails within bubblewrap, and remote services.

A backend is given a program and its tests and says how each case went. Wherever the program runs, what is expected
stays on this side.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ...errors import ArgumentError
from .asserting import assert_results
from .inprocess import in_process_results
from .jailer import Jail
from .judging import CaseResult, checked, function_results, stdin_results
from .outputs import Comparison
from .pool import JailPool, Tier
from .runs import Limits
from .specification import Specification, StdinCase

__all__ = ["WEAKER", "Backend", "JailBackend", "Judged", "Trial", "backend_of"]

WEAKER = "weaker: the tests ran in the program's own process"


@dataclass(frozen=True, slots=True)
class Trial:
    """A program and what it is tried with.

    Args:
        program: the source.
        specification: the tests.
        limits: of one case.
        comparison: of printed output.
        prelude: whether functions see what LeetCode imports for them.
        stops: whether a failed case ends the trial.
        in_process: whether asserts may run in the program's own process.
    """

    program: bytes
    specification: Specification
    limits: Limits
    comparison: Comparison = "lines"
    prelude: bool = True
    stops: bool = True
    in_process: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """How each case went; `where` names, for a person, what the program ran in and what weakens the verdict."""

    results: Sequence[CaseResult]
    where: str


class Backend(Protocol):
    """Runs programs for any number of threads."""

    def judged(self, trial: Trial) -> Judged:
        """How the cases of `trial` went.

        Raises:
            JailError: the machinery failed: nothing is known of the program.
            SandboxUnavailable: this machine has less than was asked for.
            UnsupportedTestsError: tests of this kind cannot be run here.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class JailBackend:
    """Jails of this machine.

    Args:
        pool: gives out jails.
    """

    def __init__(self, pool: JailPool) -> None:
        self._pool = pool

    def judged(self, trial: Trial) -> Judged:
        weakness = f"; {WEAKER}" if trial.specification.asserts is not None and trial.in_process else ""
        with self._pool.jail() as jail:
            results = list(taken(_results(jail, trial), stops=trial.stops))
            return Judged(results, f"layers {','.join(jail.layers)}{weakness}")

    def close(self) -> None:
        self._pool.close()


def _results(jail: Jail, trial: Trial) -> Iterator[CaseResult]:
    tests, limits = trial.specification, trial.limits
    if tests.asserts is not None:
        run = in_process_results if trial.in_process else assert_results
        return run(jail, trial.program, tests, limits, prelude=trial.prelude, stops=trial.stops)
    if tests.function:
        return function_results(jail, trial.program, tests, limits, prelude=trial.prelude)
    check = _checker(jail, trial) if tests.checker else None
    return stdin_results(jail, trial.program, tests, limits, trial.comparison, check)


def _checker(jail: Jail, trial: Trial) -> Callable[[StdinCase, str], str | None]:
    # It is the task's, and needs none of the processes that the program may start.
    limits = replace(trial.limits, processes=0)

    def check(case: StdinCase, output: str) -> str | None:
        return checked(jail, trial.specification.checker.encode(), case, output, limits)

    return check


def taken(results: Iterable[CaseResult], *, stops: bool) -> Iterator[CaseResult]:
    """The results, up to the first failure where that ends the trial."""
    for result in results:
        yield result
        if stops and not result.passed:
            return


def backend_of(
    name: str | Backend,
    *,
    workers: int,
    require: Tier,
    modules: Sequence[str],
    without: Sequence[str],
    processes: int = 0,
) -> Backend:
    """The backend that a user named: `local`, `bwrap`, the address of a service (`http://host:8080`), or one of theirs.

    Raises:
        ArgumentError: it is none of these, or an option does not go with it.
    """
    if not isinstance(name, str):
        return name
    if name.startswith(("http://", "https://")):
        from .remote_service import RemoteBackend

        if modules or without or processes:
            raise ArgumentError("backend: expected no modules, layers or processes for a service, which has its own")
        return RemoteBackend(name, workers=workers)
    if name not in ("local", "bwrap"):
        raise ArgumentError(f"backend: expected 'local', 'bwrap' or an address, got {name!r}")
    needs = [*(["pidns"] if processes else []), *(["bwrap"] if name == "bwrap" else [])]
    pool = JailPool(workers, require=require, modules=modules, without=without, needs=needs, bubblewrap=name == "bwrap")
    return JailBackend(pool)
