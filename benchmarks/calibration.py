"""What the audit of a step scorer says of scorers whose truth is known, and what it costs.

    python benchmarks/calibration.py [STEPS.jsonl] [--rollouts ROLLOUTS.jsonl]

Four parts, about two minutes on one core:

1. coverage: how often the 95 % interval by problem holds the true AUC and the true accuracy, for scorers whose scores
   share an effect of their problem, and how often one does that takes steps for independent;
2. threshold: F1 at a threshold chosen on the problems that it is reported on, less F1 on fresh problems, and the same
   for a threshold chosen on the other half;
3. cost: seconds of processor time and peak memory by number of solutions;
4. STEPS: the figures of `arithmetic`, and of a scorer that throws dice, on labelled steps; with --rollouts, whether a
   gate with either would speak truly there.
"""

import argparse
import random
import resource
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from time import process_time

import numpy as np

from rewardgate.audit import audit
from rewardgate.audit.steps import audit_steps
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.calibration import (
    ScoredTrace,
    auc,
    best_threshold,
    cluster_interval,
    first_error_figures,
    is_chosen_on,
    weighted_auc,
)
from rewardgate.rollouts.reading import read
from rewardgate.rollouts.step_formats import read_steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", type=Path, nargs="?")
    parser.add_argument("--rollouts", type=Path, help="rollouts with mixed groups")
    parser.add_argument("--repeats", type=int, default=200, help="simulated files for parts 1 and 2")
    options = parser.parse_args()
    interval_coverage(options.repeats)
    optimism(options.repeats)
    cost()
    if options.steps:
        labelled(options.steps)
    if options.rollouts:
        gate(options.rollouts)


def simulated(n_problems: int, per_problem: int, *, seed: int, shared: float) -> list[ScoredTrace]:
    """Solutions of four steps; scores of a problem share an effect, whose variance is `shared` of the noise's."""
    draw = np.random.default_rng(seed)
    found = []
    for problem in range(n_problems):
        effect = draw.normal() * np.sqrt(shared)
        for _ in range(per_problem):
            first = int(draw.integers(-1, 4))
            is_right = np.ones(4) if first < 0 else (np.arange(4) < first).astype(float)
            noise = effect + draw.normal(size=4) * np.sqrt(1 - shared)
            values = 1 / (1 + np.exp(-(2 * is_right - 1 + noise)))
            labels = np.where(np.arange(4) > first, np.nan, is_right) if first >= 0 else is_right
            found.append(ScoredTrace(problem_id=str(problem), values=values, labels=labels, first_error=first))
    return found


def flat(traces: Sequence[ScoredTrace]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = np.concatenate([trace.values for trace in traces])
    labels = np.concatenate([trace.labels for trace in traces])
    problems = np.repeat([int(trace.problem_id) for trace in traces], 4)
    known = ~np.isnan(labels)
    return values[known], labels[known] == 1, problems[known]


def interval_coverage(repeats: int) -> None:
    print(f"1. intervals of the step AUC, {repeats} files of 40 problems × 6 solutions × 4 steps\n")
    print("| shared by a problem | by problem: covers, width | by step: covers, width |\n| --- | --- | --- |")
    for shared in (0.0, 0.3, 0.6):
        truth = auc(*flat(simulated(4_000, 6, seed=10**6, shared=shared))[:2])
        hits, widths = {"problem": 0, "step": 0}, {"problem": [], "step": []}
        for seed in range(repeats):
            values, is_right, problems = flat(simulated(40, 6, seed=seed, shared=shared))
            for unit, clusters in (("problem", problems), ("step", np.arange(len(values)))):
                n = int(clusters.max()) + 1
                found = cluster_interval(
                    lambda drawn, c=clusters, v=values, r=is_right: weighted_auc(v, r, drawn[:, c]),
                    n,
                    rows=4 * len(values),
                    resamples=200,
                )
                assert found is not None
                hits[unit] += found.low <= truth <= found.high
                widths[unit].append(found.high - found.low)
        cells = (f"{hits[unit] / repeats:.1%}, {mean(widths[unit]):.3f}" for unit in hits)
        print(f"| {shared:.0%} | {' | '.join(cells)} |")
    print()


def optimism(repeats: int) -> None:
    print(f"2. F1 less F1 of the same threshold on 1,000 fresh problems, mean of {repeats} files\n")
    print("| problems | chosen on what is reported | chosen on the other half |\n| --- | --- | --- |")
    fresh = simulated(1_000, 1, seed=10**6, shared=0.3)
    for n_problems in (20, 60, 200):
        same, other = [], []
        for seed in range(repeats):
            traces = simulated(n_problems, 1, seed=seed, shared=0.3)
            side = is_chosen_on([trace.problem_id for trace in traces], seed=0)
            half = [trace for trace, is_chosen in zip(traces, side, strict=True) if is_chosen]
            rest = [trace for trace, is_chosen in zip(traces, side, strict=True) if not is_chosen]
            if any(len({trace.first_error == -1 for trace in part}) < 2 for part in (half, rest)):
                continue
            at = best_threshold(traces)
            same.append(first_error_figures(traces, at).f1 - first_error_figures(fresh, at).f1)
            at = best_threshold(half)
            other.append(first_error_figures(rest, at).f1 - first_error_figures(fresh, at).f1)
        print(f"| {n_problems} | {mean(same):+.3f} | {mean(other):+.3f} |")
    print()


def cost() -> None:
    print("3. cost of the interval of a step AUC, 1,000 draws, and of a threshold\n")
    print("| solutions | steps | s of processor time | peak memory, MB |\n| --- | --- | --- | --- |")
    for n in (1_000, 10_000, 50_000):
        traces = simulated(n, 1, seed=0, shared=0.3)
        started = process_time()
        values, is_right, problems = flat(traces)
        cluster_interval(
            lambda drawn, v=values, r=is_right, c=problems: weighted_auc(v, r, drawn[:, c]), n, rows=4 * len(values)
        )
        best_threshold(traces)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {n} | {len(values)} | {process_time() - started:.1f} | {peak:.0f} |")
    print()


class Dice:
    """A scorer that knows nothing."""

    version = "1"

    def __init__(self) -> None:
        self._random = random.Random(0)

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        return [[StepScore(self._random.random(), "thrown", "") for _ in row.steps] for row in rows]


def labelled(path: Path) -> None:
    print(f"4. on {path.name}\n")
    for scorer in ("arithmetic", Dice()):
        report = audit_steps(read_steps(path), scorer=scorer)
        print(f"{report.scorer}: {report.headline}; {report.seconds:.1f} s")
        for row in report.aggregates:
            if row.stratum == "all":
                low, high = row.auc_low or 0.0, row.auc_high or 0.0
                print(f"  {row.truth}, {row.aggregate}: AUC {row.auc:.3f} [{low:.3f}, {high:.3f}]")
    print()


def gate(path: Path) -> None:
    print(f"gates on {path.name}\n")
    for scorer in ("arithmetic", Dice()):
        report = audit(read(path), scorer=scorer)
        assert report.ladder is not None
        print(report.ladder.rungs[4].measures[-1].sentence)


if __name__ == "__main__":
    main()
