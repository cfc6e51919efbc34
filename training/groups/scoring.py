"""Steps to scores, whatever the scorer does: what it cannot say is unknown, and the run goes on."""

from collections.abc import Iterable, Sequence

from ...prm import StepRow, StepScore, StepScorer
from ...prm.failing import FAULT_RULES, scores_despite_faults
from ...prm.functions import load_scorer
from ..options import Signal

__all__ = ["Scoring", "scoring_of"]


class Scoring:
    """A step scorer that costs nobody the run: rows that it fails on have no step scores, and move no sibling.

    Args:
        scorer: any.
    """

    def __init__(self, scorer: StepScorer) -> None:
        self.scorer, self.version = scorer, scorer.version
        self.transient_rules = FAULT_RULES | getattr(scorer, "transient_rules", frozenset[str]())

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One score a step of every row.

        Raises:
            UnavailableError: the machine lacks what the scorer was told to require: it holds for every row.
        """
        return scores_despite_faults(self.scorer, rows)

    def count_failed(self, answers: Iterable[Sequence[StepScore] | None]) -> int:
        """Rows of which a score is missing because the scorer failed, and not because it had nothing to say."""
        return sum(
            any(score.value is None and score.rule in self.transient_rules for score in answer)
            for answer in answers
            if answer is not None
        )

    def close(self) -> None:
        """End what the scorer holds, where it says how."""
        close = getattr(self.scorer, "close", None)
        if callable(close):
            close()


def scoring_of(config: Signal) -> Scoring | None:
    """What a run's configuration asks for; None: no gate.

    Raises:
        UnknownNameError: no step scorer has that name.
        InputError: the function or the class cannot be found, imported or called.
        ArgumentError: options that the scorer does not have.
    """
    if config.scorer is None:
        return None
    return Scoring(load_scorer(config.scorer, config.scorer_options, timeout_s=config.scorer_timeout_s))
