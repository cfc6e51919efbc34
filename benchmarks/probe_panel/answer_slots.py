"""How the panel's graders read a text: the one slot that a prompt asks for, and the number in it. Nothing but `re`."""

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def boxes(text: str) -> list[str]:
    """What every outermost `\\boxed{…}` holds, braces counted, in one pass."""
    found, start, depth = [], None, 0
    for token in re.finditer(r"\\boxed\{|[{}]", text):
        if token.group() == "}":
            depth -= start is not None
            if start is not None and depth == 0:
                found.append(text[start : token.start()].strip())
                start = None
        elif start is not None:
            depth += 1
        elif token.group() != "{":
            start, depth = token.end(), 1
    return found


def only_box(text: str) -> str | None:
    """The box after the thinking; None where there is none, or several that differ."""
    found = set(boxes(THINK.sub("", text)))
    return found.pop() if len(found) == 1 else None


def hash_line(text: str) -> str | None:
    """What stands behind the last `####` that starts a line."""
    found = [line.removeprefix("####").strip() for line in THINK.sub("", text).splitlines() if line.startswith("####")]
    return found[-1] if found else None


def answer_tag(text: str) -> str | None:
    """What the only `<answer>` holds, after the thinking."""
    _, _, rest = THINK.sub("", text).partition("<answer>")
    answer, closed, after = rest.partition("</answer>")
    if not closed or "<answer>" in answer + after:
        return None
    return answer.strip()


def answer_line(text: str) -> str | None:
    """What stands behind the only line that starts with `Answer:`."""
    found = [line for line in THINK.sub("", text).splitlines() if line.startswith("Answer:")]
    return found[0].removeprefix("Answer:").strip() if len(found) == 1 else None


def value(text: str | None) -> Fraction | None:
    """The number that the whole text is: an integer, a decimal, `a/b`, `\\frac{a}{b}`; thousands may be grouped."""
    if text is None or len(text) > 60:  # a number of a million digits takes minutes
        return None
    text = re.sub(r"\\[dt]?frac\{(-?\d+)\}\{(\d+)\}", r"\1/\2", text.replace("$", "").strip())
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    if ratio := re.fullmatch(r"(-?\d+)\s*/\s*(\d+)", text):
        return Fraction(int(ratio[1]), int(ratio[2])) if int(ratio[2]) else None
    try:
        return Fraction(Decimal(text)) if re.fullmatch(r"[+-]?\d+(\.\d+)?", text) else None
    except InvalidOperation:
        return None


def is_same_number(answer: str | None, target: str) -> bool:
    """Whether both are numbers, and equal."""
    read = value(answer)
    return read is not None and read == value(target)


def text_of(completion: object) -> str:
    """The text of a completion as TRL gives it: a string, or messages."""
    return completion if isinstance(completion, str) else completion[-1]["content"]  # type: ignore[index]
