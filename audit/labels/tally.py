"""The labels of a sample put together: what each labelled prompt is, in which stratum, and how much it weighs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...diagnostics.stratified import StratumCounts, effective_counts
from .draws import Draw
from .sampling import StratumSize, stratum_sizes
from .store import Action
from .units import LabelStratum, Unit

__all__ = ["BAD", "RIGHT", "TARGET", "LabelledPrompt", "StratumLabels", "Tally", "tally", "truth_of"]

RIGHT, BAD, TARGET = "right", "wrong", "target_wrong"
"""What a labelled response is: right, in the format asked for or not; wrong; or of a wrong target, whatever it is."""

_TRUTH = {"c": RIGHT, "f": RIGHT, "w": BAD, "g": TARGET}


@dataclass(frozen=True, slots=True)
class LabelledPrompt:
    """What was labelled of one prompt in one stratum: the share of each truth among its rollouts, and its weight."""

    shares: Mapping[str, float]
    weight: float


@dataclass(frozen=True, slots=True)
class StratumLabels:
    """One stratum with its size, its settled prompts, and how many prompts stayed unsettled."""

    size: StratumSize
    prompts: Sequence[LabelledPrompt]
    unsettled: int

    def seen(self, truth: str) -> float:
        """Labelled prompts of that truth; not whole where several rollouts of a prompt were labelled."""
        return sum(prompt.shares.get(truth, 0.0) for prompt in self.prompts)

    def counts(self, truth: str) -> StratumCounts:
        """The same, as the unweighted sample that knows as much; needs a labelled prompt."""
        shares = [prompt.shares.get(truth, 0.0) for prompt in self.prompts]
        n, x = effective_counts(shares, [prompt.weight for prompt in self.prompts])
        return StratumCounts(self.size.n_rollouts, n, x)


@dataclass(frozen=True, slots=True)
class Tally:
    """All strata, and what became of the labelled rollouts: settled, unsure (all who labelled it), or disputed."""

    strata: Mapping[LabelStratum, StratumLabels]
    n_settled: int
    n_unsure: int
    n_disputed: int


def tally(draw: Draw, labels: Iterable[Action], units: Sequence[Unit] | None = None) -> Tally:
    """The labels by stratum.

    Annotators who are unsure do not vote; the majority of the others settles a rollout, an even split does not.

    Args:
        draw: the newest draw of a file of labels.
        labels: those that stand.
        units: every scored rollout of the file under other verdicts than those of the draw; None for the draw's.
    """
    truths, unsure, disputed = _truths(labels)
    stratum_of = {drawn.key: drawn.stratum for drawn in draw.sample}
    sizes = draw.strata
    if units is not None:
        sizes, current = stratum_sizes(units), {unit.key: unit.stratum for unit in units}
        stratum_of = {key: current[key] for key in stratum_of if key in current}
    settled: defaultdict[LabelStratum, defaultdict[str, list[tuple[str, float]]]]
    settled = defaultdict(lambda: defaultdict(list))
    unsettled: defaultdict[LabelStratum, set[str]] = defaultdict(set)
    weights = _weights(draw, truths)
    for drawn in draw.sample:
        if (stratum := stratum_of.get(drawn.key)) is None:
            continue
        if drawn.key in truths:
            settled[stratum][drawn.prompt_id].append((truths[drawn.key], weights[drawn.key]))
        elif drawn.key in unsure or drawn.key in disputed:
            unsettled[stratum].add(drawn.prompt_id)
    strata = {
        name: StratumLabels(size, [_prompt(votes) for votes in settled[name].values()], len(unsettled[name]))
        for name, size in sizes.items()
    }
    return Tally(strata, len(truths), len(unsure), len(disputed))


def truth_of(action: Action) -> str | None:
    """What one annotator says that the response is; None where they are unsure."""
    return _TRUTH.get(action.label or "")


def _truths(labels: Iterable[Action]) -> tuple[dict[str, str], set[str], set[str]]:
    """Item -> what most annotators say; items of which nobody is sure; items on which people are split."""
    said: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for action in labels:
        truth = truth_of(action)
        said[action.item].update([] if truth is None else [truth])
    truths, unsure, disputed = {}, set(), set()
    for item, votes in said.items():
        ranked = votes.most_common(2)
        if not ranked:
            unsure.add(item)
        elif len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
            disputed.add(item)
        else:
            truths[item] = ranked[0][0]
    return truths, unsure, disputed


def _weights(draw: Draw, truths: Mapping[str, str]) -> dict[str, float]:
    """1 / probability of each settled rollout, as if what is settled so far were all that had been drawn.

    It is a random part of what was drawn of its stratum, because that is labelled in random order.
    """
    drawn = Counter(one.stratum for one in draw.sample)
    settled = Counter(one.stratum for one in draw.sample if one.key in truths)
    return {
        one.key: drawn[one.stratum] / settled[one.stratum] / one.probability for one in draw.sample if one.key in truths
    }


def _prompt(votes: Sequence[tuple[str, float]]) -> LabelledPrompt:
    total = sum(weight for _, weight in votes)
    shares = {truth: sum(weight for vote, weight in votes if vote == truth) / total for truth, _ in votes}
    return LabelledPrompt(shares, total)
