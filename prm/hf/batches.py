"""Which inputs go through the model together: batches of similar length, and beginnings that are computed once.

Pure arithmetic on token ids; neither the order of the inputs nor how they are put together may change a score.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["MIN_SHARED", "Bundle", "Input", "bundles", "shared_length"]

MIN_SHARED = 16
"""Tokens that a beginning must have to be computed by itself; a guess at where the extra pass costs what it saves."""

_FILL = 0.75
"""A batch takes inputs at least this long, relative to its longest: what is padded is computed all the same."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the model.

    Args:
        ids: (T,) token ids up to the last that is read, as the bytes of int32: hashable, and a ninth of the memory
            of a list of Python's integers.
        positions: at which of them, ascending; at least one.
        prompt: equal for inputs that begin alike.
    """

    ids: bytes
    positions: tuple[int, ...]
    prompt: Hashable

    @classmethod
    def of(cls, ids: Sequence[int], positions: Sequence[int], prompt: Hashable) -> "Input":
        """The input of `ids`, without what stands behind the last position: nothing read sees it."""
        return cls(np.array(ids[: positions[-1] + 1], np.int32).tobytes(), tuple(positions), prompt)

    def __len__(self) -> int:
        return self.positions[-1] + 1

    @property
    def tokens(self) -> npt.NDArray[np.int32]:
        """(T,) the ids as numbers; not to be written to."""
        return np.frombuffer(self.ids, np.int32)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Batches of inputs that begin with the same tokens.

    Args:
        shared: how many tokens they share and none of them is read at; 0: they are computed whole.
        batches: numbers of inputs, the longest first.
    """

    shared: int
    batches: tuple[tuple[int, ...], ...]


def bundles(inputs: Sequence[Input], *, batch_tokens: int, reuse: bool) -> Iterator[Bundle]:
    """Every input in one batch of one bundle.

    Args:
        inputs: in any order.
        batch_tokens: the most tokens of a batch, padding and shared ones included; a longer input is alone.
        reuse: whether the shared tokens of several inputs of one prompt are computed once.
    """
    by_prompt: dict[Hashable, list[int]] = {}
    for number, one in enumerate(inputs):
        by_prompt.setdefault(one.prompt, []).append(number)
    alone: list[int] = []
    for members in by_prompt.values():
        shared = shared_length([inputs[number] for number in members]) if reuse and len(members) > 1 else 0
        if shared < MIN_SHARED:
            alone += members
        else:
            yield Bundle(shared, tuple(_batches(inputs, members, shared, batch_tokens)))
    if alone:
        yield Bundle(0, tuple(_batches(inputs, alone, 0, batch_tokens)))


def shared_length(inputs: Sequence[Input]) -> int:
    """How many tokens all inputs begin with, short of the first that any of them is read at.

    Example:
        >>> shared_length([Input.of([5, 6, 7], [2], ""), Input.of([5, 6, 8], [2], "")])
        2
    """
    end = min(one.positions[0] for one in inputs)
    # Where the least and the greatest agree, everything between them does.
    first, last = (extreme(inputs, key=lambda one: one.ids).tokens[:end] for extreme in (min, max))
    differs = first != last
    return int(differs.argmax()) if differs.any() else end


def _batches(
    inputs: Sequence[Input], numbers: Sequence[int], shared: int, batch_tokens: int
) -> Iterator[tuple[int, ...]]:
    batch: list[int] = []
    longest = 0
    for number in sorted(numbers, key=lambda one: len(inputs[one]), reverse=True):
        own = len(inputs[number]) - shared
        is_full = (len(batch) + 1) * (shared + longest) > batch_tokens
        if batch and (is_full or own < _FILL * longest):
            yield tuple(batch)
            batch = []
        if not batch:
            longest = own
        batch.append(number)
    yield tuple(batch)
