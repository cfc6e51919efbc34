"""How reliable verdicts are, estimated from people's labels of a sample drawn with known probabilities.

A label says what the response is worth, not what the verdict was: so labels stay good when the verifier is
repaired, and are then weighed within the strata of the new verdicts by the probabilities of the old draw.

What counts as right: `correct`, and `right, but not in the format asked for`. A verdict on a response whose target is
wrong is not right, whichever it was: such labels count against both, and in no rate of false negatives or positives.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...diagnostics.deciding import labels_to_decide, labels_to_overturn, side_of
from ...diagnostics.groups import GroupKind
from ...diagnostics.stratified import effective_counts, stratified_rate, stratified_ratio, zero_event_bound
from ..report.reliability import Agreement, Conclusion, LabelledStratum, Rate, Reliability
from .agreement import agreement
from .draws import Draw
from .store import LABELS, Action
from .tally import BAD, RIGHT, TARGET, StratumLabels, tally, truth_of
from .units import CORRECT, WRONG, LabelStratum, Unit

__all__ = ["reliability"]

_SIDES = {1: "above", -1: "below", 0: "open"}
_Strata = Mapping[LabelStratum, StratumLabels]


class _Options(NamedTuple):
    """Of `stratified_rate`."""

    confidence: float
    draws: int
    seed: int


def reliability(
    draw: Draw,
    labels: Iterable[Action],
    units: Sequence[Unit] | None = None,
    *,
    scored_by: str | None = None,
    threshold: float = 0.95,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> Reliability:
    """What the labels say of the verdicts.

    Args:
        draw: the newest draw of a file of labels.
        labels: those that stand (`LabelStore.current().values()`).
        units: every scored rollout of the same file under the verdicts to be judged; None for the verdicts that
            the sample was drawn by.
        scored_by: what gave the verdicts of `units`; None for what the draw says.
        threshold: what `conclusions` compare the two precisions and the headline's rate with, in (0, 1).
        confidence: in (0, 1), of two-sided intervals and of one-sided bounds.
        draws, seed: what intervals are made from, as in `stratified_rate`.

    Raises:
        ArgumentError: numbers outside those ranges.
    """
    labels = list(labels)
    found = tally(draw, labels, units)
    strata = found.strata
    options = _Options(confidence, draws, seed)
    rates = _rates(strata, options)
    headline = rates[0]
    return Reliability(
        headline=_headline(headline, confidence),
        scored_by=draw.scored_by if scored_by is None else scored_by,
        confidence=confidence,
        method="stratified by verdict, kind of group and doubt; strata weighed by their rollouts, rollouts by 1 / "
        "probability; draws from beta posteriors, two-sided",
        unit="prompt",
        n_drawn=len(draw.sample),
        n_labelled=found.n_settled,
        n_unsure=found.n_unsure,
        n_disputed=found.n_disputed,
        labels=dict(Counter(LABELS[action.label] for action in labels if action.label is not None)),
        rates=tuple(rates),
        strata=tuple(_stratum_part(name, one, options) for name, one in strata.items()),
        agreement=_agreement(labels),
        conclusions=tuple(_conclusions(strata, threshold, confidence)),
        notes=tuple(_notes(draw, strata, units)),
    )


def _rates(strata: _Strata, options: _Options) -> list[Rate]:
    wrong = {name: one for name, one in strata.items() if name.verdict == WRONG}
    correct = {name: one for name, one in strata.items() if name.verdict == CORRECT}
    dead = {name: one for name, one in wrong.items() if name.kind == GroupKind.ALL_WRONG}
    return [
        _plain(
            "rejections in all-wrong groups",
            "of the rejections inside all-wrong groups, truly wrong",
            dead,
            BAD,
            options,
        ),
        _plain('precision of "wrong"', "of the rollouts scored wrong, truly wrong", wrong, BAD, options),
        _plain('precision of "correct"', "of the rollouts scored correct, truly right", correct, RIGHT, options),
        _ratio("false-negative rate", "of the right rollouts, scored wrong", wrong, correct, RIGHT, options),
        _ratio("false-positive rate", "of the wrong rollouts, scored correct", correct, wrong, BAD, options),
    ]


def _plain(name: str, question: str, strata: _Strata, truth: str, options: _Options) -> Rate:
    """The share of `truth` in `strata`."""
    n, x = sum(len(one.prompts) for one in strata.values()), sum(one.seen(truth) for one in strata.values())
    if why := _missing(strata):
        return _no_rate(name, question, n, x, why)
    counts = [one.counts(truth) for one in strata.values()]
    found = stratified_rate(counts, **options._asdict())
    bound, side = None, ""
    if x == 0:
        bound, side = zero_event_bound(counts, confidence=options.confidence), "at most"
    elif x == n:
        bound, side = 1 - zero_event_bound(counts, confidence=options.confidence), "at least"
    low, high = found.interval
    return Rate(
        name=name, question=question, n=n, x=x, value=found.value, low=low, high=high, bound=bound, bound_side=side
    )


def _ratio(name: str, question: str, part: _Strata, rest: _Strata, truth: str, options: _Options) -> Rate:
    """Of all that is of that `truth`, the share in `part`."""
    x = sum(one.seen(truth) for one in part.values())
    n = x + sum(one.seen(truth) for one in rest.values())
    why = _missing({**part, **rest})
    if not why and n == 0:
        why = f"no labelled prompt is {truth}"
    if why:
        return _no_rate(name, question, round(n), x, why)
    own, other = ([one.counts(truth) for one in strata.values()] for strata in (part, rest))
    if not own:
        return Rate(name=name, question=question, n=round(n), x=x, value=0.0, low=0.0, high=0.0)
    found = stratified_ratio(own, other, **options._asdict())
    low, high = found.interval
    return Rate(name=name, question=question, n=round(n), x=x, value=found.value, low=low, high=high)


def _no_rate(name: str, question: str, n: int, x: float, why: str) -> Rate:
    return Rate(name=name, question=question, n=n, x=x, value=None, low=None, high=None, not_estimable=why)


def _missing(strata: _Strata) -> str:
    """Why a rate over `strata` cannot be estimated; empty where it can."""
    if not strata:
        return "there are none in this file"
    without = [str(name) for name, one in strata.items() if not one.prompts]
    return f"no label in {', '.join(without)}" if without else ""


def _headline(rate: Rate, confidence: float) -> str:
    if rate.not_estimable:
        return f"{rate.question}: not measured ({rate.not_estimable})"
    said = (
        f"of the rejections inside all-wrong groups, {rate.x:g} of {rate.n} labelled prompts are truly wrong: "
        f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}] ({100 * confidence:g} %, two-sided)"
    )
    return f"{said}; {rate.bound_side} {rate.bound:.3f} (one-sided, exact)" if rate.bound is not None else said


def _stratum_part(name: LabelStratum, one: StratumLabels, options: _Options) -> LabelledStratum:
    agrees, against = (RIGHT, BAD) if name.verdict == CORRECT else (BAD, RIGHT)
    numbers: dict[str, float | None] = dict.fromkeys(
        ("right", "wrong", "target_wrong", "agrees", "low", "high", "misjudged", "misjudged_low", "misjudged_high")
    )
    if one.prompts:
        found = {truth: one.counts(truth) for truth in (RIGHT, BAD, TARGET)}
        good, bad = (stratified_rate([found[truth]], **options._asdict()) for truth in (agrees, against))
        numbers |= {truth: counts.x / counts.n for truth, counts in found.items()} | {
            "agrees": good.value,
            "low": good.interval.low,
            "high": good.interval.high,
            "misjudged": bad.value,
            "misjudged_low": bad.interval.low,
            "misjudged_high": bad.interval.high,
        }
    return LabelledStratum(
        name=str(name),
        n_rollouts=one.size.n_rollouts,
        n_prompts=one.size.n_prompts,
        n=len(one.prompts),
        unsettled=one.unsettled,
        **numbers,
    )


def _conclusions(strata: _Strata, threshold: float, confidence: float) -> Iterator[Conclusion]:
    """Of the rates that people act on: on which side of the threshold, and how firmly."""
    for name, verdict, truth, kind in (
        ("rejections in all-wrong groups", WRONG, BAD, GroupKind.ALL_WRONG),
        ('precision of "wrong"', WRONG, BAD, None),
        ('precision of "correct"', CORRECT, RIGHT, None),
    ):
        own = {key: one for key, one in strata.items() if key.verdict == verdict and kind in (None, key.kind)}
        if _missing(own):
            continue
        # All strata as one sample: a prompt's weight is its stratum's share over the stratum's labels.
        shares, weights = [], []
        for one in own.values():
            total = sum(prompt.weight for prompt in one.prompts)
            shares += [prompt.shares.get(truth, 0.0) for prompt in one.prompts]
            weights += [one.size.n_rollouts * prompt.weight / total for prompt in one.prompts]
        n, x = effective_counts(shares, weights)
        side = side_of(threshold, n, x, confidence=confidence)
        yield Conclusion(
            name=name,
            threshold=threshold,
            side=_SIDES[side],
            more_to_decide=labels_to_decide(n, x, threshold=threshold, confidence=confidence) if side == 0 else None,
            more_to_overturn=labels_to_overturn(n, x, threshold=threshold, confidence=confidence),
        )


def _agreement(labels: Sequence[Action]) -> Agreement:
    by_item: defaultdict[str, list[str]] = defaultdict(list)
    for action in labels:
        if (truth := truth_of(action)) is not None:
            by_item[action.item].append(truth)
    found = agreement(by_item.values())
    return Agreement(
        annotators=dict(Counter(action.annotator for action in labels)),
        n_items=found.n_items,
        n_labels=found.n_labels,
        raw=found.raw,
        alpha=found.alpha,
    )


def _notes(draw: Draw, strata: _Strata, units: Sequence[Unit] | None) -> Iterator[str]:
    if units is not None:
        current = {unit.key: unit.stratum.verdict for unit in units}
        changed = sum(current.get(one.key, one.stratum.verdict) != one.stratum.verdict for one in draw.sample)
        if changed:
            yield f"{changed} of the {len(draw.sample)} drawn rollouts have another verdict than when they were drawn"
    unsettled = sum(one.unsettled for one in strata.values())
    if unsettled:
        yield f"{unsettled} prompts are in no rate: nobody is sure of them, or people are split"
