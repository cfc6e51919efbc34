"""Which problems a threshold is chosen on: half of them, by the seed and their ids alone."""

import hashlib
from collections.abc import Sequence

import numpy as np

from .scored import BoolArray

__all__ = ["is_chosen_on"]


def is_chosen_on(problem_ids: Sequence[str], *, seed: int) -> BoolArray:
    """(n,) True marks the rows whose problem belongs to the half that the threshold is chosen on.

    All rows of a problem are on one side: a threshold that has seen a problem is not reported on it. The side depends
    on the seed and on which problems there are, not on the order of the rows. Of an odd number the threshold gets the
    smaller half; a single problem is reported on.

    Example:
        >>> is_chosen_on(["p", "q", "p", "r", "s"], seed=0).tolist()
        [False, True, False, False, True]
    """
    problems = sorted(set(problem_ids), key=lambda problem: _digest(problem, seed))
    chosen = set(problems[: len(problems) // 2])
    return np.array([problem in chosen for problem in problem_ids], dtype=np.bool_)


def _digest(problem: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{problem}".encode("utf-8", "surrogatepass")).digest()
