"""Running totals modulo 100, from a teacher that forgets carries: a task that a small policy learns on a CPU.

The prompt `47+8+3+9=` asks for one total a line, `55`, `58`, `67`. The teacher whose answers the policy was fine-tuned
on forgets four carries of five (`45` for 47 + 8). So the right line is there, in the minority: a prompt with four
carries is solved once in 0.2^-4 = 625 samples, nearly every group is all wrong, and each line is right or wrong by
itself.
"""

from collections.abc import Sequence
from random import Random

from rewardgate.prm import StepRow, StepScore
from rewardgate.rollouts.messages import completion_text, prompt_text
from rewardgate.verifiers.base import Completion, Outcome, Prompt, Target, Verdict

ALPHABET = "0123456789+=\n"


def prompt(random: Random, *, additions: int = 5, carries: int | None = None) -> str:
    """Two digits and `additions` one-digit operands, of which exactly `carries` carry; None: as chance has it."""
    while True:
        total, operands = random.randint(10, 99), []
        carry = set(random.sample(range(additions), carries)) if carries is not None else None
        for place in range(additions):
            room = 10 - total % 10  # from this operand on there is a carry
            first, last = (1, 9) if carry is None else (room, 9) if place in carry else (1, min(room - 1, 9))
            if first > last:
                break
            operands.append(random.randint(first, last))
            total += operands[-1]
        else:
            return "+".join(map(str, [total - sum(operands), *operands])) + "="


def totals(prompt: str) -> list[str]:
    """The right lines."""
    start, *operands = map(int, prompt.rstrip("=").split("+"))
    return [f"{(start + sum(operands[: place + 1])) % 100:02d}" for place in range(len(operands))]


def answer(prompt: str) -> str:
    """The right completion."""
    return "".join(f"{line}\n" for line in totals(prompt))


def taught(prompt: str, random: Random, *, fault_rate: float = 0.8) -> str:
    """The teacher's completion: each carry is forgotten with that probability."""
    total, *operands = map(int, prompt.rstrip("=").split("+"))
    lines = []
    for operand in operands:
        forgets = total % 10 + operand >= 10 and random.random() < fault_rate
        total = (total + operand - 10 * forgets) % 100
        lines.append(f"{total:02d}\n")
    return "".join(lines)


class WholeDerivation:
    """Verifier: every line must be that of the target, the right completion, as a proof checker would have it."""

    version = "1"

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        if not isinstance(target, str) or not target.strip():
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=f"expected lines, got {target!r}")
        given, right = completion_text(completion), target
        if given == right:
            return Verdict(Outcome.CORRECT, 1.0, given, (0, len(given)), "same_lines", "")
        if not given.strip():
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_lines")
        lines, wanted = given.split("\n"), right.split("\n")
        place = next((place for place, pair in enumerate(zip(lines, wanted, strict=False)) if pair[0] != pair[1]), None)
        detail = "too few or too many lines" if place is None else f"line {place + 1}: {lines[place][:20]!r}"
        return Verdict(Outcome.INCORRECT, 0.0, given, (0, len(given)), "other_line", detail)


class LineByLine:
    """Step scorer: a line is right where it is the completion's own line before it plus the next operand.

    Example:
        >>> row = StepRow("47+8+3=", ("45\\n", "48\\n", "99\\n"))
        >>> [(score.value, score.detail) for score in LineByLine().score([row])[0]]
        [(0.0, '47 + 8 = 55, not 45'), (1.0, ''), (0.0, 'there is no such operand')]
    """

    version = "1"

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        return [self._lines(prompt_text(row.prompt), row.steps) for row in rows]

    def _lines(self, prompt: str, steps: Sequence[str]) -> list[StepScore]:
        before, *operands = prompt.rstrip("=").split("+")
        scores = []
        for place, step in enumerate(steps):
            line = step.removesuffix("\n")
            if place >= len(operands):
                scores.append(StepScore(0.0, "no_such_operand", "there is no such operand"))
            elif not (len(before) == 2 and before.isdigit()):
                scores.append(StepScore(0.0, "no_total", f"{before[:20]!r} is no total to add to"))
            elif line == (right := f"{(int(before) + int(operands[place])) % 100:02d}"):
                scores.append(StepScore(1.0, "sum_holds", ""))
            else:
                detail = f"{before} + {operands[place]} = {right}, not {line[:20]}"
                scores.append(StepScore(0.0, "wrong_sum", detail))
            before = line
        return scores
