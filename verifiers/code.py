"""The code verifier: a program is right when it passes its tests, run where it can harm nobody and learn nothing.

What is expected never enters the process of the candidate; every comparison is made here. See docs/sandbox.md for
the layers, what each proves, and what none of them covers.
"""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nextafter
from time import perf_counter
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..rollouts.messages import Completion, Prompt, completion_text, is_completion
from .arguments import positive, whole
from .base import Outcome, Target, Verdict
from .rows import Triple, row_verdict, unreadable
from .workers.ahead import asked_ahead

if TYPE_CHECKING:
    from .sandbox.backends import Backend, Judged, Trial
    from .sandbox.outputs import Comparison
    from .sandbox.pool import Tier
    from .sandbox.specification import Specification

__all__ = ["CodeVerifier"]

_FUTURE_IMPORT = re.compile(r"^from[ \t]+__future__[ \t]+import[ \t]*(?:\([^)]*\)|[^(\n]*).*\n?", re.MULTILINE)


class CodeVerifier:
    """Judges a program against a test specification.

    The target is a mapping: cases of `stdin`, of a `function`, or asserts, in our own shape or in those of
    HumanEval, MBPP, APPS, TACO, LiveCodeBench and CodeContests (`sandbox.shapes`). A target without a case is
    BAD_TARGET, never a pass; tests that cannot be run whatever the program is are UNSUPPORTED, with reward None. The
    program's own time-out, crash or lack of memory is INCORRECT; a failure of the machinery is ERROR with reward None.

    Args:
        reward: `all` (1 where every case passes), `share` (of the cases, by weight).
        comparison: how printed output is compared: `lines`, `tokens` or `exact`.
        timeout_s: processor seconds of one case, where the target says nothing.
        memory_mb: address space of one process, and resident memory of all that a program starts.
        output_mb: of standard output.
        processes: how many the program may start (`multiprocessing`, `subprocess`), which needs a PID namespace; 0
            refuses them.
        modules: imported beforehand in the jail, third-party ones too (`numpy`); others cannot be imported.
        prelude: whether functions see what LeetCode imports for them.
        asserts: `apart` runs tests written in Python in a process of their own; `in_process` in the program's, which
            `mock.patch`, subclasses and `isinstance` need, and which a program that means to can corrupt. The detail
            says so.
        backend: `local`; `bwrap`, within bubblewrap; the address of a SandboxFusion-compatible service; or an object
            that is a `sandbox.backends.Backend`.
        require: the least that the machine must have: `strict`, `standard`, `basic`.
        workers: how many programs run at once, over all threads.

    Raises:
        ArgumentError: an option is out of range.
        SandboxUnavailable: at the first verdict, where the machine has less than `require`.
    """

    version = "1"

    def __init__(
        self,
        *,
        reward: str = "all",
        comparison: "Comparison" = "lines",
        timeout_s: float = 4.0,
        memory_mb: int = 1024,
        output_mb: int = 16,
        processes: int = 0,
        modules: Sequence[str] = (),
        prelude: bool = True,
        asserts: str = "apart",
        backend: "str | Backend" = "local",
        require: "Tier" = "standard",
        without: Sequence[str] = (),
        workers: int = 2,
    ) -> None:
        from .sandbox.backends import backend_of
        from .sandbox.pool import TIERS
        from .sandbox.runs import Limits

        if reward not in ("all", "share"):
            raise ArgumentError(f"reward: expected 'all' or 'share', got {reward!r}")
        if comparison not in ("lines", "tokens", "exact"):
            raise ArgumentError(f"comparison: expected 'lines', 'tokens' or 'exact', got {comparison!r}")
        if asserts not in ("apart", "in_process"):
            raise ArgumentError(f"asserts: expected 'apart' or 'in_process', got {asserts!r}")
        if require not in TIERS:
            raise ArgumentError(f"require: expected one of {', '.join(TIERS)}, got {require!r}")
        for name, value in (("timeout_s", timeout_s), ("memory_mb", memory_mb), ("output_mb", output_mb)):
            positive(name, value)
        whole("processes", processes, at_least=0)
        whole("workers", workers, at_least=1)
        self._workers = workers
        self._reward, self._prelude, self._in_process = reward, prelude, asserts == "in_process"
        self._comparison: Comparison = comparison
        self._limits = Limits(
            cpu_s=float(timeout_s), memory_bytes=memory_mb << 20, output_bytes=output_mb << 20, processes=processes
        )
        if modules:
            self._limits = replace(self._limits, memory_bytes=max(self._limits.memory_bytes, 2 << 30))
        self._backend = backend_of(
            backend, workers=workers, require=require, modules=modules, without=without, processes=processes
        )

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; raises nothing but `SandboxUnavailable`."""
        from .sandbox.runs import JailError, UnsupportedTestsError
        from .sandbox.shapes import SpecificationError, read_specification

        started = perf_counter()
        if not is_completion(completion):
            return unreadable(completion)
        if not isinstance(target, Mapping):
            detail = f"expected a mapping with tests, got {type(target).__name__}"
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=detail, seconds=perf_counter() - started)
        try:
            specification = read_specification(target)
        except (SpecificationError, ValueError, TypeError, KeyError, OverflowError) as error:
            detail = str(error) or type(error).__name__
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=detail, seconds=perf_counter() - started)
        text = completion_text(completion)
        found = program_in(text)
        if found is None:
            detail = "no code found"
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_code", detail=detail, seconds=perf_counter() - started)
        code, span = found
        try:
            judged = self._backend.judged(self._trial(code, specification))
        except UnsupportedTestsError as error:
            seconds = perf_counter() - started
            return Verdict(Outcome.UNSUPPORTED, None, rule="unsupported_tests", detail=str(error), seconds=seconds)
        except JailError as error:
            return Verdict(Outcome.ERROR, None, code, span, "sandbox", str(error), seconds=perf_counter() - started)
        return self._verdict(judged, code, span, started)

    def verify_batch(self, rows: Sequence[Triple]) -> list[Verdict]:
        """One verdict a row, in order; as many programs run at once as there are workers."""
        stopped = threading.Event()

        def verdict(row: Triple) -> Verdict:
            if stopped.is_set():
                raise InterruptedError("code: stopped")
            return row_verdict(self, row)

        return [verdict for _, verdict in asked_ahead(verdict, rows, threads=self._workers, stop=stopped.set)]

    def close(self) -> None:
        """End the jails."""
        self._backend.close()

    def _trial(self, code: str, specification: "Specification") -> "Trial":
        from .sandbox.backends import Trial

        limits = self._limits
        if specification.timeout_s is not None:
            limits = replace(limits, cpu_s=specification.timeout_s)
        return Trial(
            program=_assembled(code, specification).encode("utf-8", "surrogatepass"),
            specification=specification,
            limits=limits,
            comparison=self._comparison,
            prelude=self._prelude,
            stops=self._reward == "all",
            in_process=self._in_process,
        )

    def _verdict(self, judged: "Judged", code: str, span: tuple[int, int] | None, started: float) -> Verdict:
        results = judged.results
        shares = self._reward == "share"
        # By share, a case that weighs nothing decides nothing.
        failed = next((result for result in results if not result.passed and (result.weight or not shares)), None)
        if failed is None:
            detail = f"{len(results)} of {len(results)} cases passed; {judged.where}"
            return Verdict(Outcome.CORRECT, 1.0, code, span, "tests_passed", detail, perf_counter() - started)
        reward = 0.0
        if shares:
            whole = sum(result.weight for result in results)
            reward = sum(result.weight for result in results if result.passed) / whole
            reward = min(reward, nextafter(1, 0))  # what failed weighs something, however little
        detail = f"{failed.detail}; {judged.where}"
        return Verdict(Outcome.INCORRECT, reward, code, span, failed.rule, detail, perf_counter() - started)


def _assembled(code: str, specification: "Specification") -> str:
    """The program to load: what the task puts before it, and the prompt where the code only continues it."""
    entry = specification.entry_point
    if (
        specification.prompt
        and entry
        and re.search(rf"^\s*(?:async\s+)?def\s+{re.escape(entry)}\b", code, re.M) is None
    ):
        code = specification.prompt + code
    if not specification.setup:
        return code
    # Imports from __future__ must stay the first statements.
    start = max((found.end() for found in _FUTURE_IMPORT.finditer(code)), default=0)
    return f"{code[:start]}{specification.setup}\n{code[start:]}"


def program_in(text: str) -> tuple[str, tuple[int, int] | None] | None:
    """The program of a reply and where it stands: its last fenced block after the reasoning, else all of it.

    Example:
        >>> program_in("Sure:\\n```py\\nprint(1)\\n```\\nDone.")
        ('print(1)', (12, 20))
        >>> program_in("print(1)")
        ('print(1)', (0, 8))
    """
    start = 0
    if text.lstrip()[:7].lower() in ("<think>",) or "</think>" in text:
        closed = text.rfind("</think>")
        if closed < 0:
            return None
        start = closed + len("</think>")
    blocks = _blocks(text, start)
    if blocks:
        begin, end = blocks[-1]
    else:
        begin, end = start, len(text)
    return (text[begin:end], (begin, end)) if text[begin:end].strip() else None


def _blocks(text: str, start: int) -> list[tuple[int, int]]:
    """(start, end) of the inside of every fenced block behind `start`; one that is never closed reaches the end."""
    from .answers.code_blocks import FENCE

    found: list[tuple[int, int]] = []
    opening = None
    for fence in FENCE.finditer(text, start):
        if opening is None:
            opening = fence
        elif fence.group("ticks").startswith(opening.group("ticks")) and not fence.group("language"):
            inside = opening.end() + 1
            found.append((inside, max(inside, fence.start() - 1)))
            opening = None
    if opening is not None:
        found.append((min(opening.end() + 1, len(text)), len(text)))
    return [(begin, end) for begin, end in found if text[begin:end].strip()]
