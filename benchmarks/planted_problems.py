"""Problems for planted faults: real prompts and real responses, every number in them scaled by the same factor.

Scaling keeps sums, equalities and inequalities, so that a right response stays right and a wrong one wrong, while no
text is one that anybody has seen before. Nothing here imports the library.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

__all__ = ["GSM8K", "QWEN", "Problem", "problems", "scaled"]

FACTORS = tuple(range(3, 200, 4))
GSM8K = "gsm8k_example_model_solutions.jsonl"
QWEN = "qwen_math_cot_100.jsonl"

_NUMBER = re.compile(
    r"(?<![\w.\\^{])\d+(?:,\d{3})*(?:\.\d+)?(?![\w}])|(?<=[$<(=+*/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w}])"
)
_ANSWER_LINE = re.compile(r"\nA: *\$?(-?[\d,]*\.?\d+)\s*\Z")
_OPEN_MATHS = re.compile(r"(?:\\\[|\\\(|\$\$|\$)\s*\Z")


@dataclass(frozen=True)
class Problem:
    """One problem: its answer, worked texts that lead to it, and pairs of a worked text and a wrong answer.

    The worked texts commit to nothing: the line with the answer is cut off.
    """

    prompt: str
    answer: int
    right: tuple[str, ...]
    wrong: tuple[tuple[str, int], ...]


def problems(folder: Path, *, seed: int, needs_right: bool) -> Iterator[Problem]:
    """Problems without end, in random order, no two with the same prompt.

    Args:
        folder: where the two files lie.
        seed: of the order and of the factors.
        needs_right: only problems with a right response, else only those with a wrong one.
    """
    source = random.Random(seed)
    raw = [*_gsm8k(folder / GSM8K), *([] if not needs_right else _qwen(folder / QWEN))]
    raw = [one for one in raw if (one.right if needs_right else one.wrong)]
    pairs = [(one, factor) for one in raw for factor in FACTORS]
    source.shuffle(pairs)
    for one, factor in pairs:
        yield _scaled(one, factor)


def _gsm8k(path: Path) -> Iterator[Problem]:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        truth = _committed(row["ground_truth"])
        if truth is None or truth[1] == 0:
            continue
        solutions = [row[name] for name in row if isinstance(row[name], dict)]
        read = [_committed(one["solution"]) for one in solutions]
        marked = [(found, one["is_correct"]) for found, one in zip(read, solutions, strict=True) if found]
        yield Problem(
            prompt=row["question"],
            answer=truth[1],
            right=(truth[0], *(body for (body, _), is_right in marked if is_right)),
            wrong=tuple((body, answer) for (body, answer), is_right in marked if not is_right and answer != truth[1]),
        )


def _committed(solution: str) -> tuple[str, int] | None:
    """The text before the last line, and the whole number in that line."""
    found = _ANSWER_LINE.search(solution)
    if found is None or "." in found.group(1):
        return None
    return solution[: found.start()], int(found.group(1).replace(",", ""))


def _qwen(path: Path) -> Iterator[Problem]:
    """The problems with a small whole answer; of each response what stands before the line with the box."""
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if not re.fullmatch(r"[1-9]\d{0,4}", row["answer"]):
            continue
        pairs = zip(row["code"], row["score"], strict=True)
        bodies = [text[: text.rfind("\n", 0, text.find("\\boxed"))] for text, is_right in pairs if is_right]
        bodies = [_OPEN_MATHS.sub("", body).rstrip() for body in bodies if len(body) > 80]
        yield Problem(row["question"], int(row["answer"]), tuple(dict.fromkeys(bodies)), ())


def scaled(text: str, factor: int) -> str:
    """`text` with every number in it times `factor`; exponents and arguments of commands stay as they are."""
    return _NUMBER.sub(lambda found: f"{Decimal(found.group().replace(',', '')) * factor:f}", text)


def _scaled(problem: Problem, factor: int) -> Problem:
    return Problem(
        prompt=scaled(problem.prompt, factor),
        answer=problem.answer * factor,
        right=tuple(scaled(body, factor) for body in problem.right),
        wrong=tuple((scaled(body, factor), answer * factor) for body, answer in problem.wrong),
    )
