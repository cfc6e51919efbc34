"""How a stranger's words reach an HTML page: plainly seen, escaped by the template, and as data for its script.

Two things are left to others: the template escapes whatever it prints (autoescape), and the script of the page
writes text by `textContent` alone.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from urllib.parse import quote

from markupsafe import Markup

from .text import shown

__all__ = ["anchor", "embedded", "seen"]

_LONG_ID = 500
_KEPT_SPACES = frozenset("\n\t")

# What could end the script element, open a comment in it, or be a line break to an old reader of JSON.
_IN_A_SCRIPT = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


class _Escapes(dict[int, str]):
    """Character -> what stands for it, worked out when first met; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _KEPT_SPACES or unicodedata.category(char) == "Zs":
            said = char
        elif char.isspace():
            said = char.encode("unicode_escape").decode("ascii")
        else:
            said = shown(char)
        self[code] = said
        return said


_ESCAPES = _Escapes()


def seen(text: str, limit: int | None = None) -> str:
    """`text` with its lines and spaces kept, and every character that is not plain to see written as an escape.

    No character in it reorders what is read, hides, or is half a surrogate pair.

    Args:
        text: anybody's.
        limit: characters to cut it to; None for all.

    Example:
        >>> seen("4\\u202e\\r\\n  5\\ud800"), seen("abcdef", 3)
        ('4\\\\u202e\\n  5\\\\ud800', 'abc…')
    """
    text = text.replace("\r\n", "\n")
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}…"
    return text if text.isprintable() else text.translate(_ESCAPES)


def anchor(group_id: str) -> str:
    """The fragment of a group's deep link, and the id of its card: as `encodeURIComponent` writes the group's id.

    Of an id too long for a link it is a digest, which is as stable.

    Example:
        >>> anchor("a b/ü"), anchor("it's(1)"), anchor("x" * 1_000)[:20]
        ('group-a%20b%2F%C3%BC', "group-it's(1)", 'group-sha256-44f8354')
    """
    written = group_id.encode("utf-8", "replace")
    if len(written) > _LONG_ID:
        return f"group-sha256-{hashlib.sha256(written).hexdigest()}"
    return "group-" + quote(written, safe="!~*'()")


def embedded(data: Mapping[str, object]) -> Markup:
    """`data` as JSON that stands within a script element of type application/json and ends it nowhere.

    Example:
        >>> embedded({"said": "</script>"})
        Markup('{"said":"\\\\u003c/script\\\\u003e"}')
    """
    said = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, escape in _IN_A_SCRIPT.items():
        said = said.replace(char, escape)
    return Markup(said)
