"""Where a scorer sees the first error: ProcessBench's figures, at a threshold chosen on other problems."""

from collections.abc import Sequence

import numpy as np

from ...errors import ArgumentError
from ...prm.calibration.first_error import (
    FirstErrorFigures,
    best_threshold,
    first_error_figures,
    harmonic_mean,
    right_between,
)
from ...prm.calibration.scored import FloatArray, ScoredTrace
from ...prm.calibration.splitting import is_chosen_on
from ..report.steps import FirstErrors
from .resampled import Resampling, problems_of, ratio

__all__ = ["PLAIN_THRESHOLD", "Chosen", "chosen_threshold", "first_errors"]

PLAIN_THRESHOLD = 0.5
"""A step below it is more likely wrong than right, if the scores mean what they say."""

Chosen = tuple[float, list[ScoredTrace], list[ScoredTrace]]
"""A threshold, the solutions that it was chosen on, and those that it is reported on."""


def chosen_threshold(traces: Sequence[ScoredTrace], *, seed: int) -> Chosen | None:
    """The threshold with the highest F1 on half of the problems; None where they do not allow to choose one.

    Args:
        traces: those whose first error is labelled are looked at.
        seed: decides which half.
    """
    known = [trace for trace in traces if trace.first_error is not None]
    side = is_chosen_on([trace.problem_id for trace in known], seed=seed)
    chosen_on = [trace for trace, is_chosen in zip(known, side, strict=True) if is_chosen]
    reported = [trace for trace, is_chosen in zip(known, side, strict=True) if not is_chosen]
    try:
        return best_threshold(chosen_on), chosen_on, reported
    except ArgumentError:  # no erroneous or no correct solution among them, or no score
        return None


def first_errors(
    name: str, traces: Sequence[ScoredTrace], threshold: float, resampling: Resampling
) -> FirstErrors | None:
    """The figures of the solutions whose first error is labelled; None where there is none.

    Where all of them are silent nothing was measured, and the shares are None: 0 would be a figure.

    Args:
        name: what is said of these solutions.
        threshold: a step scored below it is flagged.
    """
    known = [trace for trace in traces if trace.first_error is not None]
    if not known:
        return None
    found = first_error_figures(known, threshold)
    if all(trace.is_silent for trace in known):
        return FirstErrors(name=name, threshold=threshold, **_counts(found))
    problems, n_problems = problems_of(known)
    low, high = right_between(known)
    is_hit, is_correct = (low < threshold) & (threshold <= high), np.array([one.first_error == -1 for one in known])
    columns = (~is_correct, is_hit & ~is_correct, is_correct, is_hit & is_correct)
    # (C, 4) of every problem: erroneous ones, hits, correct ones, quiet ones
    table = np.stack([np.bincount(problems, weights=column, minlength=n_problems) for column in columns], axis=1)

    def erroneous(drawn: FloatArray) -> FloatArray:
        return ratio(drawn @ table[:, 1], drawn @ table[:, 0])

    def correct(drawn: FloatArray) -> FloatArray:
        return ratio(drawn @ table[:, 3], drawn @ table[:, 2])

    erroneous_low, erroneous_high = resampling.ends(erroneous, n_problems)
    correct_low, correct_high = resampling.ends(correct, n_problems)
    f1_low, f1_high = resampling.ends(lambda drawn: harmonic_mean(erroneous(drawn), correct(drawn)), n_problems)
    return FirstErrors(
        name=name,
        threshold=threshold,
        **_counts(found),
        accuracy_erroneous=found.accuracy_erroneous,
        accuracy_erroneous_low=erroneous_low,
        accuracy_erroneous_high=erroneous_high,
        accuracy_correct=found.accuracy_correct,
        accuracy_correct_low=correct_low,
        accuracy_correct_high=correct_high,
        f1=found.f1,
        f1_low=f1_low,
        f1_high=f1_high,
        precision=found.precision,
    )


def _counts(found: FirstErrorFigures) -> dict[str, int]:
    return {
        "n_erroneous": found.n_erroneous,
        "n_hit": found.hits,
        "n_early": found.early,
        "n_silent_erroneous": found.silent_erroneous,
        "n_correct": found.n_correct,
        "n_quiet": found.quiet,
        "n_flagged": found.flagged,
        "n_silent_correct": found.silent_correct,
    }
