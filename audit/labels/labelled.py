"""What people's labels of this file say of the verdicts under audit, old labels included."""

from collections.abc import Sequence
from pathlib import Path

from ..causes.explaining import Explained
from ..judging import Judgement
from ..report.reliability import Reliability
from . import LabelStore, draw_of, scored_units
from .reliability import reliability

__all__ = ["labelled_part"]


def labelled_part(
    labels: str | Path,
    file: Path,
    judgement: Judgement,
    explained: Sequence[Explained],
    *,
    correct_at: float,
    wrong_at: float,
    scored_by: str,
) -> Reliability:
    """The reliability of the verdicts of this audit, by the labels in the file `labels`.

    Labels given while another verifier was audited count too: each was drawn with a probability that is known.

    Raises:
        InputError: there is no such file, or its labels are of other rollouts than those in `file`.
    """
    with LabelStore(labels, must_exist=True) as store:
        return reliability(
            draw_of(store, file),
            store.current().values(),
            scored_units(judgement, explained, correct_at=correct_at, wrong_at=wrong_at),
            scored_by=scored_by,
        )
