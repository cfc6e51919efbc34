r"""What is probed with: targets, what each says, and a shipped set of them of several kinds, with prompts.

The kinds are read by a small grammar of this file's own: a probe whose truth hung on our verifier's parser could not
find that parser's mistakes. What it does not know is `other`, of which only the text is used.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

from ...errors import NoUsableRowsError
from ...rollouts.messages import prompt_text
from ...rollouts.records import Group
from ..golds.texts import gold_text
from .programs import ProgramTarget, program_target

__all__ = ["KINDS", "ProbeTarget", "read_target_of", "shipped_targets", "targets_of"]

KINDS = (
    "integer", "decimal", "fraction", "quantity", "money", "degree", "constant", "expression", "tuple", "interval",
    "letter", "text", "other",
)  # fmt: skip

_DIGITS = r"\d+(?:,\d{3})*"
_INTEGER = re.compile(rf"-?{_DIGITS}")
_DECIMAL = re.compile(r"-?\d*\.\d+")
_FRACTION = re.compile(r"(-?)(?:\\[dt]?frac\{(\d+)\}\{(\d+)\}|(\d+)/(\d+))")
_QUANTITY = re.compile(
    r"(?P<number>-?\d+(?:\.\d+)?)(?:\\[ ,])?\s?\\?(?:text|mathrm)?\{?\s?(?P<unit>mm|cm|m|km|g|kg|s|min|h|L|mL)\}?"
)
_MONEY = re.compile(r"\\?\$(?P<number>\d+(?:,\d{3})*(?:\.\d\d)?)")
_DEGREE = re.compile(r"(?P<number>-?\d+(?:\.\d+)?)\s?(?:\^\\circ|\^\{\\circ\}|°)")
_BRACKETED = re.compile(r"(?P<open>[(\[])(?P<inside>[^()\[\]]+)(?P<close>[)\]])")
_CONSTANT = re.compile(r"(?:\\sqrt\{\d+\}|\\pi|\\[dt]?frac\{|[-+\d{}])+")
_EXPRESSION = re.compile(r"(?:[a-z](?![a-z])|[-+^{}\d ])+")
_TEXT = re.compile(r"[^\W\d_]{3,}(?:[ -][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class ProbeTarget:
    r"""A target and what it says.

    Args:
        target: what the verifier is given; a worked solution stays one.
        answer: the answer in it, as text.
        kind: one of `KINDS`.
        prompt: the task, where there is one.
        value: of a number, with or without a unit; None of others.
        unit: of a quantity.
        items: of a tuple or an interval.
    """

    target: str
    answer: str
    kind: str
    prompt: str | None = None
    value: Fraction | None = None
    unit: str = ""
    items: tuple[str, ...] = ()

    @property
    def brackets(self) -> tuple[str, str]:
        """Around the items."""
        return self.answer[0], self.answer[-1]


def read_target_of(target: str, *, prompt: str | None = None, answer: str | None = None) -> ProbeTarget:
    r"""What `target` says.

    Args:
        target: as the verifier is given it.
        prompt: the task.
        answer: the answer in it; by default all of it.

    Example:
        >>> [read_target_of(one).kind for one in ("-12,345", "1/2", r"36\text{ cm}", "[0,1)", r"2\sqrt{3}", "n+1")]
        ['integer', 'fraction', 'quantity', 'interval', 'constant', 'expression']
    """
    text = (target if answer is None else answer).strip()
    if len(text) > 2 and text[0] == text[-1] == "$" and "$" not in text[1:-1]:
        text = text[1:-1].strip()

    def read(kind: str, value: Fraction | None = None, unit: str = "", items: tuple[str, ...] = ()) -> ProbeTarget:
        return ProbeTarget(target, text, kind, prompt, value, unit, items)

    if re.fullmatch(r"[A-J]", text):
        return read("letter")
    if _INTEGER.fullmatch(text):
        return read("integer", Fraction(text.replace(",", "")))
    if _DECIMAL.fullmatch(text):
        return read("decimal", Fraction(text))
    if found := _FRACTION.fullmatch(text):
        sign, above, below, plain_above, plain_below = found.groups()
        if int(below or plain_below):
            value = Fraction(int(above or plain_above), int(below or plain_below))
            return read("fraction", -value if sign else value)
    for kind, pattern in (("quantity", _QUANTITY), ("money", _MONEY), ("degree", _DEGREE)):
        if found := pattern.fullmatch(text):
            value = Fraction(found["number"].replace(",", ""))
            return read(kind, value, found["unit"] if kind == "quantity" else "")
    if found := _BRACKETED.fullmatch(text):
        items = tuple(part.strip() for part in found["inside"].split(","))
        if len(items) > 1 and all(_INTEGER.fullmatch(item) or _FRACTION.fullmatch(item) for item in items):
            is_tuple = found["open"] + found["close"] == "()"
            if is_tuple or len(items) == 2:
                return read("tuple" if is_tuple else "interval", items=items)
    if _CONSTANT.fullmatch(text) and ("\\sqrt" in text or "\\pi" in text):
        return read("constant")
    if _EXPRESSION.fullmatch(text) and re.search("[a-z]", text) and re.search(r"\d", text):
        return read("expression")
    return read("text" if _TEXT.fullmatch(text) else "other")


def shipped_targets() -> tuple[ProbeTarget, ...]:
    """The set that ships: 25 targets of 12 kinds, each with a prompt.

    Example:
        >>> len(shipped_targets()), len({one.kind for one in shipped_targets()})
        (25, 12)
    """
    lines = (files("rewardgate.fixtures") / "probe_targets.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return tuple(read_target_of(row["target"], prompt=row["prompt"]) for row in rows)


def targets_of(groups: Iterable[Group], *, most: int = 200) -> tuple[ProbeTarget | ProgramTarget, ...]:
    """The distinct targets of a file that can be probed with, each with the first prompt that has it.

    These are texts, and specifications that hold a reference program.

    Args:
        groups: as `rollouts.reading.read` gives them; iterated once.
        most: how many are kept, evenly spread over the file.

    Raises:
        NoUsableRowsError: no group has such a target.
    """
    found = {target.target: target for target in _in_order(groups)}
    if not found:
        wanted = "a text, or a specification with a reference program"
        raise NoUsableRowsError(f"targets: expected at least one target that is {wanted}, got none")
    kept = list(found.values())
    return tuple(kept[place * len(kept) // most] for place in range(most)) if len(kept) > most else tuple(kept)


def _in_order(groups: Iterable[Group]) -> Iterator[ProbeTarget | ProgramTarget]:
    seen: set[str] = set()
    for group in groups:
        if isinstance(group.target, dict):
            program = program_target(group.target, prompt=None if group.prompt is None else prompt_text(group.prompt))
            if program is not None:
                yield program
            continue
        answer = gold_text(group.target)
        # A list of alternatives is not one text that could be offered and mutated.
        if isinstance(group.target, str) and answer is not None and group.target not in seen:
            seen.add(group.target)
            prompt = None if group.prompt is None else prompt_text(group.prompt)
            yield read_target_of(group.target, prompt=prompt, answer=answer)
