"""Which rows of a file are one group, as numbers: 40 bytes a row, no row and no text is kept.

A group is: the rows of an explicit group id; else of one prompt id at one step; else of one prompt text at
one step. The step is part of all three: the same prompt at two steps was sampled from two policies. So is
the prompt: a group id that starts again at 0 in every batch names other prompts, and is split with a
warning. A row that holds a whole group (lists of responses) is one, unless a group id says more.
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .rows import LocatedRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Identity:
    """What a row says of where it belongs.

    Args:
        prompt_id: the prompt's id, or one made from its text; None where the row has neither.
        group: the explicit group id, if any.
        step: the training step, if any.
        is_whole_group: the row holds all responses of its group.
        rollout_id: the row's own id, if any.
    """

    prompt_id: str | None
    group: str | None = None
    step: int | None = None
    is_whole_group: bool = False
    rollout_id: str | None = None


class Place(NamedTuple):
    """Where a row can be read again: its line, byte offset and length."""

    line: int
    offset: int
    length: int


class GroupIndex:
    """The places of all usable rows, group by group. Fill it with `add`, then call `finish` once."""

    def __init__(self) -> None:
        self._keys = array("Q")
        self._ids = array("Q")
        self._contents = array("Q")
        self._lines = array("q")
        self._offsets = array("q")
        self._lengths = array("q")
        self._order: Sequence[int] | None = None
        self._bounds: list[int] = []
        self._prompts_of_group_id: dict[int, int] = {}
        self.warnings: Counter[str] = Counter()
        self.is_scattered = False
        self.ids_repeat = False
        """Ids belong to more than one row as a rule: they are not the rollouts' own."""

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, row: LocatedRow, identity: Identity, *, file: int | None = None) -> None:
        """Take note of one row, in the order of the file.

        Args:
            file: the number of its file, where ids mean nothing beyond it.
        """
        self._keys.append(self._key(row.line, identity, "" if file is None else f"{file}\0"))
        self._lines.append(row.line)
        self._offsets.append(row.offset)
        self._lengths.append(len(row.data))
        if identity.rollout_id is not None:
            self._ids.append(digest(identity.rollout_id))
            self._contents.append(digest(row.data))

    def finish(self) -> None:
        """Sort the rows into groups, in the order in which the groups first appear."""
        import numpy as np

        self._sort(np.frombuffer(self._keys, dtype=np.uint64), np.arange(len(self._keys)))
        self._count_repeated_ids()

    def rearrange(self, groups: Sequence[int] | None, left_out: Collection[int]) -> None:
        """Sort the rows again.

        Args:
            groups: for each row, counted from 0, the number of its group; None keeps the groups.
            left_out: rows that belong to none.
        """
        import numpy as np

        keys = np.frombuffer(self._keys, dtype=np.uint64) if groups is None else np.asarray(groups, dtype=np.int64)
        is_kept = np.ones(len(keys), dtype=bool)
        is_kept[list(left_out)] = False
        self._sort(keys, np.flatnonzero(is_kept))

    def _sort(self, keys: "npt.NDArray[Any]", rows: "npt.NDArray[np.intp]") -> None:
        import numpy as np

        _, first, inverse = np.unique(keys[rows], return_index=True, return_inverse=True)
        starts = first[inverse.reshape(-1)]  # of each row: the first row of its group
        order = np.argsort(starts, kind="stable")
        self.is_scattered = bool((np.diff(starts) < 0).any())
        is_in_place = len(rows) == len(keys) and not self.is_scattered
        self._order = None if is_in_place else rows[order].tolist()
        self._bounds = [*np.flatnonzero(np.diff(starts[order], prepend=-1)).tolist(), len(rows)]

    def groups(self) -> Iterator[list[Place]]:
        """The places of each group's rows, groups by first appearance, rows in the order of the file."""
        for start, end in zip(self._bounds, self._bounds[1:], strict=False):
            rows = range(start, end) if self._order is None else self._order[start:end]
            yield [Place(self._lines[row], self._offsets[row], self._lengths[row]) for row in rows]

    def _key(self, line: int, identity: Identity, file: str) -> int:
        if identity.group is not None:
            key = digest(f"{file}{identity.group}\0{identity.step}\0{identity.prompt_id}")
            group = digest(f"{file}{identity.group}")
            if self._prompts_of_group_id.setdefault(group, key) != key:
                self.warnings["group_id_shared_by_prompts"] += 1
            return key
        if identity.prompt_id is None:
            self.warnings["rows_without_prompt"] += 1
        if identity.is_whole_group or identity.prompt_id is None:
            return digest(f"row\0{line}")
        return digest(f"{file}prompt\0{identity.step}\0{identity.prompt_id}")

    def _count_repeated_ids(self) -> None:
        import numpy as np

        if not self._ids:
            return
        ids = np.frombuffer(self._ids, dtype=np.uint64)
        contents = np.frombuffer(self._contents, dtype=np.uint64)
        n_distinct_ids = len(np.unique(ids))
        self.ids_repeat = 2 * n_distinct_ids <= len(ids)
        if not self.ids_repeat:
            n_distinct_rows = len(np.unique(np.stack([ids, contents]), axis=1).T)
            self.warnings["rewritten_rows"] = len(ids) - n_distinct_rows
            self.warnings["duplicate_ids"] = n_distinct_rows - n_distinct_ids


def digest(value: str | bytes) -> int:
    """64 bits that stand for `value`: among ten million rows, two meet by chance in 1 of 400,000 files."""
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
