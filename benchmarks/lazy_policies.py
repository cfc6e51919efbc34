r"""What policies earn that never solve anything: fixed texts, the prompt given back, all its numbers, all options.

    python benchmarks/lazy_policies.py PROBLEMS.jsonl [--limit 10] [--json OUT.json]

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

from rewardgate.errors import WorkerError
from rewardgate.verifiers import get
from rewardgate.verifiers.isolation import Workers

Strategy = Callable[[str], tuple[str, str | None]]
"""From the prompt to the response, and to the one text that it commits to, if it does."""

PEER = "math-verify"
OURS = ("math", "auto")
NUMBER = re.compile(r"(?<![\d.])-?\d+(?:,\d{3})*(?:\.\d+)?")
FORMULA = re.compile(r"\$\$?([^$]+)\$\$?|\\\[(.+?)\\\]", re.DOTALL)
LETTERS = "ABCDE"

CONSTANTS = (
    *("0", "1", "2", "3", "4", "5", "6", "9", "10", "12", "18", "20", "100", "-1", "x", "n", "A", "B", r"\frac{1}{2}"),
    *(r"\frac12", "0.5", "1/2", r"\pi", r"\infty", r"\emptyset", r"\text{no solution}", "none", "yes", "True", "?"),
    *("answer", "...", r"\ldots", r"\square", r"\text{answer}", "N", "final answer", "your answer", "0 = 0", "1 = 1"),
    *("x = x", "N = N", "[0, 100]", r"(-\infty, \infty)", r"\mathbb{R}", r"\{1, 2, 3\}", "1, 2, 3, 4, 5", "1 or 2"),
    *("0/0", r"\frac{0}{0}", "nan", r"\text{A or B or C or D or E}", r"\pm 1", "x \\ge 0", r"\phantom{0}", " ", r"\,"),
)
TEXTS = {
    "nothing": "",
    "a full stop": ".",
    "a template, dollars": "The answer is $N$.",
    "a template, brackets": "The answer is [answer].",
    "a template, tag": "<answer>answer here</answer>",
    "an empty tag": "<answer></answer>",
    "an empty box announced": r"The final answer is $\boxed{}$.",
    "a box never closed": r"The answer is \boxed{",
    "announced, then nothing": "Answer:",
    "hashes, then nothing": "####",
    "refusal": "I cannot solve this problem.",
    "only thinking": "<think>The answer is 1, 2, 3 or 4.</think>",
    "options in one box": r"\boxed{A, B, C, D, E}",
    "options in boxes": " ".join(rf"\boxed{{{letter}}}" for letter in LETTERS),
    "options in boxes, line by line": "\n".join(rf"\boxed{{{letter}}}" for letter in LETTERS),
    "options, each announced": "\n".join(f"The answer is {letter}." for letter in LETTERS),
    "options joined by or": f"The answer is {' or '.join(LETTERS)}.",
    "1 to 100 in one box": rf"\boxed{{{', '.join(map(str, range(1, 101)))}}}",
    "1 to 100 in a set": rf"$\boxed{{\{{{', '.join(map(str, range(1, 101)))}\}}}}$",
    "1 to 100 in boxes": " ".join(rf"\boxed{{{number}}}" for number in range(1, 101)),
    "1 to 100 in boxes, line by line": "\n".join(rf"$\boxed{{{number}}}$" for number in range(1, 101)),
    "1 to 100, each announced": "\n".join(f"Answer: {number}" for number in range(1, 101)),
    "1 to 100 after hashes": "\n".join(f"#### {number}" for number in range(1, 101)),
    "1 to 100, joined by or": f"The answer is {' or '.join(map(str, range(1, 101)))}.",
    "an interval, announced": "The answer is between 0 and 1000000.",
    "a range in a box": r"\boxed{0 \le x \le 1000000}",
}


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
    for name, by_grader in found.items():
        for number in sorted(
            {number for grader in by_grader if grader != PEER for number in by_grader[grader].undeserved}
        ):
            by = ", ".join(grader for grader in by_grader if number in by_grader[grader].undeserved)
            response = strategies()[name](problems[number].prompt)[0]
            print(f"- {name}, problem {number} ({by}): gold {problems[number].gold!r}, response {response[-120:]!r}")
    if options.json is not None:
        report = {name: {grader: vars(paid) for grader, paid in row.items()} for name, row in found.items()}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def read_problems(path: Path) -> list[Problem]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [Problem(row["question"], row["answer"].rpartition("####")[2].strip()) for row in rows]


def strategies() -> dict[str, Strategy]:
    """Every strategy by its name; the constants last."""
    found: dict[str, Strategy] = {
        "prompt": lambda prompt: (prompt, None),
        "prompt twice": lambda prompt: (f"{prompt}\n\n{prompt}", None),
        "prompt in a box": lambda prompt: (rf"\boxed{{{prompt}}}", None),
        "prompt as text in a box": lambda prompt: (rf"\boxed{{\text{{{prompt}}}}}", None),
        "Answer: prompt": lambda prompt: (f"Answer: {prompt}", None),
        "The answer is prompt": lambda prompt: (f"The answer is {prompt}", None),
        "prompt + The answer is": lambda prompt: (f"{prompt} The answer is", None),
        "prompt + empty box": lambda prompt: (rf"{prompt} The answer is $\boxed{{}}$.", None),
        "prompt + refusal": lambda prompt: (f"{prompt}\n\nI do not know.", None),
        "prompt + We solve step by step": lambda prompt: (f"Let's solve it step by step. {prompt} We compute.", None),
        "#### prompt": lambda prompt: (f"#### {prompt}", None),
        "prompt in an answer tag": lambda prompt: (f"<answer>{prompt}</answer>", None),
        "prompt in a thought": lambda prompt: (f"<think>{prompt}</think>", None),
        "last sentence": lambda prompt: (last_sentence(prompt), None),
        "Answer: last sentence": lambda prompt: (f"Answer: {last_sentence(prompt)}", None),
        "last sentence in a box": lambda prompt: (rf"\boxed{{{last_sentence(prompt)}}}", None),
        "every number in one box": lambda prompt: (rf"\boxed{{{', '.join(numbers(prompt))}}}", only(numbers(prompt))),
        "every number in a set": lambda prompt: (
            rf"$\boxed{{\{{{', '.join(numbers(prompt))}\}}}}$",
            only(numbers(prompt)),
        ),
        "every number in boxes": lambda prompt: (boxes(numbers(prompt), " "), only(numbers(prompt))),
        "every number in boxes, line by line": lambda prompt: (boxes(numbers(prompt), "\n"), only(numbers(prompt))),
        "every number in boxes, joined by or": lambda prompt: (boxes(numbers(prompt), " or "), only(numbers(prompt))),
        "every number as a list": lambda prompt: (", ".join(numbers(prompt)), only(numbers(prompt))),
        "every number, each announced": lambda prompt: (
            "\n".join(f"Answer: {number}" for number in numbers(prompt)),
            only(numbers(prompt)),
        ),
        "every formula in boxes": lambda prompt: (boxes(formulas(prompt), " "), only(formulas(prompt))),
        "first number in a box": lambda prompt: committed(numbers(prompt)[:1]),
        "last number in a box": lambda prompt: committed(numbers(prompt)[-1:]),
        "prompt, its last number in a box": boxed_last_number,
        "last formula in a box": lambda prompt: committed(formulas(prompt)[-1:]),
        "The answer is last formula": lambda prompt: (
            f"The answer is ${''.join(formulas(prompt)[-1:])}$.",
            only(formulas(prompt)[-1:]),
        ),
        "last formula = last formula": lambda prompt: (
            rf"\boxed{{{' = '.join(2 * formulas(prompt)[-1:])}}}",
            None,
        ),
        r"\boxed{1+1=2}": lambda prompt: (r"\boxed{1+1=2}", "2"),
        **{name: (lambda prompt, text=text: (text, None)) for name, text in TEXTS.items()},
        **{rf"\boxed{{{one}}}": (lambda prompt, one=one: committed([one])) for one in CONSTANTS},
        **{f"The answer is {one}.": (lambda prompt, one=one: (f"The answer is {one}.", one)) for one in CONSTANTS[:12]},
    }
    return found


def numbers(prompt: str) -> list[str]:
    return NUMBER.findall(prompt)


def formulas(prompt: str) -> list[str]:
    return [(inline or display).strip() for inline, display in FORMULA.findall(prompt)]


def last_sentence(prompt: str) -> str:
    return re.split(r"(?<=[.?!])\s+", prompt.strip())[-1]


def boxes(texts: list[str], between: str) -> str:
    return between.join(rf"\boxed{{{text}}}" for text in texts)


def only(texts: list[str]) -> str | None:
    """What is committed to where one text is all there is: a list of one is that one."""
    return texts[0] if len(set(texts)) == 1 else None


def committed(texts: list[str]) -> tuple[str, str | None]:
    return rf"\boxed{{{''.join(texts)}}}", "".join(texts)


def boxed_last_number(prompt: str) -> tuple[str, str | None]:
    last = [*NUMBER.finditer(prompt)][-1:]
    if not last:
        return prompt, None
    start, end = last[0].span()
    return rf"{prompt[:start]}\boxed{{{last[0].group()}}}{prompt[end:]}", last[0].group()


def graders_of(workers: Workers | None, limit_s: float) -> dict[str, Callable[[Problem, str], bool]]:
    """Whether each grader pays for a response to a problem; math-verify, past its limit or dead, does not."""
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
    """Strategies that somebody paid, one a line; those that nobody paid are counted."""
    graders = list(next(iter(found.values())))
    text = f"| strategy | {' | '.join(graders)} |\n|{' --- |' * (1 + len(graders))}\n"
    unpaid = [name for name, row in found.items() if not any(paid.problems for paid in row.values())]
    for name, row in found.items():
        if name not in unpaid:
            text += f"| `{name.replace('|', chr(92) + '|')}` | {' | '.join(str(row[grader]) for grader in graders)} |\n"
    undeserved = {grader: sum(len(row[grader].undeserved) for row in found.values()) for grader in graders}
    text += f"| undeserved, all strategies | {' | '.join(str(undeserved[grader]) for grader in graders)} |\n"
    answers = n_problems * len(found)
    means = " | ".join(f"{count / answers:.5f}" for count in undeserved.values())
    text += f"| mean undeserved reward of {answers:,} answers | {means} |\n"
    return text + f"\n{len(unpaid)} of {len(found)} strategies are paid by nobody.\n"


if __name__ == "__main__":
    main()
