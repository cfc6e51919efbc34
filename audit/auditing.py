"""The audit: judge every rollout, test the targets, explain what was scored wrong, repair, and count the cost."""

from contextlib import ExitStack
from time import perf_counter

import numpy as np

from .. import __version__
from ..errors import ArgumentError
from ..rollouts.reading import Reading
from ..verifiers.base import Verifier, get
from .clues import gather_clues, with_golds_refused_as_written
from .explaining import Explained, cause_counts, explain, group_cards, paid_part
from .findings import findings, headline
from .golds import GoldTest, test_golds
from .judging import Judgement, judge
from .mixed import mixed_part, response_length
from .not_measured import not_measured
from .repair import repair_part
from .report.model import AuditReport, GroupTable, ReadingFacts
from .review import review_part
from .second_opinion import SecondOpinion, is_same_verifier
from .stake import stake_part
from .tables import group_table, near_kinds, prediction_part

__all__ = ["audit"]

MAX_CARDS = 2_000
"""Cards that a report keeps; the counts count all."""


def audit(
    reading: Reading,
    *,
    suspect: Verifier | None = None,
    referee: Verifier | None = None,
    near: int = 1,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
    seed: int = 0,
    progress: bool = False,
) -> AuditReport:
    """What is wrong with the rewards of a file of rollouts, what it costs, and what is left after repair.

    A cause is never drawn from the disagreement of a verifier with itself: where suspect and referee judge
    alike, math-verify is asked about what they refuse, and its disagreements go to the review queue.

    Args:
        reading: what `rollouts.reading.read` returns; iterated once.
        suspect: the verifier under audit; None audits the rewards as they were logged. In a file without
            rewards, None reports the referee's own verdicts.
        referee: whom the rewards are compared with; None takes `auto`, which goes by the target's kind.
        near: successes (or failures) up to which a mixed group counts as nearly all wrong (all correct).
        correct_at: logged reward from which a rollout counts as correct. A suspect's own verdict decides
            for itself.
        wrong_at: a group whose rewards all equal this or less is all wrong.
        seed: of the bootstrap.
        progress: draw a bar on stderr.

    Raises:
        ArgumentError: `near` is negative, or `wrong_at` is not below `correct_at`.
        NoUsableRowsError: the file holds nothing usable.

    Example:
        >>> from importlib.resources import files
        >>> from rewardgate.rollouts.reading import read
        >>> report = audit(read(str(files("rewardgate.fixtures") / "rollouts.jsonl")))
        >>> report.severity
        'fail'
    """
    started = perf_counter()
    if near < 0:
        raise ArgumentError(f"near: expected 0 or more, got {near}")
    if not wrong_at < correct_at:
        raise ArgumentError(f"wrong_at: expected a number below correct_at = {correct_at}, got {wrong_at}")
    referee = get("auto") if referee is None else referee
    is_same = suspect is not None and is_same_verifier(suspect, referee)
    with ExitStack() as stack:
        second = stack.enter_context(SecondOpinion()) if is_same else None
        judgement = judge(
            reading,
            suspect=suspect,
            referee=referee,
            second=second,
            correct_at=1.0 if suspect is not None else correct_at,
            progress=progress,
        )
    scored_by = "rewards as logged" if suspect is None else verifier_name(suspect)
    if suspect is None and not judgement.has_rewards and judgement.has_targets and judgement.has_responses:
        suspect, is_same, scored_by = referee, True, f"{verifier_name(referee)} (no rewards in the file)"
        judgement.score_by_referee()
    correct_at = 1.0 if suspect is not None else correct_at
    golds = None
    if judgement.has_targets:
        golds = test_golds(
            judgement,
            referee if suspect is None else suspect,
            is_suspect=suspect is not None,
            name=f"{verifier_name(referee)}, the referee" if suspect is None else scored_by,
            correct_at=correct_at,
        )
    clues = gather_clues(judgement, golds, suspect, correct_at=correct_at)
    golds_part = None if golds is None else golds.part
    if golds_part is not None and suspect is None:
        golds_part = with_golds_refused_as_written(golds_part, judgement, clues, correct_at=correct_at)
    explained = explain(judgement, clues, correct_at=correct_at, wrong_at=wrong_at)
    scored = _Scored(judgement, explained, near=near, correct_at=correct_at, wrong_at=wrong_at)
    tables, kinds = scored.tables(scored_by, is_suspect=suspect is not None)
    can_repair = judgement.has_responses and judgement.has_targets and not is_same
    unit = _length_unit(judgement)
    cards = []
    if judgement.has_responses:
        cards = group_cards(
            judgement, explained, near_kinds(kinds, near), near=near, correct_at=correct_at, wrong_at=wrong_at
        )
    ...
