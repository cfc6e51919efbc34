"""A checkpoint on this disk: where it is, what its weights are called, and what tells it from another.

Single tensors are read by name, so that a head of two rows does not cost a vocabulary of 150,000.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import torch
from huggingface_hub import snapshot_download
from safetensors import safe_open
from torch import Tensor

from ...errors import ArgumentError

__all__ = ["Checkpoint", "find_checkpoint"]

_AROUND = ["*.json", "*.txt", "*.model", "*.jinja"]
_WEIGHTS = ("*.safetensors", "*.bin")


@dataclass(frozen=True)
class Checkpoint:
    """Files of one model.

    Args:
        folder: holds the configuration, the tokenizer and the weights: safetensors, whole or in shards with their
            index, or else what torch saved (read without unpickling any code).
        commit: of the hub's repository; None for a folder of the user's own.
    """

    folder: Path
    commit: str | None = None

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration as written."""
        return json.loads((self.folder / "config.json").read_text(encoding="utf-8"))

    @cached_property
    def files(self) -> list[Path]:
        """The files of weights.

        Raises:
            ArgumentError: there are none, or one of those that the index lists is missing.
        """
        for pattern in _WEIGHTS:
            stem = "model" if pattern == "*.safetensors" else "pytorch_model"
            index = self.folder / f"{stem}{pattern[1:]}.index.json"
            if index.is_file():
                named = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
                found = [self.folder / name for name in sorted(set(named))]
            else:
                found = [path for path in [self.folder / f"{stem}{pattern[1:]}"] if path.is_file()]
            for path in found:
                if not path.is_file():
                    raise ArgumentError(f"model: expected every shard that {index.name} lists, got no {path.name}")
            if found:
                return found
        adapter = "; merge the adapter into its base model" if (self.folder / "adapter_config.json").is_file() else ""
        raise ArgumentError(
            f"model: expected model.safetensors, or shards and their index, in {self.folder}, got none{adapter}"
        )

    @cached_property
    def tensors(self) -> dict[str, Path]:
        """The file of each tensor, by name."""
        return {name: path for path in self.files for name in _names(path)}

    def tensor(self, name: str, rows: tuple[int, ...] | None = None) -> Tensor:
        """One tensor in float32; of a matrix, these `rows` alone.

        Raises:
            ArgumentError: the checkpoint has no tensor of that name.
        """
        path = self.tensors.get(name)
        if path is None:
            raise ArgumentError(f"model: expected a tensor {name} in {self.folder}, got none")
        if path.suffix == ".bin":
            found = _saved_by_torch(path)[name]
            found = found if rows is None else found[list(rows)]
        else:
            with safe_open(path, "pt") as weights:
                part = weights.get_slice(name)
                found = part[:] if rows is None else torch.cat([part[row : row + 1] for row in rows])
        return found.float()

    @cached_property
    def digest(self) -> str:
        """The commit on the hub; or a hash of the configuration, the tokenizer and all weights (a second a GB)."""
        if self.commit is not None:
            return self.commit[:16]
        total = sha256()
        around = {path for pattern in _AROUND for path in self.folder.glob(pattern)}
        for path in sorted({*around, *self.files}):
            total.update(path.name.encode())
            with path.open("rb") as content:
                while block := content.read(1 << 24):
                    total.update(block)
        return total.hexdigest()[:16]


def find_checkpoint(model: str | Path, revision: str | None = None) -> Checkpoint:
    """The checkpoint in a local folder, or of a model of the hub, which is downloaded where it is not in the cache.

    Args:
        model: a folder that holds `config.json`, or the id of a model.
        revision: of the hub's repository: a branch, a tag or a commit.

    Raises:
        ArgumentError: neither can be found, or a revision is asked of a folder.
    """
    folder = Path(model)
    if folder.is_dir():
        if revision is not None:
            raise ArgumentError(f"revision: expected none for a local folder, got {revision!r}")
        if not (folder / "config.json").is_file():
            raise ArgumentError(f"model: expected a folder with config.json, got {model}")
        return Checkpoint(folder)
    try:
        for pattern in _WEIGHTS:
            folder = Path(snapshot_download(str(model), revision=revision, allow_patterns=[*_AROUND, pattern]))
            if any(folder.glob(pattern)):
                break
    except Exception as error:  # of the hub's client, of the network below it, or a name that no repository can have
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"model: expected a folder or the id of a model, got {model}: {reason}") from error
    return Checkpoint(folder, commit=folder.name)


def _names(path: Path) -> list[str]:
    if path.suffix == ".bin":
        return list(_saved_by_torch(path))
    with safe_open(path, "pt") as weights:
        return list(weights.keys())


def _saved_by_torch(path: Path) -> dict[str, Tensor]:
    # What torch saved before its version 1.6 is no archive, and cannot be mapped.
    return torch.load(path, map_location="cpu", mmap=is_zipfile(path), weights_only=True)
