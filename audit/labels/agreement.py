"""How far people who label the same things agree, beyond what chance would give them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Agreed", "agreement"]


@dataclass(frozen=True, slots=True)
class Agreed:
    """Agreement on the things that at least two people labelled.

    Args:
        n_items: such things.
        n_labels: labels of them.
        raw: share of pairs of labels of one thing that are the same, each thing with as many votes as labels;
            None where there is nothing to compare.
        alpha: Krippendorff's for nominal labels: 1 is agreement, 0 what chance gives, below it worse than chance;
            None where all labels are the same, so that chance could not have told them apart either.
    """

    n_items: int
    n_labels: int
    raw: float | None
    alpha: float | None


def agreement(labels: Iterable[Sequence[Hashable]]) -> Agreed:
    """The agreement of labels, whoever gave them.

    Args:
        labels: for every thing its labels, one a person who gave one, in any order. Things with fewer than two are
            left out.

    Source:
        Krippendorff 2011, "Computing Krippendorff's alpha-reliability", nominal data with missing labels.

    Example:
        >>> found = agreement([["c", "c"], ["w", "w"], ["c", "w"], ["w"]])
        >>> found.n_items, round(found.raw, 3), round(found.alpha, 3)
        (3, 0.667, 0.444)
    """
    things = [Counter(one) for one in labels if len(one) > 1]
    n_labels = sum(thing.total() for thing in things)
    if not things:
        return Agreed(0, 0, None, None)
    # A thing with m labels has m (m - 1) ordered pairs, each of weight 1 / (m - 1): m in all.
    same = sum(sum(count * (count - 1) for count in thing.values()) / (thing.total() - 1) for thing in things)
    totals = Counter[Hashable]()
    for thing in things:
        totals.update(thing)
    observed = 1 - same / n_labels
    # Pairs of different labels among all that were given, drawn without replacement
    different = n_labels * n_labels - sum(count * count for count in totals.values())
    expected = different / (n_labels * (n_labels - 1))
    return Agreed(len(things), n_labels, same / n_labels, None if expected == 0 else 1 - observed / expected)
