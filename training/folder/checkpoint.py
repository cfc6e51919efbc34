"""A run on disk: everything that the next step depends on, in a folder that is there whole or not at all.

    step_000050/model.safetensors   the weights, with config.json and the tokenizer: a model of transformers
    step_000050/optimizer.pt        its moments; tensors and numbers, nothing that runs when it is read
    step_000050/state.json          counters, pools, estimators, the monitor, and how long the logs were
    step_000050/ahead.jsonl         groups that were sampled for the next step already, where there are any

Files are written beside their place, forced to the disk, and take their name in one step; an old checkpoint goes only
when a newer one stands. Random numbers have no state: see `seeds`.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_model, save_model
from torch import nn

from ...errors import ArgumentError, InputError
from ...rollouts.run_files import step_name, step_of

__all__ = ["Checkpoint", "latest_checkpoint", "load_weights", "save_checkpoint"]

SCHEMA = "rewardgate.checkpoint/1"
_PART, _OLD = ".part", ".old"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One that is whole.

    Args:
        path: of its folder.
        state: what `save_checkpoint` was given.
        ahead: lines of what was sampled for the next step; empty where nothing was.
    """

    path: Path
    state: Mapping[str, Any]
    ahead: tuple[str, ...]


def save_checkpoint(
    folder: Path,
    step: int,
    model: nn.Module,
    optimizer: Any,
    tokenizer: Any,
    state: Mapping[str, Any],
    *,
    ahead: tuple[str, ...] = (),
    keep: int,
) -> Path:
    """Write the checkpoint of a step.

    Args:
        folder: of all checkpoints.
        optimizer: its `state_dict` is kept.
        tokenizer: of transformers, or None.
        state: plain values.
        keep: the newest so many stay.

    Raises:
        ArgumentError: weights that are not finite: nothing can go on from them.
        OSError: it could not be written; those before it are untouched.
    """
    if not all(bool(one.isfinite().all()) for one in model.parameters()):
        raise ArgumentError("weights: expected finite numbers, got others")
    place = folder / step_name(step)
    part = folder / f"{place.name}{_PART}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        _save_model(part, model, tokenizer)
        torch.save(optimizer.state_dict(), part / "optimizer.pt")
        told = {"schema": SCHEMA, "step": step, **state}
        (part / "state.json").write_text(json.dumps(told), encoding="ascii")
        if ahead:
            (part / "ahead.jsonl").write_text("".join(f"{line}\n" for line in ahead), encoding="ascii")
        for path in sorted(part.rglob("*")):
            _to_disk(path)
        _to_disk(part)
    except (OSError, RuntimeError, SafetensorError) as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError):
            raise
        # torch and safetensors tell of a full disk in words of their own.
        raise OSError(str(error)) from error
    _forget(place)  # of the same step, where a run was resumed before it
    part.rename(place)
    _to_disk(folder)
    for old in sorted(_whole(folder))[:-keep]:
        _forget(old)
    return place


def latest_checkpoint(folder: Path) -> Checkpoint | None:
    """The newest whole one; what a killed process left half written or half deleted is removed.

    Raises:
        InputError: it cannot be read.
    """
    for remnant in (*folder.glob(f"*{_PART}"), *folder.glob(f"*{_OLD}")):
        shutil.rmtree(remnant, ignore_errors=True)
    whole = sorted(_whole(folder))
    if not whole:
        return None
    try:
        state = json.loads((whole[-1] / "state.json").read_text(encoding="ascii"))
        ahead = whole[-1] / "ahead.jsonl"
        lines = tuple(ahead.read_text(encoding="ascii").splitlines()) if ahead.exists() else ()
    except (OSError, ValueError) as error:
        raise InputError(f"{whole[-1]}: expected a checkpoint, got: {error}") from error
    if state.get("schema") != SCHEMA:
        raise InputError(f"{whole[-1]}: expected a checkpoint of schema {SCHEMA}, got {state.get('schema')}")
    return Checkpoint(whole[-1], state, lines)


def load_weights(checkpoint: Checkpoint, model: nn.Module, optimizer: Any) -> None:
    """Give model and optimizer what they had.

    Raises:
        InputError: it is not theirs.
    """
    try:
        load_model(model, checkpoint.path / "model.safetensors", strict=True)
        optimizer.load_state_dict(torch.load(checkpoint.path / "optimizer.pt", map_location="cpu", weights_only=True))
    except Exception as error:  # whatever the readers of tensors raise
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"{checkpoint.path}: expected a checkpoint of this model, got: {reason}") from error


def _save_model(folder: Path, model: nn.Module, tokenizer: Any) -> None:
    save_model(model, str(folder / "model.safetensors"), metadata={"format": "pt"})
    for about in (getattr(model, "config", None), getattr(model, "generation_config", None), tokenizer):
        if about is not None and hasattr(about, "save_pretrained"):
            about.save_pretrained(folder)


def _whole(folder: Path) -> list[Path]:
    return [path for path in folder.glob("step_*") if step_of(path) is not None] if folder.is_dir() else []


def _forget(place: Path) -> None:
    """Delete a folder that a reader must not find half deleted."""
    if place.exists():
        old = place.with_name(f"{place.name}{_OLD}")
        shutil.rmtree(old, ignore_errors=True)
        place.rename(old)
        shutil.rmtree(old, ignore_errors=True)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
