"""How often the intervals of labelled samples hold the truth: coverage by simulation.

    python benchmarks/label_coverage.py [--populations 400] [--prompts 600]

The first table is the stratified estimator alone, on strata of given rates, beside the usual way with half an event in
every stratum. For the second whole files are made up (prompts with 8 rollouts, right and wrong together as an
intra-prompt correlation says), scored by a verifier with stated errors, put into strata, drawn from by
`audit.labels.draw` and estimated by `audit.reliability`; the truth is what the whole file holds. Printed for each case:
the true rate and the mean estimate, how often the interval held the truth, how often it lay above or below it, and its
mean width. A 95 % interval should hold it in about 95 of 100; the Monte Carlo error at 400 samples is 1.1.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rewardgate.audit.labels import Action, Draw, LabelStratum, Unit, draw, stratum_sizes
from rewardgate.audit.labels.reliability import reliability
from rewardgate.diagnostics.stratified import StratumCounts, stratified_rate

ROLLOUTS = 8
RATES = ("rejections in all-wrong groups", 'precision of "wrong"', 'precision of "correct"', "false-negative rate")


@dataclass
class Held:
    """What became of the intervals of one case."""

    truths: list[float] = field(default_factory=list)
    estimates: list[float] = field(default_factory=list)
    lows: list[float] = field(default_factory=list)
    highs: list[float] = field(default_factory=list)

    def add(self, truth: float, estimate: float, low: float, high: float) -> None:
        for numbers, number in zip(
            (self.truths, self.estimates, self.lows, self.highs), (truth, estimate, low, high), strict=True
        ):
            numbers.append(number)

    def cells(self) -> str:
        truth, low, high = np.array(self.truths), np.array(self.lows), np.array(self.highs)
        above, below = float(np.mean(truth < low - 1e-12)), float(np.mean(truth > high + 1e-12))
        means = (float(np.mean(truth)), float(np.mean(self.estimates)))
        return (
            f"{len(truth)} | {means[0]:.3f} | {means[1]:.3f} | {1 - above - below:.3f} | {above:.3f} | {below:.3f} | "
            f"{float(np.mean(high - low)):.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--populations", type=int, default=400)
    parser.add_argument("--prompts", type=int, default=600)
    options = parser.parse_args()
    print("| strata: share, rate, labels | way | samples | truth | estimate | held | above it | below it | width |")
    print("|" + " --- |" * 9)
    for shares, rates, labels in CASES:
        strata = "; ".join(f"{s:g}, {r:g}, {n}" for s, r, n in zip(shares, rates, labels, strict=True))
        for way, found in both_ways(shares, rates, labels, options.populations).items():
            print(f"| {strata} | {way} | {found.cells()} |", flush=True)
    print("\n| correlation | errors | labels | rate | files | truth | estimate | held | above it | below it | width |")
    print("|" + " --- |" * 11)
    for correlation in (0.05, 0.3, 0.9):
        for false_negative, n_labels in ((0.15, 59), (0.05, 200)):
            held = simulated(correlation, false_negative, n_labels, options.populations, options.prompts)
            for rate, found in held.items():
                name = f"{100 * false_negative:g} %"
                print(f"| {correlation} | {name} | {n_labels} | {rate} | {found.cells()} |", flush=True)


CASES: Sequence[tuple[Sequence[float], Sequence[float], Sequence[int]]] = (
    ((1,), (0.05,), (59,)),
    ((0.9, 0.1), (0.01, 0.5), (30, 30)),
    ((0.4, 0.3, 0.2, 0.1), (0.0, 0.02, 0.05, 0.6), (20, 20, 10, 10)),
    ((0.3, 0.3, 0.1, 0.1, 0.1, 0.1), (0.02,) * 6, (15, 10, 10, 8, 8, 8)),
    ((0.3, 0.3, 0.1, 0.1, 0.1, 0.1), (0.0, 0.0, 0.0, 0.0, 0.05, 0.0), (15, 10, 10, 8, 8, 8)),
    ((0.1, 0.9), (0.5, 0.05), (3, 57)),
    ((0.9, 0.1), (0.1, 0.1), (3, 57)),
)
"""Strata as shares of the population, the rate in each, and the labels of each; with x = 0 in most samples of some."""


def simulated(
    correlation: float, false_negative: float, n_labels: int, populations: int, n_prompts: int
) -> dict[str, Held]:
    """Coverage of the four rates over made-up files."""
    held: defaultdict[str, Held] = defaultdict(Held)
    for seed in range(populations):
        generator = np.random.default_rng([seed, n_labels])
        units, is_right = population(generator, correlation, false_negative, n_prompts)
        sample = draw(units, n_labels, seed=seed)
        kept = Draw("", "", "simulated", "", 1.0, seed, n_labels, 1, "", stratum_sizes(units), sample)
        labels = [
            Action(row, "", "ann", one.key, "c" if is_right[one.key] else "w", None, "", "", one.probability)
            for row, one in enumerate(sample)
        ]
        truths = true_rates(units, is_right)
        for rate in reliability(kept, labels, draws=2000, seed=seed).rates:
            if rate.name in RATES and rate.value is not None and rate.low is not None and rate.high is not None:
                held[rate.name].add(truths[rate.name], rate.value, rate.low, rate.high)
    return {name: held[name] for name in RATES if name in held}


def population(
    generator: np.random.Generator, correlation: float, false_negative: float, n_prompts: int
) -> tuple[list[Unit], dict[str, bool]]:
    """A file of rollouts with its strata, and which of them are right.

    A prompt's rate of right rollouts is a beta variable of mean 0.5 with this intra-prompt correlation. The verifier
    refuses right rollouts at the rate `false_negative`, by prompts (for half of the affected prompts all of them: a
    target that it cannot read) and by rollouts, and accepts wrong ones at 3 %. Seven of ten of its false negatives are
    flagged, and 5 % of all else.
    """
    spread = (1 - correlation) / correlation
    units, is_right = [], {}
    for prompt in range(n_prompts):
        rate = generator.beta(spread / 2, spread / 2)
        right = generator.random(ROLLOUTS) < rate
        is_unreadable = generator.random() < false_negative / 2
        refused = right & (is_unreadable | (generator.random(ROLLOUTS) < false_negative / 2))
        accepted = (right & ~refused) | (~right & (generator.random(ROLLOUTS) < 0.03))
        kind = "all_wrong" if not accepted.any() else "all_correct" if accepted.all() else "mixed"
        flagged = generator.random(ROLLOUTS) < np.where(refused, 0.7, 0.05)
        for rollout in range(ROLLOUTS):
            verdict = "correct" if accepted[rollout] else "wrong"
            unit = Unit(f"p{prompt}", rollout, f"p{prompt}", LabelStratum(verdict, kind, bool(flagged[rollout])))
            units.append(unit)
            is_right[unit.key] = bool(right[rollout])
    return units, is_right


def true_rates(units: Sequence[Unit], is_right: dict[str, bool]) -> dict[str, float]:
    """The rates of the whole population, counted."""
    wrong = [unit for unit in units if unit.stratum.verdict == "wrong"]
    correct = [unit for unit in units if unit.stratum.verdict == "correct"]
    dead = [unit for unit in wrong if unit.stratum.kind == "all_wrong"]

    def share(these: Sequence[Unit], *, right: bool) -> float:
        return sum(is_right[unit.key] is right for unit in these) / len(these) if these else float("nan")

    n_right = sum(is_right.values())
    refused = sum(is_right[unit.key] for unit in wrong)
    return dict(
        zip(
            RATES,
            (share(dead, right=False), share(wrong, right=False), share(correct, right=True), refused / n_right),
            strict=True,
        )
    )


def both_ways(shares: Sequence[float], rates: Sequence[float], labels: Sequence[int], samples: int) -> dict[str, Held]:
    """Coverage of our interval, and of one with half an event too many in every stratum at both ends."""
    generator = np.random.default_rng(7)
    held = {"ours": Held(), "half an event a stratum": Held()}
    truth = float(np.dot(shares, rates))
    sizes = [round(100_000 * share) for share in shares]
    for seed in range(samples):
        seen = generator.binomial(labels, rates)
        strata = [StratumCounts(size, n, int(x)) for size, n, x in zip(sizes, labels, seen, strict=True)]
        found = stratified_rate(strata, draws=2000, seed=seed)
        held["ours"].add(truth, found.value, *found.interval)
        drawn = generator.beta(seen + 0.5, np.array(labels) - seen + 0.5, size=(2000, len(labels))) @ np.array(shares)
        low, high = np.quantile(drawn, [0.025, 0.975])
        held["half an event a stratum"].add(
            truth, found.value, 0.0 if not seen.any() else float(low), 1.0 if (seen == labels).all() else float(high)
        )
    return held


if __name__ == "__main__":
    main()
