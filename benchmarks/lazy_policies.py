r"""What policies earn that never solve anything: fixed texts, the prompt given back, all its numbers, all options.

    python benchmarks/lazy_policies.py PROBLEMS.jsonl [--limit 10] [--ours-only] [--json OUT.json]

PROBLEMS has one JSON object a line: question, and answer (of a worked solution the text after its last `####`). Every
strategy answers every problem, and `math` and `auto`, each without and with the prompt handed over, and math-verify as
it is recommended, in a killable worker, say what they pay. Prints, for each strategy, `paid (gold)`:

    paid    problems of which the answer was accepted; the mean reward is this over the number of problems
    gold    of them those where the strategy happened to commit to the gold itself, text or value; a constant does
            where the gold is that constant, and so may a number of the prompt; who is paid for more pays a lazy policy

then every row that ours paid for something else than the gold, each to be looked at by a person.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

from lazy_strategies import Strategy, strategies

from rewardgate.errors import WorkerError
from rewardgate.verifiers import get
from rewardgate.verifiers.isolation import Workers

PEER = "math-verify"
OURS = ("math", "auto")


@dataclass(frozen=True)
class Problem:
    """A prompt and its gold answer."""

    prompt: str
    gold: str


@dataclass(frozen=True)
class Paid:
    """Problems of which one grader accepted one strategy's answer, and those where that was the gold."""

    problems: list[int]
    gold: list[int]

    @property
    def undeserved(self) -> list[int]:
        """Paid, though the strategy did not commit to the gold."""
        return [number for number in self.problems if number not in self.gold]

    def __str__(self) -> str:
        return f"{len(self.problems)} ({len(self.gold)})" if self.problems else "0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds that math-verify may take for one answer")
    parser.add_argument("--ours-only", action="store_true", help="leave math-verify out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    problems = read_problems(options.problems)
    print(
        f"python {sys.version.split()[0]}, rewardgate {version('rewardgate')}, math-verify {version('math-verify')}; "
        f"{len(problems)} problems, {len(strategies())} strategies\n"
    )
    with Workers(search_path=[str(Path(__file__).resolve().parent)]) as workers:
        graders = graders_of(None if options.ours_only else workers, options.limit)
        found = {name: earned(strategy, problems, graders) for name, strategy in strategies().items()}
    print(table(found, len(problems)))
    print("Paid by ours, and not for the gold:\n")
    for name, row in found.items():
        payers: dict[int, list[str]] = {}
        for grader in row.keys() - {PEER}:
            for number in row[grader].undeserved:
                payers.setdefault(number, []).append(grader)
        for number, by in sorted(payers.items()):
            response = strategies()[name](problems[number].prompt)[0][-120:]
            print(f"- {name}, problem {number} ({'; '.join(sorted(by))}): {response!r} for {problems[number].gold!r}")
    if options.json is not None:
        report = {name: {grader: vars(paid) for grader, paid in row.items()} for name, row in found.items()}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def read_problems(path: Path) -> list[Problem]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [Problem(row["question"], row["answer"].rpartition("####")[2].strip()) for row in rows]


def graders_of(workers: Workers | None, limit_s: float) -> dict[str, Callable[[Problem, str], bool]]:
    """Whether each grader pays for a response to a problem.

    A reward of None is not 0, and counts as paid. math-verify, past its limit or dead, does not pay.
    """
    graders: dict[str, Callable[[Problem, str], bool]] = {}
    for name in OURS:
        verifier = get(name)
        graders[name] = lambda one, text, ours=verifier: ours.verify(text, one.gold).reward != 0
        graders[f"{name}, prompt"] = lambda one, text, ours=verifier: (
            ours.verify(text, one.gold, prompt=one.prompt).reward != 0
        )

    def peer(one: Problem, text: str) -> bool:
        assert workers is not None
        try:
            answer = workers.call("graders:graded", "math-verify recommended", one.gold, text, timeout_s=limit_s)
        except WorkerError:
            return False
        return answer["accepted"] is True

    return graders if workers is None else {**graders, PEER: peer}


def earned(
    strategy: Strategy, problems: list[Problem], graders: dict[str, Callable[[Problem, str], bool]]
) -> dict[str, Paid]:
    answers = [strategy(problem.prompt) for problem in problems]
    found = {}
    for name, pays in graders.items():
        paid = [number for number, problem in enumerate(problems) if pays(problem, answers[number][0])]
        gold = [number for number in paid if is_gold(answers[number][1], problems[number].gold)]
        found[name] = Paid(paid, gold)
    return found


def is_gold(text: str | None, gold: str) -> bool:
    """Whether a text is the gold: the same characters or the same number, unit, sign and separators left out."""
    if text is None:
        return False
    plain, wanted = bare(text), bare(gold)
    value = number_of(plain)
    return plain == wanted or (value is not None and value == number_of(wanted))


def bare(text: str) -> str:
    text = re.sub(
        r"\\text\{[^{}]*\}|\\[!,;$%]|\^\\circ|[\s$%]", "", text.replace("{,}", ",").replace(r"\dfrac", r"\frac")
    )
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def number_of(text: str) -> Fraction | None:
    if match := re.fullmatch(r"(-?)(\d*)\\frac\{?(-?\d+?)\}?\{?(\d+)\}?", text):
        sign, whole, above, below = match.groups()
        if int(below) == 0:
            return None
        return (-1 if sign else 1) * (int(whole or 0) + Fraction(int(above), int(below)))
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def table(found: dict[str, dict[str, Paid]], n_problems: int) -> str:
    """Strategies that somebody paid for something else than the gold, one a line; the others are added up."""
    graders = list(next(iter(found.values())))
    text = f"| strategy | {' | '.join(graders)} |\n|{' --- |' * (1 + len(graders))}\n"
    lucky = {grader: [0, 0] for grader in graders}
    n_lucky = n_unpaid = 0
    for name, row in found.items():
        if any(paid.undeserved for paid in row.values()):
            text += f"| `{name.replace('|', chr(92) + '|')}` | {' | '.join(str(row[grader]) for grader in graders)} |\n"
        elif any(paid.problems for paid in row.values()):
            n_lucky += 1
            for grader in graders:
                lucky[grader][0] += len(row[grader].problems)
                lucky[grader][1] += len(row[grader].gold)
        else:
            n_unpaid += 1
    sums = " | ".join(f"{paid} ({gold})" for paid, gold in lucky.values())
    text += f"| {n_lucky} more, paid for the gold alone | {sums} |\n"
    undeserved = {grader: sum(len(row[grader].undeserved) for row in found.values()) for grader in graders}
    text += f"| undeserved, all strategies | {' | '.join(str(undeserved[grader]) for grader in graders)} |\n"
    means = " | ".join(f"{count / n_problems / len(found):.5f}" for count in undeserved.values())
    text += f"| the same, mean reward | {means} |\n"
    return text + f"\n{n_unpaid} of {len(found)} strategies are paid by nobody.\n"


if __name__ == "__main__":
    main()
