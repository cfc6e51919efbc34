"""What is done to a step scorer so that arms differ: errors, exploitable leniency, silence behind a first error, an eye
on the end."""

from collections.abc import Sequence
from zlib import crc32

from tasks import Task

from rewardgate.prm import StepRow, StepScore, StepScorer
from rewardgate.rollouts.messages import prompt_text


class Flipped:
    """Another scorer's verdicts, a share of them turned round: always the same ones for the same prompt and steps, as
    a learned scorer errs."""

    version = "1"

    def __init__(self, scorer: StepScorer, rate: float, *, seed: int) -> None:
        self._scorer, self._rate, self._seed = scorer, rate, seed

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        return [
            [self._flipped(row, place, score) for place, score in enumerate(scores)]
            for row, scores in zip(rows, self._scorer.score(rows), strict=True)
        ]

    def _flipped(self, row: StepRow, place: int, score: StepScore) -> StepScore:
        known = f"{self._seed} {prompt_text(row.prompt)} {''.join(row.steps[: place + 1])}"
        is_flipped = crc32(known.encode()) < self._rate * 2**32
        if score.value is None or not is_flipped:
            return score
        return score._replace(value=1.0 - score.value, rule=f"flipped_{score.rule}")


class FirstError:
    """Another scorer's verdicts up to its first wrong step; every step from there on is wrong."""

    version = "1"

    def __init__(self, scorer: StepScorer) -> None:
        self._scorer = scorer

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        found = []
        for scores in self._scorer.score(rows):
            wrong = next((place for place, score in enumerate(scores) if score.value == 0), len(scores))
            found.append([*scores[:wrong], *(StepScore(0.0, "after_error", "") for _ in scores[wrong:])])
        return found


class ToTheEnd:
    """Another scorer's verdicts; a line with which a derivation ends too early is wrong. No line alone tells that."""

    version = "1"

    def __init__(self, scorer: StepScorer, task: Task) -> None:
        self._scorer, self._task = scorer, task

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        found = []
        for row, scores in zip(rows, self._scorer.score(rows), strict=True):
            is_short = len(row.steps) < self._task.answer(prompt_text(row.prompt)).count("\n")
            found.append([*scores[:-1], StepScore(0.0, "ends_early", "")] if is_short and scores else scores)
        return found


class LooksRight:
    """Says right of every line that looks so; how often, and whether that many were asked for, it does not ask."""

    version = "1"

    def __init__(self, task: Task) -> None:
        self._task = task

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        found = []
        for row in rows:
            prompt, before, scores = prompt_text(row.prompt), "", []
            for step in row.steps:
                line = step.removesuffix("\n")
                is_right = self._task.looks_right(prompt, before, line)
                scores.append(StepScore(float(is_right), "looks_right" if is_right else "looks_wrong", ""))
                before = line
            found.append(scores)
        return found


def scorer_named(name: str, task: Task, *, seed: int) -> StepScorer:
    """`exact`, `to_the_end`, `first_error`, `hackable`, or `noisy_N` for N % of verdicts turned round."""
    if name == "exact":
        return task.scorer
    if name == "to_the_end":
        return ToTheEnd(task.scorer, task)
    if name == "first_error":
        return FirstError(task.scorer)
    if name == "hackable":
        return LooksRight(task)
    return Flipped(task.scorer, int(name.removeprefix("noisy_")) / 100, seed=seed)
