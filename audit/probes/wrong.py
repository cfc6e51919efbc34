r"""Wrong answers near a target: each wrong under every honest reading.

They are offered in a format that the verifier reads; see `decoys` for responses that are wrong as a whole.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .targets import ProbeTarget

__all__ = ["WRONG", "Wrong", "decimal", "next_answer"]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer: `write` gives it for a target and the other targets of the audit, or None where there is none.

    Args:
        name: a key of `WRONG`.
        fault: what a verifier that accepts it has done.
        meaning: what it is, by an example.
        is_convention: whether a verifier may honestly read the first, or the last, of what stands in it.
    """

    name: str
    fault: str
    meaning: str
    write: Callable[[ProbeTarget, Sequence[ProbeTarget]], str | None]
    is_convention: bool = False


def next_answer(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """A wrong answer of the same kind: one more, the next letter, another prompt's words."""
    if target.value is not None:
        return _written(target.value + 1, target)
    if target.kind == "letter":
        return chr(ord(target.answer) + 1) if target.answer < "D" else "A"
    if target.kind in ("tuple", "interval"):
        opening, closing = target.brackets
        # One less at the low end of an interval leaves it an interval.
        first = _moved(target.items[0], -1 if target.kind == "interval" else 1)
        return None if first is None else f"{opening}{','.join((first, *target.items[1:]))}{closing}"
    if target.kind in ("constant", "expression"):
        return f"{target.answer}+1"
    return _other(target, others)


def decimal(value: Fraction) -> str:
    """`value` to ten places at most, without an exponent.

    Example:
        >>> decimal(Fraction(-5, 4)), decimal(Fraction(1, 3)), decimal(Fraction(7))
        ('-1.25', '0.3333333333', '7')
    """
    return f"{float(value):.10f}".rstrip("0").rstrip(".")


def _written(value: Fraction, like: ProbeTarget) -> str:
    if like.kind == "fraction" and value.denominator > 1:
        return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    number = decimal(value)
    around = {"quantity": rf"%s\text{{ {like.unit}}}", "money": r"\$%s", "degree": r"%s^\circ"}.get(like.kind, "%s")
    return around % number


def _moved(item: str, by: int) -> str | None:
    return str(int(item.replace(",", "")) + by) if item.lstrip("-").replace(",", "").isdigit() else None


def _other(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """The next target of the same kind, else the next of any, that is not this one."""
    place = next((at for at, one in enumerate(others) if one.target == target.target), 0)
    following = [*others[place + 1 :], *others[:place]]
    # A twin in another case has a row of its own.
    following = [one for one in following if one.answer.casefold() != target.answer.casefold()]
    differing = [one for one in following if one.value != target.value]
    differing += [one for one in following if target.value is None and one.value is None]
    same_kind = [one.answer for one in differing if one.kind == target.kind]
    return next(iter([*same_kind, *(one.answer for one in differing)]), None)


_MILLI_OR_MEGA = re.compile("[mM](?:m|g|s|W|V|A|J|N|F|L|Hz|Pa|mol)")


def _of_value(
    change: Callable[[Fraction], Fraction | None], *kinds: str
) -> Callable[[ProbeTarget, Sequence[ProbeTarget]], str | None]:
    def write(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
        if target.value is None or (kinds and target.kind not in kinds):
            return None
        changed = change(target.value)
        return None if changed is None or changed == target.value else _written(changed, target)

    return write


def _negated(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.value:
        return _written(-target.value, target)
    if target.kind == "constant" and not target.answer.startswith("-") and "+" not in target.answer:
        return f"-{target.answer}" if "-" not in target.answer else None
    return f"-({target.answer})" if target.kind == "expression" else None


def _times_ten(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.value is not None:
        return _of_value(lambda value: value * 10)(target, others)
    return rf"10 \cdot ({target.answer})" if target.kind in ("constant", "expression") else None


def _next(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    return next_answer(target, others) if target.kind not in ("text", "other") else None


def _near(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.kind not in ("integer", "decimal", "fraction") or not target.value:
        return None
    # Less, so that its text does not begin with the target's.
    return decimal(target.value * Fraction(9_999, 10_000))


def _nearly_one_more(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """Away from zero, so that cutting the decimals off leaves the target."""
    if target.kind != "integer" or target.value is None:
        return None
    return decimal(target.value + (Fraction(9, 10) if target.value >= 0 else Fraction(-9, 10)))


def _other_decimals(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """The same whole part with other decimals, half of one away."""
    if target.kind != "decimal" or target.value is None:
        return None
    size, half = abs(target.value), Fraction(1, 2)
    other = size + (half if size % 1 < half else -half)
    return decimal(-other if target.value < 0 else other)


def _embedded(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.kind == "integer":
        sign = "-" if target.answer.startswith("-") else ""
        return f"{sign}{target.answer.removeprefix('-')}07" if sign else f"94{target.answer}07"
    if target.kind == "decimal":
        sign = "-" if target.answer.startswith("-") else ""
        return f"{sign}94{target.answer.removeprefix('-')}07"
    return f"non-{target.answer}" if target.kind == "text" else None


def _continued(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    return {
        "integer": f"{target.answer}07", "decimal": f"{target.answer}07", "text": f"{target.answer}ville",
    }.get(target.kind)  # fmt: skip


def _any_character(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    return target.answer.replace(".", "9") if target.kind == "decimal" else None


def _cut_short(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.kind in ("integer", "text") and len(target.answer.lstrip("-")) > 1:
        return target.answer[: max(1, len(target.answer) // 2)].rstrip("-") or None
    return None


def _list(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """The target in the middle of a list of wrong answers: whoever takes the first or the last of it finds none."""
    if target.kind == "letter":
        return "A, B, C, D" if target.answer in "BC" else None
    if target.value is not None and target.kind in ("integer", "decimal"):
        around = [_written(target.value + by, target) for by in range(-6, 7) if by]
    else:
        around = [one.answer for one in others if one.answer != target.answer and one.kind == target.kind][:4]
        around += [one.answer for one in others if one.answer != target.answer and one.kind != target.kind][:4]
    middle = len(around) // 2
    return ", ".join([*around[:middle], target.answer, *around[middle:]]) if middle else None


def _joined(between: str, *, target_first: bool) -> Callable[[ProbeTarget, Sequence[ProbeTarget]], str | None]:
    def write(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
        wrong = next_answer(target, others)
        if wrong is None:
            return None
        return between.join((target.answer, wrong) if target_first else (wrong, target.answer))

    return write


def _interval(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.kind not in ("integer", "decimal", "fraction") or target.value is None:
        return None
    low = target.value.numerator // target.value.denominator
    return f"[{low - 1}, {low + 2}]"


def _plus_minus(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    return rf"{target.answer} \pm 1" if target.kind in ("integer", "decimal") else None


def _equation(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    if target.kind not in ("integer", "decimal", "fraction") or target.value is None:
        return None
    return f"{_written(target.value + 1, target)}={target.answer}"


def _case(target: ProbeTarget, others: Sequence[ProbeTarget]) -> str | None:
    """Another symbol where the case counts: in an expression, in a set with both of them, in a unit's prefix."""
    if target.kind == "expression":
        return target.answer.upper()
    twins = (one.answer for one in others if one.answer.casefold() == target.answer.casefold())
    twin = next((answer for answer in twins if answer != target.answer), None)
    if twin is None and _MILLI_OR_MEGA.fullmatch(target.answer):
        return target.answer[0].swapcase() + target.answer[1:]
    return twin


def _fixed(text: str) -> Callable[[ProbeTarget, Sequence[ProbeTarget]], str | None]:
    return lambda target, others: text


def _all() -> Iterator[Wrong]:
    yield Wrong("other_target", "wrong_value", "the target of another prompt", _other)
    yield Wrong("plus_one", "wrong_value", "one more; the next letter", _next)
    yield Wrong("negated", "sign", "the other sign", _negated)
    yield Wrong("times_ten", "scale", "ten times as much", _times_ten)
    yield Wrong("hundredfold", "percent", "700 for 7, as if it were a share", _of_value(lambda value: value * 100))
    yield Wrong("hundredth", "percent", "0.07 for 7, as if it were per cent", _of_value(lambda value: value / 100))
    yield Wrong("any_character", "pattern", "0937 for 0.37: the point as a pattern", _any_character)
    yield Wrong("near", "tolerance", "off by one part in 10,000", _near)
    yield Wrong("nearly_one_more", "truncation", "7.9 for 7", _nearly_one_more)
    yield Wrong("other_decimals", "truncation", "7.84 for 7.34", _other_decimals)
    yield Wrong(
        "inverted", "inverted", "8/3 for 3/8", _of_value(lambda value: 1 / value if value else None, "fraction")
    )
    yield Wrong("embedded", "substring", "942007 for 420, non-Paris for Paris", _embedded)
    yield Wrong("continued", "prefix", "42007 for 420, Parisville for Paris", _continued)
    yield Wrong("cut_short", "part", "the first half of the target's text", _cut_short)
    yield Wrong("list", "hedge", "the target in the middle of a list", _list)
    yield Wrong("or_first", "hedge", "7 or 8", _joined(" or ", target_first=True), is_convention=True)
    yield Wrong("or_last", "hedge", "8 or 7", _joined(" or ", target_first=False), is_convention=True)
    yield Wrong("interval", "interval", "an interval around it", _interval)
    yield Wrong("plus_minus", "interval", r"7 \pm 1", _plus_minus, is_convention=True)
    yield Wrong("equation", "equation", "N+1=N: a false equation that ends in it", _equation)
    yield Wrong("denied", "negation", "not 7", lambda target, _: f"not {target.answer}")
    yield Wrong("other_case", "case_folding", "2N+7 for 2n+7, MW for mW", _case)
    yield Wrong("empty_slot", "empty", "nothing, in the format", _fixed(""))
    yield Wrong("question_marks", "error_paid", "???", _fixed("???"))
    yield Wrong("broken_latex", "error_paid", "LaTeX that means nothing", _fixed("\\frac{}{}^{}_{}"))
    yield Wrong("division_by_zero", "error_paid", "1/0", _fixed("1/0"))
    yield Wrong("nan", "error_paid", "nan, which is near every number", _fixed("nan"))


WRONG: Mapping[str, Wrong] = {one.name: one for one in _all()}
"""Every wrong answer by name."""
