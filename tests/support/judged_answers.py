"""A right reward function and a right extractor of a narrow kind, and faulty ones as people write them."""

import math
import os
import re
from typing import Any


def boxes(text: str) -> list[str]:
    """The insides of the boxes that are closed, in the order of their ends."""
    found: list[str] = []
    open_boxes: list[tuple[int, int]] = []
    depth = 0
    for piece in re.finditer(r"\\boxed\{|[{}]", text):
        depth += -1 if piece.group() == "}" else 1
        if piece.group().startswith("\\"):
            open_boxes.append((piece.end(), depth))
        elif open_boxes and depth < open_boxes[-1][1]:
            found.append(text[open_boxes.pop()[0] : piece.start()])
    return found


def last_box(text: str) -> str | None:
    return boxes(text)[-1] if boxes(text) else None


def right_reward(completion: str, target: str) -> float:
    """Right for whole numbers in boxes."""
    found = last_box(completion)
    return float(found is not None and re.sub(r"[\s{}$,]|\\[,()]|\\text|\\mathbf|\.0$", "", found) == target)


def of_trl(completions: list[str], solution: list[str], **_: Any) -> list[float]:
    return [right_reward(*row) for row in zip(completions, solution, strict=True)]


def of_verl(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None) -> dict[str, float]:
    return {"score": right_reward(solution_str, ground_truth)}


def as_number(text: str, default: int = 0) -> int:
    return int(last_box(text) or default)


def first_box(text: str) -> str | None:
    return next(iter(boxes(text)), None)


def up_to_a_brace(text: str) -> str | None:
    return (re.findall(r"\\boxed\{(.*?)\}", text, re.DOTALL) or [None])[-1]


def close_enough(completion: str, target: str) -> float:
    found = last_box(completion)
    try:
        return float(found is not None and math.isclose(float(found), float(target), rel_tol=1e-3))
    except ValueError:
        return 0.0


def without_its_sign(text: str) -> str | None:
    return (re.findall(r"\d+", last_box(text) or "") or [None])[-1]


def in_lower_case(text: str) -> str | None:
    return (last_box(text) or "").lower()


def last_word(text: str) -> str:
    return text.split()[-1]  # raises on a text without any


def text_against_number(completion: str, target: str) -> float:
    return float(last_box(completion) == int(target))


def mentions_it(completion: str, target: str) -> float:
    return float(target in completion)


def nan_for_none(completion: str, target: str) -> float:
    return right_reward(completion, target) if last_box(completion) else math.nan


def any_brackets(completion: str, target: str) -> float:
    return float(re.findall(r"-?\w+", last_box(completion) or "") == re.findall(r"-?\w+", target))


def in_any_order(completion: str, target: str) -> float:
    return float(sorted(last_box(completion) or "") == sorted(target))


def centred(completions: list[str], target: list[str], **_: Any) -> list[float]:
    """Normalised in the reward function: what a row gets depends on its company."""
    rewards = [right_reward(*row) for row in zip(completions, target, strict=True)]
    return [reward - sum(rewards) / len(rewards) for reward in rewards]


def backtracking(text: str) -> str | None:
    found = re.search(r"answer(\s*\s*)*:", text)
    return found and found.group()


def ends_its_process(completion: str, target: str) -> float:
    if len(completion) > 10_000:
        os._exit(3)
    return 0.0
