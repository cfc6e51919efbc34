"""Steps that are code, run; and what the text asserts of them, held against what came of it.

The code of all steps of a row runs in one jailed process, in order, sharing its names (`cell_runs`). Asserted are: a
comment (`# x is 12`, `x = 3 * 4  # 12`), an assert, a block of output behind the code, "this prints 12", "after this,
x = 12". Whoever writes both code and claims can make them agree: this finds a model that imagines what its code does.
"""

import re
import threading
from collections.abc import Sequence
from functools import partial

from ...errors import ArgumentError
from ...verifiers.arguments import positive, whole
from ...verifiers.expression.results import shown
from ...verifiers.sandbox.pool import TIERS, JailPool, SandboxUnavailable, Tier
from ...verifiers.sandbox.runs import JailError, Limits
from ...verifiers.workers.ahead import asked_ahead
from ..base import StepRow, StepScore
from .asserted_values import printed_is, said_is
from .cell_runs import CellReport, run_cells
from .code_steps import MAX_CHARACTERS, Claim, CodeStep, read_steps

__all__ = ["MAX_CELLS", "ProgramStateScorer"]

MAX_CELLS = 64
"""Pieces of code that are run of one row."""

# What prints something else every time: a disagreement proves nothing.
_CHANGING = re.compile(
    r"\b(?:import|from)\s+[^\n]*\b(?:random|time|datetime|uuid|secrets|threading|tempfile)\b|\b(?:id|hash|set|frozenset)\("
    r"|\bos\.(?:environ|urandom|getpid|getcwd|listdir)\b|\bnumpy\.random\b|\bnp\.random\b"
)
# Errors that say more of the jail, or of code that is not there, than of the step.
_NOT_ITS_FAULT = frozenset({
    "ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError", "EOFError", "OSError", "FileNotFoundError",
    "PermissionError", "ConnectionError", "TimeoutError", "MemoryError", "RecursionError", "SystemExit",
    "KeyboardInterrupt", "BlockingIOError", "ConnectionRefusedError", "UnsupportedOperation", "GeneratorExit",
})  # fmt: skip
_EXPECTS_FAILURE = re.compile(
    r"\b(?:fails?|raises?|\w*error|\w*exception|crash\w*|wrong|bug\w*|traceback)\b", re.IGNORECASE
)
_NOTHING = StepScore(None, "nothing_to_check", "no code, or nothing asserted of it")


class ProgramStateScorer:
    """Runs the code of the steps and compares what the steps assert of it.

    Args:
        timeout_s: processor seconds for all code of one row.
        memory_mb: address space of it.
        modules: third-party modules that it may import (`numpy`).
        require: the least that the machine must have: `strict`, `standard`, `basic`; on less every step is unknown.
        without: layers of the jail to leave out.
        workers: how many rows run at once.

    Raises:
        ArgumentError: an option is out of range.

    Example:
        >>> steps = ("```python\\nx = 3 * 4\\n```\\nAfter this, x = 13.", "```python\\nprint(x)  # 12\\n```")
        >>> for score in ProgramStateScorer(require="basic").score([StepRow("", steps)])[0]:  # doctest: +SKIP
        ...     print(score.value, score.rule, score.detail)
        0.0 wrong_value x is said to be 13, it is 12
        1.0 values_hold 1 asserted value holds
    """

    version = "1"

    def __init__(
        self,
        *,
        timeout_s: float = 4.0,
        memory_mb: int = 1024,
        modules: Sequence[str] = (),
        require: Tier = "standard",
        without: Sequence[str] = (),
        workers: int = 2,
    ) -> None:
        positive("timeout_s", timeout_s)
        positive("memory_mb", memory_mb)
        whole("workers", workers, at_least=1)
        if require not in TIERS:
            raise ArgumentError(f"require: expected one of {', '.join(TIERS)}, got {require!r}")
        memory = max(memory_mb << 20, 2 << 30) if modules else memory_mb << 20
        self._limits = Limits(cpu_s=float(timeout_s), memory_bytes=memory, output_bytes=4 << 20)
        self._workers = workers
        self._pool = JailPool(workers, require=require, modules=modules, without=without)

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row; never raises on any text.

        A step scores 0 where something that it asserts is not so (`wrong_value`, `wrong_output`, `failed_assert`), or
        where its code raises although it shows an output (`raised`); 1 where at least one assertion was checked and
        all hold (`values_hold`); else None: nothing asserted, code that does not parse, imports what is not there, or
        ran too long, code behind such code (`not_run`), and a sandbox that is not to be had (`sandbox`).
        """
        stopped = threading.Event()
        answers = asked_ahead(partial(self._row_scores, stopped), rows, threads=self._workers, stop=stopped.set)
        return [scores for _, scores in answers]

    def close(self) -> None:
        """End the jails."""
        self._pool.close()

    def _row_scores(self, stopped: threading.Event, row: StepRow) -> list[StepScore]:
        steps = read_steps(row.steps)
        cells = [cell for step in steps for cell in step.cells]
        if stopped.is_set() or not cells or not any(step.asserts for step in steps):
            return [_NOTHING for _ in steps]
        if len(cells) > MAX_CELLS or sum(map(len, row.steps)) > MAX_CHARACTERS:
            return [StepScore(None, "too_costly", f"more than {MAX_CELLS} pieces of code, or too long") for _ in steps]
        try:
            with self._pool.jail() as jail:
                reports, why = run_cells(jail, cells, self._limits)
        except (JailError, SandboxUnavailable) as error:
            return [StepScore(None, "sandbox", shown(error)) if step.asserts else _NOTHING for step in steps]
        is_changing = any(_CHANGING.search(cell.source) for cell in cells)
        return [_score(step, reports, why, is_changing=is_changing) for step in steps]


def _score(step: CodeStep, reports: Sequence[CellReport], why: str, *, is_changing: bool) -> StepScore:
    """The score of a step.

    Args:
        step: as read.
        reports: of the cells of the row that ran.
        why: there are no more of them.
        is_changing: the code may do otherwise another time, so that nothing that it did proves a claim wrong.
    """
    tally = _Tally()
    not_run = StepScore(None, "not_run", why or "the code before it did not run to its end")
    for number in range(step.first, step.first + len(step.cells)):
        if number >= len(reports):
            tally.note(not_run)
            break
        report = reports[number]
        tally.held += report.n_asserts
        for remark in report.remarks:
            if remark.is_print:
                holds = printed_is(remark.said, remark.got[0] or "", is_whole=False)
            else:
                holds = said_is(remark.said, remark.got)
            tally.judge(holds, _wrong_value(remark.what, remark.said, remark.got))
        if report.error is not None:
            tally.note(_failure(step, report))
    for claim in step.claims:
        if claim.cell >= len(reports) or reports[claim.cell].error is not None:
            tally.note(not_run)
        else:
            tally.judge(*_judged(claim, reports[claim.cell]))
    return tally.score(is_changing=is_changing)


class _Tally:
    """What was found of the assertions of a step."""

    def __init__(self) -> None:
        self.held = 0
        self._wrong: StepScore | None = None
        self._unknown: StepScore | None = None

    def judge(self, holds: bool | None, wrong: StepScore) -> None:
        """One assertion; `wrong` is said of the step where it does not hold."""
        self.held += holds is True
        if holds is False:
            self._wrong = self._wrong or wrong

    def note(self, score: StepScore) -> None:
        """A score that something other than an assertion gives."""
        if score.value is None:
            self._unknown = self._unknown or score
        else:
            self._wrong = self._wrong or score

    def score(self, *, is_changing: bool) -> StepScore:
        """The score of the step."""
        if self._wrong is not None:
            if not is_changing:
                return self._wrong
            return StepScore(None, "may_change", f"{self._wrong.detail}, but the code may do otherwise another time")
        if self._unknown is not None:
            return self._unknown
        if not self.held:
            return _NOTHING
        return StepScore(
            1.0, "values_hold", f"{self.held} asserted {'value holds' if self.held == 1 else 'values hold'}"
        )


def _wrong_value(what: str, said: str, got: Sequence[str | None]) -> StepScore:
    value = shown(got[-1]) if got else "unknown"
    return StepScore(0.0, "wrong_value", f"{what} is said to be {shown(said)}, it is {value}")


def _judged(claim: Claim, report: CellReport) -> tuple[bool | None, StepScore]:
    name, said = claim.said
    if name:
        got = (report.values[name],) if name in report.values else ()
        return said_is(said, got), _wrong_value(name, said, got)
    told, printed = (shown(" ".join(text.split())) for text in (said, report.output))
    wrong = StepScore(0.0, "wrong_output", f"it is said to print {told}, it prints {printed or 'nothing'}")
    if report.is_cut:
        return None, wrong
    outputs = [report.output]
    if report.display is not None:
        outputs.append(f"{report.output}{report.display}")  # as a notebook shows the last expression
    verdicts = [printed_is(said, output, is_whole=claim.is_block) for output in outputs]
    return (True if True in verdicts else None if None in verdicts else False), wrong


def _failure(step: CodeStep, report: CellReport) -> StepScore:
    """What is said of a step whose code ended with an error."""
    assert report.error is not None
    kind, message, asserted = report.error
    what = f"{kind}: {shown(message)}" if message else kind
    if report.is_unparsed:
        return StepScore(None, "does_not_parse", what)
    is_expected = _EXPECTS_FAILURE.search(step.text) is not None
    if asserted and not is_expected:
        values = ", ".join(f"{name} is {shown(value)}" for name, value in report.values.items() if value is not None)
        return StepScore(
            0.0, "failed_assert", f"{shown(asserted)}{f' does not hold: {values}' if values else ' does not hold'}"
        )
    shows = any(not claim.said.name for claim in step.claims)
    if shows and kind not in _NOT_ITS_FAULT and not is_expected:
        return StepScore(0.0, "raised", f"an output is shown, but the code raises {what}")
    return StepScore(None, "raised", what)
