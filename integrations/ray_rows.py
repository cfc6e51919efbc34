"""The rows of a file as blocks on their way to another process: what the local command reads, cut by number.

Where a block ends depends on the file alone, so that a block read again is the same block. Needs no Ray.
"""

import pickle
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import RewardgateError
from ..rollouts.messages import completion_text, prompt_text
from ..rollouts.reading import read_rows
from ..rollouts.records import Rollout
from ..rollouts.refusals import Refusal
from .ray_folder import RunFolder
from .ray_inputs import InputFile

__all__ = ["FAILED", "RowBlock", "row_blocks", "unpacked"]

FAILED = -1
"""The number of a block that tells why a file could not be read."""
LARGE_CHARACTERS = 1 << 26
"""A block of more is closed before it has its rows: it has to fit into memory several times."""
STRIDE = 64
"""Rows between two places at which a block may end: what asks about rows in batches of so many gets the same ones."""


class RowBlock(NamedTuple):
    """A few thousand rows of one file.

    Args:
        file: the input's number.
        path: of the input, as it was given.
        number: of the block in the file; `FAILED` where the file could not be read on.
        start: number of its first row in the file.
        rows: pickled: a rollout loads four times as fast as one is built.
        problem: why the file could not be read; empty where it could.
    """

    file: int
    path: str
    number: int
    start: int
    rows: bytes
    problem: str = ""


def row_blocks(
    folder: RunFolder, file: InputFile, options: Mapping[str, Any], *, path: str, block_rows: int
) -> Iterator[RowBlock]:
    """The blocks of a file that `folder` does not have, then its size into `folder`.

    Args:
        options: of `read_rows`.
        path: where the file lies.
        block_rows: rows of a block, a multiple of `STRIDE`.
    """
    number = start = 0
    try:
        for rows in _cut(read_rows(path, **options), block_rows):
            if number not in file.done:
                yield RowBlock(file.number, file.path, number, start, pickle.dumps(rows, protocol=5))
            number, start = number + 1, start + len(rows)
    except (RewardgateError, OSError) as error:
        yield RowBlock(file.number, file.path, FAILED, start, b"", str(error))
        return
    folder.note_size(file.number, n_blocks=number, n_rows=start)


def unpacked(block: RowBlock) -> list[Rollout | Refusal]:
    """The rows of a block."""
    return pickle.loads(block.rows)


def _cut(rows: Iterator[Rollout | Refusal], block_rows: int) -> Iterator[list[Rollout | Refusal]]:
    block: list[Rollout | Refusal] = []
    n_characters = 0
    for row in rows:
        block.append(row)
        n_characters += _characters(row)
        if len(block) >= block_rows or (n_characters >= LARGE_CHARACTERS and len(block) % STRIDE == 0):
            yield block
            block, n_characters = [], 0
    if block:
        yield block


def _characters(row: Rollout | Refusal) -> int:
    if isinstance(row, Refusal):
        return 0
    response = 0 if row.response is None else len(completion_text(row.response))
    return response + (0 if row.prompt is None else len(prompt_text(row.prompt)))
