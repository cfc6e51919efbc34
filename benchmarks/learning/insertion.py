"""Insertion of letters into an ordered string, from a teacher that stops one place early: the second task.

The prompt `dbcae=` asks for the ordered string after each further letter: `bd`, `bcd`, `abcd`, `abcde`. A letter that
must move past m others is moved past m - 1 of them by the teacher, four times in five. Steps grow, and are strings.
"""

from collections.abc import Sequence
from random import Random

from rewardgate.prm import StepRow, StepScore
from rewardgate.rollouts.messages import prompt_text

LETTERS = "abcdefghijklmnop"
ALPHABET = LETTERS + "=\n"


def prompt(random: Random, *, letters: int = 5, moves: int | None = None) -> str:
    """Letters without repetition; exactly `moves` of those after the first have to move. None: as chance has it."""
    while True:
        drawn = random.sample(LETTERS, letters)
        moving = sum(letter < max(drawn[:place]) for place, letter in enumerate(drawn) if place)
        if moves is None or moving == moves:
            return "".join(drawn) + "="


def inserted(before: str, letter: str) -> str:
    """`letter` in front of the first one that comes after it: in order wherever `before` is."""
    place = next((place for place, other in enumerate(before) if other > letter), len(before))
    return before[:place] + letter + before[place:]


def answer(prompt: str) -> str:
    """The right completion."""
    line, *letters = prompt.rstrip("=")
    return "".join(f"{(line := inserted(line, letter))}\n" for letter in letters)


def taught(prompt: str, random: Random, *, fault_rate: float = 0.8) -> str:
    """The teacher's completion. What a fault left out of order stays so: the next letter is put by the same rule."""
    line, *letters = prompt.rstrip("=")
    lines = []
    for letter in letters:
        right = inserted(line, letter)
        place = right.index(letter)
        if place < len(line) and random.random() < fault_rate:
            line = line[: place + 1] + letter + line[place + 1 :]
        else:
            line = right
        lines.append(f"{line}\n")
    return "".join(lines)


class LetterByLetter:
    """Step scorer: a line is right where the next letter stands in the completion's own line before it as it should."""

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        return [self._lines(prompt_text(row.prompt), row.steps) for row in rows]

    def _lines(self, prompt: str, steps: Sequence[str]) -> list[StepScore]:
        before, *letters = prompt.rstrip("=")
        scores = []
        for place, step in enumerate(steps):
            line = step.removesuffix("\n")
            if place >= len(letters):
                scores.append(StepScore(0.0, "no_such_letter", "there is no such letter"))
            elif line == (right := inserted(before, letters[place])):
                scores.append(StepScore(1.0, "in_place", ""))
            else:
                scores.append(StepScore(0.0, "out_of_place", f"{letters[place]} into {before[:20]} gives {right[:20]}"))
            before = line
        return scores
