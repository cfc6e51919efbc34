"""What the blocks of a distributed run come to, and the proof that none is missing. Needs no Ray."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..errors import InputError, WorkerDiedError, WorkerError
from .ray_folder import RunFolder
from .ray_inputs import InputFile
from .ray_rows import FAILED

__all__ = ["Total"]

_SHOWN = 3


class Total:
    """Counts blocks, each once.

    Args:
        folder: where they are.
        progress: is told after each block how many rows there are.

    Attributes:
        n_rows, counts: of all blocks.
        n_found: blocks that were there before the run.
    """

    def __init__(self, folder: RunFolder, progress: Callable[[int], None] | None) -> None:
        self._folder = folder
        self._progress = progress
        self._rows_of: dict[int, dict[int, int]] = {}  # file -> block -> rows
        self._failed: dict[int, str] = {}
        self._deadly: list[tuple[int, str]] = []
        self.n_rows = 0
        self.n_found = 0
        self.counts = Counter[str]()

    @property
    def n_blocks(self) -> int:
        """How many there are."""
        return sum(map(len, self._rows_of.values()))

    def found(self, file: InputFile) -> InputFile:
        """Count the blocks of a file that are there already; the file without those that cannot be read."""
        whole = set[int]()
        for number in sorted(file.done):
            part = self._folder.read_part(file.number, number)
            if part is not None:
                whole.add(number)
                self._count(file.number, number, part.n_rows, part.counts)
        self.n_found += len(whole)
        return replace(file, done=frozenset(whole))

    def add(self, file: int, number: int, n_rows: int, counts: Mapping[str, int], problem: str) -> None:
        """Count a block that was judged, or take note of why it was not."""
        if number == FAILED:
            self._failed[file] = problem
        elif problem:
            self._deadly.append((file, problem))
        elif number not in self._rows_of.get(file, ()):
            self._count(file, number, n_rows, counts)
        if self._progress is not None:
            self._progress(self.n_rows)

    def check(self, files: Sequence[InputFile]) -> None:
        """Nothing is missing.

        Raises:
            InputError: a file could not be read; nothing is left of it.
            WorkerDiedError: a block ended its actors.
            WorkerError: a block is not there, or has not the rows that were read.
        """
        for number in self._failed:
            self._folder.forget(number)
        if self._deadly:
            paths = {file.number: file.path for file in files}
            told = "; ".join(f"{paths[file]}: {problem}" for file, problem in self._deadly[:_SHOWN])
            raise WorkerDiedError(f"{len(self._deadly)} blocks cannot be judged: {told}; all others are there")
        for file in files:
            if file.number in self._failed:
                continue
            size, rows = self._folder.size(file.number), self._rows_of.get(file.number, {})
            missing = [block for block in rows if not self._folder.part(file.number, block).exists()]
            if size != (len(rows), sum(rows.values())) or missing:
                raise WorkerError(f"{file.path}: expected {size} (blocks, rows), got {len(rows), sum(rows.values())}")
        if self._failed:
            told = "; ".join([*self._failed.values()][:_SHOWN])
            raise InputError(
                f"{len(self._failed)} of {len(files)} files cannot be read: {told}; all others are judged, and are not "
                "judged again when the call is given again"
            )

    def _count(self, file: int, number: int, n_rows: int, counts: Mapping[str, int]) -> None:
        self._rows_of.setdefault(file, {})[number] = n_rows
        self.n_rows += n_rows
        self.counts.update(counts)
