"""Strategies that answer without solving: from a prompt to a response, and to what it commits to.

Fixed texts and constants, the prompt given back in every wrapper, its numbers and formulas, all options at once.
`lazy_policies.py` asks what they earn.
"""

import re
from collections.abc import Callable

Strategy = Callable[[str], tuple[str, str | None]]
"""From the prompt to the response, and to the one text that it commits to, if it does."""

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
    "a range in words": "The answer is 1 to 1000000.",
    "a range with a dash": r"\boxed{0-1000000}",
    "a tolerance": r"\boxed{10 \pm 1000000}",
    "a bound": r"\boxed{\le 1000000}",
    "an ellipsis": r"\boxed{1, 2, \ldots, 1000000}",
    "every integer": r"\boxed{n \in \mathbb{Z}}",
    "1 to 100 announced in boxes": "\n".join(rf"The answer is $\boxed{{{number}}}$." for number in range(1, 101)),
    "1 to 100 in answer tags": "\n".join(f"<answer>{number}</answer>" for number in range(1, 101)),
    "1 to 100, each or the next": "\n".join(f"Answer: {number} or {number + 1}" for number in range(1, 101)),
}


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
        "prompt + Answer:": lambda prompt: (f"{prompt}\n\nAnswer:", None),
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
        "every number announced, the last one twice": lambda prompt: (
            "\n".join(f"Answer: {number}" for number in [*numbers(prompt), *numbers(prompt)[-1:]]),
            only(numbers(prompt)),
        ),
        "every number in a box, each announced": lambda prompt: (
            "\n".join(rf"The answer is $\boxed{{{number}}}$." for number in numbers(prompt)),
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
