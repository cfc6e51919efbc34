"""Completions by arithmetic, of whatever weights, prompt and seed: for stand-ins of vLLM's engine and its server."""

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import safetensors.numpy

VOCABULARY = 61


def weights_in(folder: str | Path) -> float:
    """One number for all weights of a checkpoint."""
    tensors = safetensors.numpy.load_file(Path(folder) / "model.safetensors")
    return float(sum(float(abs(one).sum()) for one in tensors.values()))


def arithmetic_samples(
    weights: float, prompt: Sequence[int], *, n: int, seed: int, max_tokens: int, stop_token_ids: Sequence[int]
) -> list[tuple[list[int], list[float], str]]:
    """Token ids, log-probabilities and why it ended, of each sample; the k-th has the seed `seed + k`, as vLLM's."""
    found = []
    for number in range(n):
        state = crc32(repr((round(weights, 2), list(prompt), seed + number)).encode())
        ids: list[int] = []
        logprobs: list[float] = []
        while len(ids) < max_tokens and not (ids and ids[-1] in stop_token_ids):
            state = crc32(b"next", state)
            ids.append(stop_token_ids[0] if state % 7 == 0 else 3 + state % 50)
            logprobs.append(-(state % 1000) / 100)
        found.append((ids, logprobs, "stop" if ids[-1] in stop_token_ids else "length"))
    return found
