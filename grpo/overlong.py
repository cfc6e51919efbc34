"""Soft punishment of overlong completions: something to add to a reward, never to a verdict."""

import torch
from torch import Tensor

from ..errors import ArgumentError
from .shapes import check_numbers

__all__ = ["overlong_penalties"]


def overlong_penalties(lengths: Tensor, *, max_tokens: int, buffer: int, factor: float = 1.0) -> Tensor:
    """0 up to max_tokens - buffer, then falling evenly to -factor at max_tokens, and there beyond.

    Add it to what the estimator compares (`gate(..., rewards=outcomes + penalties)`), not to the outcome: a group that
    is all wrong at different lengths is still all wrong, and to every filter on equal rewards it no longer looks so.

    Args:
        lengths: (B,) tokens of each completion, any real dtype.
        max_tokens: L_max, at which generation stops.
        buffer: L_cache, in 1..max_tokens: the last tokens of L_max, in which the punishment grows.
        factor: at least 0; DAPO's is 1, for rewards of 1 and -1.

    Returns:
        (B,) in [-factor, 0], float.

    Raises:
        ArgumentError: numbers outside those ranges.

    Source:
        DAPO (arXiv 2503.14476), eq. 13, with L_max 20480 and L_cache 4096. TRL's `get_soft_overlong_punishment` and
        verl's `overlong_buffer` have the same.

    Example:
        >>> overlong_penalties(torch.tensor([80, 90, 100, 120]), max_tokens=100, buffer=20)
        tensor([ 0.0000, -0.5000, -1.0000, -1.0000])
    """
    check_numbers("lengths", lengths)
    if not 1 <= buffer <= max_tokens:
        raise ArgumentError(f"buffer: expected 1..max_tokens = {max_tokens}, got {buffer}")
    if not factor >= 0:
        raise ArgumentError(f"factor: expected a number of at least 0, got {factor}")
    dtype = lengths.dtype if lengths.is_floating_point() else torch.get_default_dtype()
    over = (lengths.detach().to(dtype) - (max_tokens - buffer)) / buffer
    return -factor * over.clamp(0, 1) + 0.0  # not -0.0
