r"""Notations of several forms rewritten into the one that the tokenizer reads: `C_{10}^3` is `\binom{10}{3}`.

Rewriting of text only. What stands inside is left to the parser; nested braces are beyond these patterns, and such
text stays as it was.
"""

import re

from ..patterns import lazy_pattern

__all__ = ["in_one_notation"]

_PART = r"(?:\{([^{}]*)\}|([0-9a-zA-Z]))"
_CHOSEN_BELOW = lazy_pattern(rf"(?:\{{\}})?[_^]{_PART}([CP])_{_PART}")
_CHOSEN_ABOVE = lazy_pattern(rf"(?<![a-zA-Z\\])([CAP])(?:_{_PART}\^{_PART}|\^{_PART}_{_PART})")
_CHOSEN_CALL = lazy_pattern(r"(?<![a-zA-Z\\_^])([CP])\((\d+|[a-z](?:[+-]\d+)?), ?(\d+|[a-z](?:[+-]\d+)?)\)")
_CHOOSE = lazy_pattern(r"\{([^{}\\]+)\\choose ?([^{}\\]+)\}|^([^{}\\+*/-]+)\\choose ?([^{}\\+*/-]+)$")
_ARGUMENTS = r"((?:[^(){}]|(?<!\\)\{[^{}]*\})*)"
_CALL = lazy_pattern(rf"\\(gcd|lcm|max|min)(?:\({_ARGUMENTS}\)|\\\{{{_ARGUMENTS}\\\}})")
_REMAINDER = lazy_pattern(r"(?<![\d.^}])(\d+)\\b?mod ?(\d+)(?![\d.^])")
_SERIES = lazy_pattern(
    rf"\\(sum|prod)(?:_\{{([a-zA-Z])=([^{{}}=]*)\}}\^{_PART}|\^{_PART}_\{{([a-zA-Z])=([^{{}}=]*)\}})"
)
_SIGNS = ("\\choose", "C", "P", "A", "mod", "\\sum", "\\prod", "\\gcd", "\\lcm", "\\max", "\\min")
"""One of them stands in every text that is rewritten; cheap to look for."""


def in_one_notation(text: str) -> str:
    r"""`text` with combinations, common divisors, extremes, remainders and series as commands with their arguments.

    Example:
        >>> in_one_notation("C_{10}^3+1"), in_one_notation(r"\max(a,b)"), in_one_notation(r"\sum_{k=1}^n k")
        ('\\binom{10}{3}+1', '\\max{a}{b}', '\\sum{k}{1}{n} k')
    """
    if not any(sign in text for sign in _SIGNS):
        return text
    text = _CHOOSE.sub(_choose, text)
    text = _CHOSEN_BELOW.sub(_chosen_below, text)
    text = _CHOSEN_ABOVE.sub(_chosen_above, text)
    text = _CHOSEN_CALL.sub(_called, text)
    text = _CALL.sub(_call, text)
    text = _REMAINDER.sub(r"\\mod{\1}{\2}", text)
    return _SERIES.sub(_series, text)


def _choose(found: re.Match[str]) -> str:
    return _chosen("C", found[1] or found[3], found[2] or found[4])


def _chosen_below(found: re.Match[str]) -> str:
    return _chosen(found[3], found[1] or found[2], found[4] or found[5])


def _chosen_above(found: re.Match[str]) -> str:
    below, above = (found[2] or found[3]), (found[4] or found[5])
    if below is None:
        below, above = (found[8] or found[9]), (found[6] or found[7])
    if below.isdigit() and not (above.isdigit() and int(above) <= int(below)):
        return found.group()  # C_1^n and C_1^2 are powers of the constant C_1
    return _chosen(found[1], below, above)


def _called(found: re.Match[str]) -> str:
    of, chosen = found[2], found[3]
    is_point = of.isdigit() and chosen.isdigit() and int(chosen) > int(of)
    return found.group() if is_point else _chosen(found[1], of, chosen)


def _chosen(letter: str, of: str, chosen: str) -> str:
    return rf"\{'binom' if letter == 'C' else 'arranged'}{{{of}}}{{{chosen}}}"


def _call(found: re.Match[str]) -> str:
    parts = [part.strip() for part in (found[2] or found[3] or "").split(",")]
    return (
        f"\\{found[1]}" + "".join(f"{{{part}}}" for part in parts) if all(parts) and len(parts) > 1 else found.group()
    )


def _series(found: re.Match[str]) -> str:
    index, low, high = found[2], found[3], found[4] or found[5]
    if index is None:
        index, low, high = found[8], found[9], found[6] or found[7]
    return rf"\{found[1]}{{{index}}}{{{low}}}{{{high}}}"
