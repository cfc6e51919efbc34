"""A model written where another process reads it: a folder that always holds one whole checkpoint."""

import copy
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from torch import nn

from ...errors import ArgumentError

__all__ = ["WeightsFolder"]

_IN_MEMORY = Path("/dev/shm")


class WeightsFolder:
    """A temporary folder for the newest weights that were written to it, as transformers writes a checkpoint.

    Args:
        model: of the size and the kind that will be written.
        parent: where the folder is made; None: in memory (`/dev/shm`) where there is room for two copies of `model`,
            else where temporary files are.

    Attributes:
        path: the checkpoint; empty before the first `write`.
    """

    def __init__(self, model: nn.Module, parent: str | Path | None = None) -> None:
        within = _roomy(_saved_bytes(model)) if parent is None else parent
        self._folder = tempfile.TemporaryDirectory(prefix="rewardgate-weights-", dir=within)
        self.path = Path(self._folder.name) / "checkpoint"
        self.path.mkdir()

    def write(self, model: nn.Module) -> None:
        """Put the weights of `model` in the place of the older ones; where that fails, those stay.

        Raises:
            ArgumentError: a model that transformers cannot save.
            OSError: there is no room.
        """
        arriving = self.path.with_name("arriving")
        shutil.rmtree(arriving, ignore_errors=True)
        # One file: it is replaced at once or not at all.
        _saveable(model).save_pretrained(arriving, max_shard_size="1000GB")
        for file in sorted(arriving.iterdir()):
            os.replace(file, self.path / file.name)
        arriving.rmdir()

    def remove(self) -> None:
        """Delete it; more than once is allowed."""
        self._folder.cleanup()


def _saveable(model: nn.Module) -> Any:
    """The model of transformers inside its wrappers; of one with adapters, a copy that they are merged into."""
    inner: Any = model
    while not hasattr(inner, "merge_and_unload"):
        wrapped = next((getattr(inner, name) for name in ("_orig_mod", "module") if hasattr(inner, name)), None)
        if not isinstance(wrapped, nn.Module):
            break
        inner = wrapped
    if hasattr(inner, "merge_and_unload"):
        # Merged in a copy: taking adapters out of the weights again would leave them changed by the rounding.
        inner = copy.deepcopy(inner).merge_and_unload()
    if not hasattr(inner, "save_pretrained"):
        raise ArgumentError(f"model: expected one that transformers can save, got {type(inner).__name__}")
    return inner


def _saved_bytes(model: nn.Module) -> int:
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())


def _roomy(size: int) -> Path | None:
    # Two copies: the older one stays until the newer is whole.
    if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > 2.2 * size:
        return _IN_MEMORY
    return None
