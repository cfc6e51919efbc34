"""Step scores despite a scorer that fails: what it cannot say is unknown, and a row costs no other.

For a caller who must go on. One who would rather know at once asks `scoring.step_scores`, which raises.
"""

from collections.abc import Sequence

from ..errors import UnavailableError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from .base import StepRow, StepScore, StepScorer
from .scoring import step_scores

__all__ = ["FAULT_RULES", "GIVE_UP_AFTER", "scores_despite_faults"]

FAULT_RULES = frozenset({"raised", "timed_out", "out_of_memory", "crashed", "not_asked"})
"""Rules of scores that are missing because the scorer failed; a scorer's own are its `transient_rules`."""

GIVE_UP_AFTER = 3
"""Rows in a row: a scorer that is gone would cost its time limit for every one."""

_RULES: tuple[tuple[type[WorkerError], str], ...] = (
    (WorkerTimeoutError, "timed_out"),
    (WorkerMemoryError, "out_of_memory"),
    (WorkerDiedError, "crashed"),
)


def scores_despite_faults(scorer: StepScorer, rows: Sequence[StepRow]) -> list[list[StepScore]]:
    """What `scorer` says of every step of every row, held to its contract; None of the steps of rows that it fails on.

    It is asked about all rows together; if it raises, or answers something else than scores, about one after the other.
    After `GIVE_UP_AFTER` failures in a row the others are not asked about.

    Raises:
        UnavailableError: the machine lacks what the scorer was told to require: it holds for every row.

    Example:
        >>> class Broken:
        ...     version = "1"
        ...     def score(self, rows):
        ...         raise OSError("the model's file is gone")
        >>> scores_despite_faults(Broken(), [StepRow("2+2?", ("4",))])
        [[StepScore(value=None, rule='raised', detail="OSError: the model's file is gone")]]
    """
    try:
        return step_scores(scorer, rows)
    except UnavailableError:
        raise
    except Exception as raised:  # a stranger's machinery, of any kind
        if len(rows) == 1:
            return [_silence(rows[0], raised)]
    found: list[list[StepScore]] = []
    failed = 0
    for row in rows:
        if failed == GIVE_UP_AFTER:
            found.append(
                [StepScore(None, "not_asked", f"the scorer had failed on {failed} rows in a row")] * len(row.steps)
            )
            continue
        try:
            found += step_scores(scorer, [row])
            failed = 0
        except UnavailableError:
            raise
        except Exception as raised:
            found.append(_silence(row, raised))
            failed += 1
    return found


def _silence(row: StepRow, raised: Exception) -> list[StepScore]:
    rule = next((rule for kind, rule in _RULES if isinstance(raised, kind)), "raised")
    detail = str(raised) if isinstance(raised, WorkerError) else f"{type(raised).__name__}: {raised}"
    return [StepScore(None, rule, detail)] * len(row.steps)
