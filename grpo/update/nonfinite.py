"""A batch whose gradient was not finite, kept to be looked at."""

from dataclasses import fields
from pathlib import Path

import torch

from .batch import UpdateBatch

__all__ = ["load_batch", "save_batch"]


def save_batch(folder: Path | str, batch: UpdateBatch, *, number: int, rank: int) -> str:
    """Write `nonfinite-{number}-rank{rank}.pt` into a folder, which is made; returns its path."""
    path = Path(folder) / f"nonfinite-{number:06d}-rank{rank}.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {entry.name: getattr(batch, entry.name) for entry in fields(batch)}
    kept |= {name: list(kept[name]) for name in ("prompt_ids", "completion_ids")}
    torch.save(kept, path)
    return str(path)


def load_batch(path: Path | str) -> UpdateBatch:
    """The batch of a file that `save_batch` wrote, on the CPU; nothing but tensors is unpickled."""
    return UpdateBatch(**torch.load(path, map_location="cpu", weights_only=True))
