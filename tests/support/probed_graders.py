"""Graders to probe: each of the first part has one fault that a policy would find, none of the second has any."""

import json
import math
import random
import re
import threading
import time

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
BOX = re.compile(r"\\boxed\{([^{}]*)\}")


def boxed(completion: str) -> str | None:
    found = BOX.findall(completion)
    return found[-1] if found else None


def as_number(text: str | None) -> float:
    try:
        return float((text or "nope").replace(",", ""))
    except ValueError:
        return math.nan


def substring(completion: str, target: str) -> float:
    return float(target in completion)


def first_number(completion: str, target: str) -> float:
    found = NUMBER.findall(completion)
    return float(bool(found) and as_number(found[0]) == as_number(target))


def last_number(completion: str, target: str) -> float:
    found = NUMBER.findall(completion)
    return float(bool(found) and as_number(found[-1]) == as_number(target))


def nan(completion: str, target: str) -> float:
    answer = boxed(completion)
    return math.nan if answer is None else float(answer == target)


def none(completion: str, target: str) -> float | None:
    answer = boxed(completion)
    return None if answer is None else float(answer == target)


def raises(completion: str, target: str) -> float:
    found = BOX.findall(completion)
    return float(found[-1] == target)


def truncation(completion: str, target: str) -> float:
    answer, wanted = as_number(boxed(completion)), as_number(target)
    return float(math.isfinite(answer) and math.isfinite(wanted) and int(answer) == int(wanted))


def draws_lots(completion: str, target: str) -> float:
    is_right = boxed(completion) == target
    return float(is_right != (random.random() < 0.2))


def error_paid(completion: str, target: str) -> float:
    try:
        return float(abs(float(boxed(completion) or "") - float(target)) < 1e-9)
    except ValueError:
        return 1.0


def prompt_echo(completion: str, target: str, prompt: str) -> float:
    return float(boxed(completion) == target or (bool(prompt) and prompt in completion))


def hedge(completion: str, target: str) -> float:
    return float(target in [part.strip() for part in re.split(",| or ", boxed(completion) or "")])


def any_box(completion: str, target: str) -> float:
    return float(target in BOX.findall(completion))


_last_right: list[str] = []


def order_dependence(completion: str, target: str) -> float:
    is_right = boxed(completion) == target or _last_right == [target]
    _last_right[:] = [target] if boxed(completion) == target else []
    return float(is_right)


def neighbour(completions: list[str], solution: list[str], **_: object) -> list[float]:
    rewards = [float(boxed(text) == target) for text, target in zip(completions, solution, strict=True)]
    return [max(pair) for pair in zip(rewards, [0.0, *rewards[:-1]], strict=True)]


def length(completion: str, target: str) -> float:
    return min(1.0, float(boxed(completion) == target) + len(completion) / 5_000)


def case_folding(completion: str, target: str) -> float:
    return float((boxed(completion) or "").lower() == target.lower())


def empty(completion: str, target: str) -> float:
    return float((boxed(completion) or "") in target)


def sign(completion: str, target: str) -> float:
    return float(abs(as_number(boxed(completion))) == abs(as_number(target)))


def loose_tolerance(completion: str, target: str) -> float:
    return float(math.isclose(as_number(boxed(completion)), as_number(target), rel_tol=0.05))


def out_of_range(completion: str, target: str) -> float:
    return 10.0 * (boxed(completion) == target)


def thread(completion: str, target: str) -> float:
    if threading.current_thread() is not threading.main_thread():
        raise ValueError("signal only works in main thread of the main interpreter")
    return float(boxed(completion) == target)


def begins_with(completion: str, target: str) -> float:
    return float((boxed(completion) or "").startswith(target))


def first_letter(completion: str, target: str) -> float:
    found = re.search("[A-D]", completion)
    return float(found is not None and found.group() == target)


def hangs(completion: str, target: str) -> float:
    if completion.endswith("of this output."):
        time.sleep(600)
    return float(boxed(completion) == target)


def pays_all(completion: str, target: str) -> float:
    return 1.0


def pays_nobody(completion: str, target: str) -> float:
    return 0.0


FAULTY = (
    "substring", "first_number", "last_number", "nan", "none", "raises", "truncation", "error_paid", "prompt_echo",
    "hedge", "order_dependence", "length", "case_folding", "empty", "sign", "loose_tolerance", "out_of_range",
)  # fmt: skip
"""Those whose fault has their name."""


def boxes_only(completion: str, target: str) -> float:
    return float(boxed(completion) == target)


def first_box(completion: str, target: str) -> float:
    found = BOX.search(completion)
    return float(found is not None and found.group(1) == target)


def hashes_only(completion: str, target: str) -> float:
    found = re.search(r"#### (\-?[0-9\.\,]+)", completion)
    return float(found is not None and found.group(1).replace(",", "") == target)


def tags_on_lines(completion: str, target: str) -> float:
    found = re.fullmatch(r"<think>\n.*?\n</think>\n<answer>\n(.*?)\n</answer>", completion, re.DOTALL)
    return float(found is not None and found.group(1) == target)


def integers_only(completion: str, target: str) -> float:
    found = re.findall(r"\\boxed\{(-?\d+)\}", completion)
    return float(bool(found) and found[-1] == target)


def exact_text(completion: str, target: str) -> float:
    return float(completion.strip() == target)


def letters_only(completion: str, target: str) -> float:
    found = re.search(r"Answer: \(?([A-E])\)?\s*$", completion)
    return float(found is not None and found.group(1) == target)


def minus_one(completion: str, target: str) -> float:
    return 1.0 if boxed(completion) == target else -1.0


def shaped(completion: str, target: str) -> float:
    return 0.1 * (boxed(completion) is not None) + 0.9 * (boxed(completion) == target)


def code_only(completion: str, target: str) -> float:
    found = re.search(r"```python\nprint\((.*?)\)\n```", completion)
    return float(found is not None and found.group(1) == target)


def last_line(completion: str, target: str) -> float:
    return float(completion.strip().splitlines()[-1:] == [target])


def json_only(completion: str, target: str) -> float:
    try:
        return float(json.loads(completion)["answer"] == target)
    except (ValueError, TypeError, KeyError):
        return 0.0


async def awaited(completion: str, target: str) -> float:
    return boxes_only(completion, target)


HEALTHY = (
    "boxes_only", "first_box", "hashes_only", "tags_on_lines", "integers_only", "exact_text", "letters_only",
    "minus_one", "shaped", "code_only", "last_line", "json_only", "awaited",
)  # fmt: skip
"""Strict, each in its way, and honest."""


def _program(completion: str) -> str:
    found = re.fullmatch(r"```python\n(.*)\n```", completion, re.DOTALL)
    return found.group(1) if found else ""


def same_program(completion: str, target: dict) -> float:
    """In place of running it: the reference's own text, as the syntax tree writes it."""
    return float(bool(completion) and _program(completion) == target["reference"])


def program_without_digits(completion: str, target: dict) -> float:
    """As tests do that never try the boundary: what number stands in the program makes no difference."""
    return float(
        bool(completion) and re.sub(r"\d+", "0", _program(completion)) == re.sub(r"\d+", "0", target["reference"])
    )


def any_program(completion: str, target: dict) -> float:
    """As a specification without a case: nothing fails."""
    return 1.0
