"""Random numbers that belong to a completion, not to a batch, and the token that one of them picks."""

import numpy as np
import torch
from torch import Tensor

__all__ = ["drawn", "uniforms"]


def uniforms(seed: int, prompt: int, sample: int, count: int) -> np.ndarray:
    """(count,) float64 in [0, 1), a stream of its own for every completion, the same on every machine.

    Args:
        seed: at least 0.
        prompt: which of the call.
        sample: which of the prompt.

    Example:
        >>> bool((uniforms(0, 2, 1, 8)[:3] == uniforms(0, 2, 1, 3)).all())
        True
    """
    # `random_raw` is a part of numpy that is kept the same for ever; what makes floats of it is not.
    raw = np.random.Philox(np.random.SeedSequence([seed, prompt, sample])).random_raw(count)
    # 48 bits: a product with a sum of float64 then stays below that sum.
    return (raw >> np.uint64(16)) * 2.0**-48


def drawn(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """(B,) the first token up to which the probabilities add up to more than `uniform` of their sum.

    One number a token, whatever else is in the batch, and a small change of the probabilities moves the token only
    where `uniform` lies that close to a boundary. A token without probability is never drawn.

    Args:
        probabilities: (B, V), not negative; they need not add up to exactly 1.
        uniform: (B,) float64 in [0, 1 - 2**-48].

    Example:
        >>> drawn(torch.tensor([[0.5, 0.0, 0.5]] * 3), torch.tensor([0.0, 0.49, 0.5], dtype=torch.float64))
        tensor([0, 0, 2])
    """
    # float32 would lose the tail of a large vocabulary: the sum of 150,000 terms is off by far more than the last.
    sums = probabilities.cumsum(-1, dtype=torch.float64)  # (B, V)
    return torch.searchsorted(sums, (uniform * sums[:, -1])[:, None], right=True)[:, 0]
