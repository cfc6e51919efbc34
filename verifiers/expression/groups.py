r"""Finitely generated abelian groups: `\mathbb{Z}_2\times\mathbb{Z}_3` is `\mathbb{Z}/6\mathbb{Z}`."""

import re
from collections import Counter
from math import isqrt

from .nodes import Node
from .results import Comparison, correct, incorrect

__all__ = ["compare_groups"]

_FACTOR = re.compile(
    r"(?:\\mathbb\{Z\}|Z)(?:_\{?(?P<of>[1-9]\d{0,5})\}?|/\(?(?P<by>[1-9]\d{0,5})(?:\\mathbb\{Z\}|Z)?\)?)?"
    r"(?:\^\{?(?P<power>[1-9])\}?)?"
)
_PRODUCT = re.compile(r"\\times(?![a-z])|\\oplus(?![a-z])|×")
_MOST_FACTORS = 60


def compare_groups(target: Node, answer: Node) -> Comparison | None:
    """Two nodes that both name a product of cyclic groups, up to isomorphism; None where one of them does not."""
    if "Z" not in target.text or "Z" not in answer.text:
        return None
    wanted, given = _prime_powers(target.text), _prime_powers(answer.text)
    if wanted is None or given is None:
        return None
    return (correct if wanted == given else incorrect)("group", target, answer)


def _prime_powers(text: str) -> Counter[int] | None:
    """How often each primary cyclic group is a factor, 0 for the integers; None where `text` is no such product."""
    found: Counter[int] = Counter()
    is_named = False
    parts = _PRODUCT.split(text.replace(" ", ""), maxsplit=_MOST_FACTORS)
    if len(parts) > _MOST_FACTORS:
        return None
    for part in parts:
        factor = _FACTOR.fullmatch(part.strip("()"))
        if factor is None:
            return None
        order = int(factor["of"] or factor["by"] or 0)
        is_named = is_named or order > 0
        for power in _primary(order) if order else [0]:
            found[power] += int(factor["power"] or 1)
    return found if is_named else None


def _primary(order: int) -> list[int]:
    """The prime powers whose product `order` is, in no more steps than the root of the largest order has."""
    powers: list[int] = []
    for prime in range(2, isqrt(order) + 1):
        power = 1
        while order % prime == 0:
            order //= prime
            power *= prime
        if power > 1:
            powers.append(power)
    return [*powers, order] if order > 1 else powers
