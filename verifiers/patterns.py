"""Regular expressions that are compiled when they are first asked, not when the file that writes them is imported.

To find an answer in any text takes some two hundred of them, most of which one text never comes to. Compiled at
import they were a tenth of a second of every command and of every worker's start.
"""

import re
from typing import Any, cast

__all__ = ["lazy_pattern"]

_METHODS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"})


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""What `re.compile` returns, as far as its methods and its `pattern` go; a mistake in it shows at first use.

    Example:
        >>> digits = lazy_pattern(r"\d+")
        >>> digits.pattern, digits.findall("7 of 10")
        ('\\d+', ['7', '10'])
    """
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"a lazy pattern has no {name!r}")
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            # Found on the instance from now on: a call costs no more than a compiled pattern's.
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
