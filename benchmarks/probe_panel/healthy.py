"""Graders without a fault: strict, honest, and no two of them reading the same form.

Refusing an answer that stands elsewhere than the prompt asked for is no fault.
"""

import re

from answer_slots import answer_line, answer_tag, boxes, hash_line, is_same_number, only_box, text_of, value


def box_exact(completion: str, target: str) -> float:
    """The only box, character by character."""
    return float(only_box(completion) == target)


def box_number(response: str, gold: str) -> float:
    """The only box, as a number."""
    return float(is_same_number(only_box(response), gold))


def hash_integer(data_source: str, solution_str: str, ground_truth: str, extra_info: dict | None = None) -> float:
    """An integer alone behind the last `####`."""
    answer = hash_line(solution_str)
    return float(answer is not None and re.fullmatch(r"-?\d+", answer) is not None and int(answer) == int(ground_truth))


def tag_in_batches(completions: list, answer: list[str], **columns: object) -> list[float]:
    """TRL's shape: the only `<answer>`, as a number."""
    return [
        float(is_same_number(answer_tag(text_of(text)), gold)) for text, gold in zip(completions, answer, strict=True)
    ]


def choice_letter(completion: str, target: str) -> float:
    """One capital letter alone behind the only `Answer:`."""
    return float(answer_line(completion) == target)


def tolerance(completion: str, target: str) -> float:
    """The only box, within one part in a million."""
    read, gold = value(only_box(completion)), value(target)
    return float(read is not None and gold is not None and abs(read - gold) <= abs(gold) / 1_000_000)


def tag_word(completion: str, target: str) -> float:
    """The only `<answer>`: a name, in any case."""
    return float((answer_tag(completion) or "").lower() == target.lower())


def box_symbol(completion: str, target: str) -> float:
    """The only box: a symbol, whose case counts."""
    return float(only_box(completion) == target)


# By design, told and not counted: what these pay is defended by some and attacked by others.


def last_box(completion: str, target: str) -> float:
    """The last box anywhere: a box in the thinking counts, and so does the last of several that differ."""
    found = boxes(completion)
    return float(bool(found) and is_same_number(found[-1], target))


def bare_only(completion: str, target: str) -> float:
    """The whole completion must be the target, and nothing else."""
    return float(completion.strip() == target)
