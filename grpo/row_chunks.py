"""Rows cut into chunks of nearly equal length, so that what one row needs many bytes of fits a memory budget."""

from math import ceil, isfinite

import torch

from ..errors import ArgumentError

__all__ = ["budget_bytes", "row_chunks"]

MIB = 1 << 20

CPU_MIB, ACCELERATOR_MIB = 128, 2048
"""Where the caller names no budget. A chunk's matrix products must be large enough to run at full speed, and an
accelerator adds every chunk's weight gradient to one in its memory, which must cost less than the product itself."""

EVEN_ROWS = 16
"""Longer chunks are multiples of this: matrix units work on tiles, and a ragged edge costs a whole one."""


def budget_bytes(chunk_mib: float | None, device: torch.device) -> int:
    """The budget in bytes; None asks for the device's usual one.

    Raises:
        ArgumentError: a budget that is not positive.
    """
    if chunk_mib is None:
        return (CPU_MIB if device.type == "cpu" else ACCELERATOR_MIB) * MIB
    if not (chunk_mib > 0 and isfinite(chunk_mib)):
        raise ArgumentError(f"chunk_mib: expected a positive number or None, got {chunk_mib}")
    return int(chunk_mib * MIB)


def row_chunks(n_rows: int, row_bytes: int, budget: int) -> list[slice]:
    """Slices that tile `range(n_rows)`, as few as the budget allows and of nearly equal length.

    A chunk has one row at least, so that a budget below `row_bytes` is passed rather than nothing done.

    Example:
        >>> row_chunks(10, row_bytes=100, budget=450)
        [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
        >>> row_chunks(0, row_bytes=100, budget=450)
        []
    """
    most = max(1, budget // row_bytes)
    if most > EVEN_ROWS:
        most -= most % EVEN_ROWS
    if n_rows <= most:
        return [slice(0, n_rows)] if n_rows else []
    length = ceil(n_rows / ceil(n_rows / most))
    if length > EVEN_ROWS:
        length = min(most, ceil(length / EVEN_ROWS) * EVEN_ROWS)
    return [slice(start, min(start + length, n_rows)) for start in range(0, n_rows, length)]
