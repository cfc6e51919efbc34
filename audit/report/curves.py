"""The parts of the report that are drawn as curves."""

from .evidence import Number, Part

__all__ = ["Curves", "PassCurve", "StepPoint", "SuccessCounts"]


class SuccessCounts(Part):
    """How many groups had 0, 1, …, `size` successes under one way of scoring.

    Only groups with exactly `size` scored rollouts, the most frequent number, are counted; the others are in
    `n_groups_left_out`. `expected` is what the beta-binomial fitted to all groups expects of as many.
    """

    name: str
    size: int
    counts: tuple[int, ...]
    n_groups_left_out: int
    expected: tuple[float, ...] | None


class PassCurve(Part):
    """Mean pass@k over prompts, unbiased; `n_groups` have at least k scored rollouts and are in its value."""

    name: str
    ks: tuple[int, ...]
    values: tuple[Number, ...]
    n_groups: tuple[int, ...]


class StepPoint(Part):
    """The groups of one training step. Shares are of groups with at least two scored rollouts."""

    step: int
    n_groups: int
    success_rate: Number
    all_wrong: Number
    mixed: Number
    all_correct: Number


class Curves(Part):
    """All that is drawn; a curve that the file has no data for is absent."""

    successes: tuple[SuccessCounts, ...] = ()
    pass_at_k: tuple[PassCurve, ...] = ()
    steps: tuple[StepPoint, ...] = ()
