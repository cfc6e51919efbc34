"""From judged rollouts to explained ones: targets tested, clues gathered, a cause for each that was scored wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...verifiers.base import Verifier
from ..golds.verifying import GoldTest, gold_test
from ..judging import Judgement
from .clues import gather_clues
from .deciding import Clues
from .explaining import Explained, explain

__all__ = ["Examined", "examine"]


@dataclass(frozen=True, slots=True)
class Examined:
    """What an audit, and the sample to label, are made of. `golds` is None in a file without targets."""

    golds: GoldTest | None
    clues: Clues
    explained: Sequence[Explained]


def examine(
    judgement: Judgement, *, suspect: Verifier | None, referee: Verifier, correct_at: float, wrong_at: float
) -> Examined:
    """Test the targets with the verifier under audit, else the referee, and explain every rollout.

    Args:
        judgement: all groups.
        suspect: the verifier under audit; None audits the rewards as logged.
        referee: whom it is compared with.
        correct_at, wrong_at: as in `audit`.
    """
    golds = None
    if judgement.has_targets:
        golds = gold_test(judgement, suspect or referee, is_suspect=suspect is not None, correct_at=correct_at)
    clues = gather_clues(judgement, golds, suspect, correct_at=correct_at)
    return Examined(golds, clues, explain(judgement, clues, correct_at=correct_at, wrong_at=wrong_at))
