"""The ladder, as data: seven layers in the order in which repairs pay, and which of them to change first."""

from typing import Literal

from .evidence import Number, Part

__all__ = ["RUNGS", "Ladder", "Measure", "Rung", "RungName", "RungStatus"]

RungStatus = Literal["ok", "warn", "fail", "not measured"]
RungName = Literal[
    "verifier",
    "golds",
    "pools",
    "mixed-group supply",
    "exploration and bootstrap",
    "monitoring",
    "estimators",
]


class Measure(Part):
    """One number of a rung: what it is, what it is held against, and how it stands.

    `sentence` says it in words; `threshold` says from where it warns and fails.
    """

    name: str
    value: Number
    status: RungStatus
    sentence: str
    threshold: str


class Rung(Part):
    """One layer. Its status is the worst of its measures; `not measured` where there is none.

    `enable` says what would let it be measured, or measured in full; empty where nothing is missing.
    """

    name: RungName
    asks: str
    status: RungStatus
    measures: tuple[Measure, ...]
    enable: str = ""

    @property
    def deciding(self) -> Measure | None:
        """The measure that made the status: the first of the worst; None where nothing was measured."""
        return next((measure for measure in self.measures if measure.status == self.status), None)


class Ladder(Part):
    """The rungs, from the first to be mended to the last.

    `change_first` names the first rung that fails, or else the first that warns; None where none does. `sentence` says
    why, and which rungs below it nobody has measured: the fault may lie there.
    """

    rungs: tuple[Rung, ...]
    change_first: RungName | None
    sentence: str


RUNGS: tuple[tuple[RungName, str], ...] = (
    ("verifier", "does it pay what is right, and only that?"),
    ("golds", "do the targets hold?"),
    ("pools", "are the prompts at the right difficulty for this policy?"),
    ("mixed-group supply", "do sampled groups give advantages at all?"),
    ("exploration and bootstrap", "are there successes to learn from, or step credit that speaks truly?"),
    ("monitoring", "would anybody see it go wrong?"),
    ("estimators", "does the estimator weigh the groups that are left as it should?"),
)
"""Every rung and what it asks, in order."""
