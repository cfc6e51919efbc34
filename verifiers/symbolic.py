r"""The last stage of the maths verifier: two pieces of LaTeX, judged by math-verify in a killable worker.

Nothing is sent that our own caps already refuse: long text, towers of powers, big factorials, program code,
words. What comes back is plain data. A worker that dies is tried once more; one that runs out of time is
the answer's fault unless the target alone does the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..errors import WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from .arguments import positive
from .base import Outcome
from .expression.arithmetic import is_costly
from .expression.results import SymbolicError, SymbolicResult, shown
from .patterns import lazy_pattern

if TYPE_CHECKING:
    from .isolation import Workers

__all__ = ["SymbolicStage", "SymbolicStages"]

MAX_CHARACTERS = 2_000
"""Longer mathematics never reaches the worker."""

MAX_CALLS = 40
"""What one verdict may ask of the worker (a list of n opaque parts may ask n * n times)."""

MAX_NESTING = 30

_MOST_REMEMBERED = 1_024
"""Targets of which a verifier remembers whether they cost too much by themselves."""

_COMPARE = "rewardgate.verifiers.workers.math_verify:compare"
_CODE = lazy_pattern(
    r"__|[\"@#?;~`]|'[\w/.]|\b(?:lambda|import|open|eval|exec|print|return|def|if|else|for|in)\b|\w\.\w*[A-Za-z]\w*\("
)
_BOUND = lazy_pattern(r"\\(?:sum|int|prod|lim)")
_WORD = lazy_pattern(r"(?<![\\A-Za-z])[A-Za-z]*[a-z]{3,}")
_COMMAND_OR_TEXT = lazy_pattern(r"\\text\{([^{}]*)\}|\\(?:begin|end|operatorname)\{[^{}]*\}|\\[a-zA-Z]+")
_MULTIPLIED = lazy_pattern(r"\*|\\times(?![a-z])")
_PRIMES = lazy_pattern(r"([A-Za-z])('+)")
_DEGREES = lazy_pattern(r"(?<!\d)(\d++(?:\.\d++)?)\^\\circ")


@dataclass(frozen=True, slots=True)
class SymbolicStages:
    """Makes a fresh `SymbolicStage` for each verdict; they share what is known of targets that cost too much.

    Args:
        workers: the killable workers to use; None takes the process's shared ones when first needed.
        fallback: whether anything is asked at all.
        timeout_s: seconds for all questions of one verdict together.

    Raises:
        ArgumentError: `timeout_s` is not positive.
    """

    workers: "Workers | None"
    fallback: bool
    timeout_s: float
    _fits_alone: dict[str, bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("timeout_s", self.timeout_s, what="number of seconds")

    def __call__(self) -> "SymbolicStage":
        workers = self._running if self.fallback else None
        return SymbolicStage(workers, timeout_s=self.timeout_s, fits_alone=self._fits_alone)

    def _running(self) -> "Workers":
        from .isolation import shared_workers

        return shared_workers() if self.workers is None else self.workers


class SymbolicStage:
    """Judges pairs of LaTeX texts for one verdict, within its time.

    Args:
        workers: gives the workers when the first question comes; None where there is no fallback, and
            every question is UNSUPPORTED.
        timeout_s: seconds for all questions of this verdict together.
        fits_alone: whether a target against itself stays within the budget, as far as it was asked; added to.
    """

    def __init__(
        self, workers: "Callable[[], Workers] | None", *, timeout_s: float, fits_alone: dict[str, bool]
    ) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._fits_alone = fits_alone
        self._spent_s = 0.0
        self._calls = 0

    def __call__(self, target: str, answer: str) -> SymbolicResult:
        """What math-verify says of `answer` against `target`.

        Raises:
            SymbolicError: it says nothing, or was not asked.
        """
        _refuse_unfit(target, answer)
        if self._workers is None:
            raise SymbolicError(Outcome.UNSUPPORTED, "no_fallback", f"{shown(answer)} needs the symbolic stage")
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise SymbolicError(Outcome.BUDGET, "too_many_parts", f"more than {MAX_CALLS} symbolic comparisons")
        found = self._asked(_for_worker(target), _for_worker(answer))
        if (side := found.get("unreadable")) is not None:
            what = {"target": shown(target), "answer": shown(answer)}.get(side, f"{shown(answer)} and {shown(target)}")
            raise SymbolicError(Outcome.UNSUPPORTED, f"unreadable_{side}", what, target_alone=side == "target")
        values = [None if text is None else Decimal(text) for text in (found["target_value"], found["answer_value"])]
        sign = "=" if found["equal"] else "is not"
        detail = f"{shown(answer)} {sign} {shown(target)} ({found['rule']})"
        return SymbolicResult(found["equal"], values[0], values[1], detail)

    def _asked(self, target: str, answer: str) -> dict[str, Any]:
        assert self._workers is not None
        left = self._timeout_s - self._spent_s
        started = monotonic()
        workers = self._workers()
        try:
            return _call(workers, target, answer, left)
        except (WorkerTimeoutError, WorkerMemoryError) as error:
            alone = self._costs_too_much_alone(workers, target)
            raise SymbolicError(Outcome.BUDGET, "symbolic_budget", str(error), target_alone=alone) from error
        except WorkerError as error:
            raise SymbolicError(Outcome.ERROR, "worker", str(error), target_alone=True) from error
        finally:
            self._spent_s += monotonic() - started

    def _costs_too_much_alone(self, workers: "Workers", target: str) -> bool:
        """Whether `target` against itself fails too. A group's rollouts share their target: it is asked once."""
        fits = self._fits_alone.get(target)
        if fits is None:
            try:
                _call(workers, target, target, self._timeout_s)
                fits = True
            except (WorkerTimeoutError, WorkerMemoryError):
                fits = False
            except WorkerError:
                return True  # of this verdict nothing is known; and a worker's death is no property of the target
            if len(self._fits_alone) >= _MOST_REMEMBERED:
                self._fits_alone.clear()
            self._fits_alone[target] = fits
        return not fits


def _call(workers: "Workers", target: str, answer: str, timeout_s: float) -> dict[str, Any]:
    try:
        return workers.call(_COMPARE, target, answer, timeout_s=max(timeout_s, 0.05))
    except WorkerDiedError:
        return workers.call(_COMPARE, target, answer, timeout_s=max(timeout_s, 0.05))


def _refuse_unfit(target: str, answer: str) -> None:
    for text, target_alone in ((target, True), (answer, False)):
        if len(text) > MAX_CHARACTERS or _nesting(text) > MAX_NESTING or is_costly(text):
            raise SymbolicError(Outcome.BUDGET, "too_costly", shown(text), target_alone=target_alone)
    if "\\infty" in answer and "\\infty" not in target and not _BOUND.search(answer):
        raise SymbolicError(Outcome.UNSUPPORTED, "infinite", shown(answer))
    if _CODE.search(answer) and not _CODE.search(target):
        raise SymbolicError(Outcome.UNSUPPORTED, "code", shown(answer))
    if not answer.isascii() and target.isascii():
        raise SymbolicError(Outcome.UNSUPPORTED, "foreign_letters", shown(answer))
    foreign = _words(answer) - _words(target)
    if foreign:
        raise SymbolicError(Outcome.UNSUPPORTED, "words", f"{shown(answer)}: {', '.join(sorted(foreign))[:80]}")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_COMMAND_OR_TEXT.sub(lambda found: f" {found.group(1) or ''} ", text)))


def _nesting(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "({[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")}]":
            depth -= 1
    return deepest


def _for_worker(text: str) -> str:
    """`text` in the spelling that math-verify reads best."""
    text = _DEGREES.sub(r"{(\\frac{\1\\pi}{180})}", text)
    # math-verify drops primes, so that f' would be f.
    text = _PRIMES.sub(lambda primed: f"{primed.group(1)}_{{{'p' * len(primed.group(2))}}}", text)
    return _MULTIPLIED.sub(r"\\cdot ", text)
