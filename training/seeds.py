"""Random numbers of a run: every draw has a seed of its own, made of the run's seed, its purpose and its step.

So nothing draws from a generator that goes on from step to step, and a resumed run needs no state of one.
"""

from enum import IntEnum

import numpy as np

__all__ = ["Stream", "seed_of"]


class Stream(IntEnum):
    """What is drawn; the numbers are part of what a seed means and never change."""

    DRAWS = 0
    SAMPLES = 1
    EVALUATION = 2


def seed_of(seed: int, stream: Stream, *numbers: int) -> int:
    """A seed in [0, 2^63), the same on every machine.

    Example:
        >>> seed_of(0, Stream.DRAWS, 1) == seed_of(0, Stream.DRAWS, 1) != seed_of(0, Stream.SAMPLES, 1)
        True
    """
    sequence = np.random.SeedSequence([seed, int(stream), *numbers])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
