"""What a run has started: how many processes, and how much memory they hold together.

No limit of the kernel's counts either, so the zygote looks, from outside of their namespace.
"""

import os
from collections.abc import Sequence

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def family(pid: int, keeper: int) -> tuple[int, int]:
    """How many processes run beside `pid`, and the resident bytes of all; what they share counts for each.

    Args:
        pid: of a candidate.
        keeper: of its namespace, to which its orphans go.
    """
    found = _descendants([pid, *(child for child in _children(keeper) if child != pid)])
    return len(found) - 1, sum(map(_resident_bytes, found))


def _descendants(heads: Sequence[int]) -> list[int]:
    found: list[int] = []
    left = list(heads)
    while left:
        found.append(left.pop())
        left += _children(found[-1])
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # it ended meanwhile
    return found


def _resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
