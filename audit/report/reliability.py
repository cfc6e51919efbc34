"""The part of the report that people's labels fill: how often a verdict is right."""

from collections.abc import Mapping

from .evidence import Number, Part

__all__ = ["Agreement", "Conclusion", "LabelledStratum", "Rate", "Reliability"]


class Rate(Part):
    """One rate with its interval, or why there is none.

    `x` of `n` labelled prompts have the event (`x` is not whole where people labelled several rollouts of a prompt);
    `value` weighs strata by their size, so that it need not be x / n. `low` and `high` are two-sided. `bound` is
    one-sided and exact, and there only where no label, or every one, has the event: `bound_side` says which side.
    `not_estimable` is empty where the rate is estimated.
    """

    name: str
    question: str
    n: int
    x: float
    value: Number
    low: Number
    high: Number
    bound: Number = None
    bound_side: str = ""
    not_estimable: str = ""


class LabelledStratum(Part):
    """One stratum: what it holds, and what its labels say. Prompts are counted, not labels.

    `right`, `wrong` and `target_wrong` are shares of `n`; `unsettled` prompts (unsure, or disputed) are in none.
    `low` and `high` bound `agrees`, the share whose verdict is right; `misjudged` is the share of right responses
    scored wrong, or of wrong ones scored right, with its own interval.
    """

    name: str
    n_rollouts: int
    n_prompts: int
    n: int
    right: Number
    wrong: Number
    target_wrong: Number
    unsettled: int
    agrees: Number
    low: Number
    high: Number
    misjudged: Number
    misjudged_low: Number
    misjudged_high: Number


class Agreement(Part):
    """How far the annotators agree on what several of them labelled; `unsure` is no label here."""

    annotators: Mapping[str, int]
    n_items: int
    n_labels: int
    raw: Number
    alpha: Number


class Conclusion(Part):
    """Which side of `threshold` a rate is on, and how many prompts more would change that.

    `side` is `above`, `below` or `open`. `more_to_decide`: further prompts at the same rate after which it is no longer
    open. `more_to_overturn`: further prompts, every one against it, after which it is open again. None where no number
    would do, or the question does not arise.
    """

    name: str
    threshold: float
    side: str
    more_to_decide: int | None
    more_to_overturn: int | None


class Reliability(Part):
    """How reliable the verdicts are, by people's labels of a sample of them.

    `headline` is a sentence with its numbers, or says that nothing was measured. `labels` counts by label, as given;
    `n_disputed` counts rollouts on which people are split evenly, `n_unsure` those that nobody is sure of.
    """

    headline: str
    scored_by: str
    confidence: float
    method: str
    unit: str
    n_drawn: int
    n_labelled: int
    n_unsure: int
    n_disputed: int
    labels: Mapping[str, int]
    rates: tuple[Rate, ...]
    strata: tuple[LabelledStratum, ...]
    agreement: Agreement
    conclusions: tuple[Conclusion, ...]
    notes: tuple[str, ...] = ()
