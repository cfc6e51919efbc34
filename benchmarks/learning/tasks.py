"""The two tasks behind one face: prompts by difficulty, right answers, a faulty teacher, a step scorer."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import insertion
import totals

from rewardgate.prm import StepScorer

HELD_OUT_SEED = 7_000_000


@dataclass(frozen=True)
class Task:
    """A kind of prompt and everything that is known of it.

    Args:
        alphabet: of prompts and completions.
        prompt: (random, difficulty, more) -> a prompt with that many hard steps (None: as chance has it) and `more`
            steps than usual.
        answer: the right completion of a prompt.
        taught: the faulty teacher's.
        scorer: judges every line by the one before it.
        looks_right: (prompt, line before, line) -> what somebody might take for a right line; can be exploited.
        max_tokens: of a completion: what the right one needs, and room to run on.
    """

    name: str
    alphabet: str
    prompt: Callable[[Random, int | None, int], str]
    answer: Callable[[str], str]
    taught: Callable[[str, Random], str]
    scorer: StepScorer
    looks_right: Callable[[str, str, str], bool]
    max_tokens: int


def _growing(prompt: str, before: str, line: str) -> bool:
    """A running total grows. It is not asked by how much, nor how often."""
    start = before or prompt.split("+")[0]
    return line.isdigit() and start.isdigit() and len(line) == 2 and line > start


def _ordered(prompt: str, before: str, line: str) -> bool:
    """Letters in order. It is not asked which, nor how many."""
    return len(line) > 1 and line.isalpha() and list(line) == sorted(line)


TASKS = {
    "totals": Task(
        name="totals",
        alphabet=totals.ALPHABET,
        prompt=lambda random, hard, more: totals.prompt(random, additions=5 + more, carries=hard),
        answer=totals.answer,
        taught=totals.taught,
        scorer=totals.LineByLine(),
        looks_right=_growing,
        max_tokens=24,
    ),
    "insertion": Task(
        name="insertion",
        alphabet=insertion.ALPHABET,
        prompt=lambda random, hard, more: insertion.prompt(random, letters=5 + more, moves=hard),
        answer=insertion.answer,
        taught=insertion.taught,
        scorer=insertion.LetterByLetter(),
        looks_right=_ordered,
        max_tokens=28,
    ),
}


def task_of(checkpoint: str) -> Task:
    """Checkpoints are named by their task and their seed: `totals0`."""
    return TASKS[checkpoint.rstrip("0123456789")]


@dataclass(frozen=True)
class HeldOut:
    """Prompts that no run trains on, in parts that share none. `usual`: of the trained difficulty."""

    curve: list[str]
    tuning: list[str]
    usual: list[str]
    natural: list[str]
    longer: list[str]

    @property
    def all(self) -> set[str]:
        return {*self.curve, *self.tuning, *self.usual, *self.natural, *self.longer}


def held_out(task: Task, difficulty: int) -> HeldOut:
    """The same prompts for every arm and seed."""
    random, seen = Random(HELD_OUT_SEED + difficulty), set[str]()

    def fresh(count: int, hard: int | None, more: int = 0) -> list[str]:
        found: list[str] = []
        while len(found) < count:
            prompt = task.prompt(random, hard, more)
            if prompt not in seen:
                seen.add(prompt)
                found.append(prompt)
        return found

    return HeldOut(
        curve=fresh(64, difficulty),
        tuning=fresh(128, difficulty),
        usual=fresh(192, difficulty),
        natural=fresh(96, None),
        longer=fresh(64, None, 1),
    )


def training_prompts(task: Task, difficulty: int, seed: int, excluded: set[str]) -> Callable[[], str]:
    """An endless supply of fresh prompts, none of them held out."""
    random = Random(seed)

    def draw() -> str:
        while True:
            prompt = task.prompt(random, difficulty, 0)
            if prompt not in excluded:
                return prompt

    return draw
