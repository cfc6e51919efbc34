"""Which rows of TRL's completions are one group: the files give neither the group nor its size G.

TRL writes a batch in the order of its generation, so that the G rows of a group stand together. A run of rows with
one prompt is one group, unless the data set lists that prompt twice in a row: then the advantages tell. Within a
group they sum to 0 and (`scale_rewards="group"`, the default) have a standard deviation of 1 over G - 1, and no
other way to cut the run has both. Source: huggingface/trl, trainer/grpo_trainer.py.
"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from ..grouping import digest

SUM_TOLERANCE = 1e-3
DEVIATION_TOLERANCE = 0.02
"""Of a standard deviation from 1: TRL divides by it plus 1e-4."""


class Batches:
    """The rows of completions files, in order; 24 bytes a row."""

    def __init__(self) -> None:
        self._prompts = array("Q")
        self._contents = array("Q")
        self._advantages = array("d")
        self._batches: list[tuple[int, int]] = []  # (step, first row)
        self.group_size: int | None = None
        self.repeated: list[int] = []

    def add(self, step: int, prompt: str, content: str, advantage: float | None) -> None:
        """Take note of one row; `content`: what is the same where one rollout is written again at another step."""
        if not self._batches or self._batches[-1][0] != step:
            self._batches.append((step, len(self._prompts)))
        self._prompts.append(digest(prompt))
        self._contents.append(digest(content))
        self._advantages.append(math.nan if advantage is None else advantage)

    def groups(self) -> list[int]:
        """For each row the number of its group; 0 for the rows that it notes in `repeated`.

        Sets `group_size` to the usual G.
        """
        runs = self._runs()
        sizes = {start: self._size_by_advantages(start, end) for start, end in runs}
        told = Counter(size for size in sizes.values() if size is not None)
        usual = (told or Counter(end - start for start, end in runs)).most_common(1)
        self.group_size = usual[0][0] if usual else None
        numbers = [-1] * len(self._prompts)
        number = 0
        for start, end in runs:
            size = sizes[start]
            if size is None:
                size = self.group_size if self.group_size and (end - start) % self.group_size == 0 else end - start
            for first in range(start, end, size):
                for row in range(first, min(first + size, end)):
                    numbers[row] = number
                number += 1
        return numbers

    def _runs(self) -> list[tuple[int, int]]:
        """Rows of one prompt that stand together, batch by batch; a batch that is the one before again has none."""
        ends = [start for _, start in self._batches[1:]] + [len(self._prompts)]
        runs: list[tuple[int, int]] = []
        before: bytes | None = None
        self.repeated = []
        for (_, start), end in zip(self._batches, ends, strict=True):
            content = self._contents[start:end].tobytes()
            if content == before:
                self.repeated += range(start, end)
                continue
            before = content
            for _, rows in groupby(range(start, end), key=self._prompts.__getitem__):
                places = list(rows)
                runs.append((places[0], places[-1] + 1))
        return runs

    def _size_by_advantages(self, start: int, end: int) -> int | None:
        """The only size under which this run falls into groups with sum 0 and deviation 1; None where none does."""
        values = self._advantages[start:end].tolist()
        length = len(values)
        if any(map(math.isnan, values)) or not any(values):
            return None
        sizes = [size for size in range(2, length + 1) if length % size == 0]
        return next((size for size in sizes if _are_standardised(values, size)), None)


def _are_standardised(values: Sequence[float], size: int) -> bool:
    for first in range(0, len(values), size):
        group = values[first : first + size]
        squares = sum(value * value for value in group)
        if not squares:
            continue  # all rewards equal: no reward tells anything
        deviation = math.sqrt(squares / (size - 1))
        if abs(sum(group)) > SUM_TOLERANCE * size or abs(deviation - 1) > DEVIATION_TOLERANCE:
            return False
    return True
