"""What flows from a file of step-labelled solutions: a `StepTrace` is one solution, cut into steps, with its labels."""

from dataclasses import dataclass

from ..records import Source

__all__ = ["NO_ERROR", "StepTrace"]

NO_ERROR = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrace:
    """One solution of S steps, as its file labels it. Nothing is inferred that the file does not say.

    Args:
        id: the file's, or its place.
        problem_id: the same for all solutions of one problem: the file's, or a digest of the problem's text.
        problem: what was asked.
        steps: (S,) at least one.
        labels: (S,) True = right, False = wrong, None = nobody said. Where a file marks the first error alone, the
            steps before it are right, and those behind it unknown.
        first_error: the first wrong step, 0-based whatever the file counts from; -1 = no step is wrong; None = nobody
            said.
        final_correct: whether the final answer is right; None = nobody said.
        target: the right answer, where the file has it.
        scores: (S,) in [0, 1], as a scorer left them in the file; None = unknown, or no scores in this row.
        source: the data set or the part of it; empty where the file does not say.
        difficulty: of the problem, as the file names it; empty where it does not.
        place: where it was read.
    """

    id: str
    problem_id: str
    problem: str
    steps: tuple[str, ...]
    labels: tuple[bool | None, ...]
    first_error: int | None
    final_correct: bool | None
    target: str | None
    scores: tuple[float | None, ...] | None
    source: str
    difficulty: str
    place: Source
