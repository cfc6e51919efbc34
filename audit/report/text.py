"""How texts and numbers of a report are written for a person.

Prompts, targets and responses are a stranger's words: they reach the terminal as plain text, on one line,
without markup, escape sequences, or characters that reorder what is read.
"""

import unicodedata

__all__ = ["number", "percent", "shown"]

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def shown(text: str, limit: int | None = None) -> str:
    """`text` on one line, with every character that is not plain to see written as an escape.

    Args:
        text: anybody's.
        limit: characters to cut it to; None for all.

    Example:
        >>> shown("4\\x1b[31m\\u202e\\n5"), shown("abcdef", 3)
        ('4\\\\x1b[31m\\\\u202e 5', 'abc…')
    """
    line = "".join(map(_visible, " ".join(text.split())))
    return line if limit is None or len(line) <= limit else f"{line[:limit]}…"


def number(value: float | None) -> str:
    """A number in as many digits as a reader needs.

    Example:
        >>> number(0.91), number(7e-07), number(None), number(16.0), number(1481.5)
        ('0.910', '7e-07', '–', '16.0', '1482')
    """
    if value is None:
        return "–"
    if value != 0 and abs(value) < 0.0005:
        return f"{value:.0e}"
    decimals = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 3
    return f"{value:.{decimals}f}"


def percent(share: float | None) -> str:
    """A share as a percentage.

    Example:
        >>> percent(0.0012), percent(0.25), percent(None)
        ('0.12 %', '25 %', '–')
    """
    if share is None:
        return "–"
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 or value == round(value) else f"{value:.2g} %"


def _visible(character: str) -> str:
    if character in _BIDI or unicodedata.category(character) in _UNSEEN:
        return character.encode("unicode_escape").decode("ascii")
    return character
