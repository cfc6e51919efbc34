"""The running scale of the gate beside a trainer's checkpoint, so that a resumed training scales as the stopped one."""

import json
from dataclasses import asdict
from pathlib import Path

from ..errors import InputError
from ..grpo import ScaleState

__all__ = ["FILE_NAME", "read_scale", "write_scale"]

FILE_NAME = "gate_scale.json"


def write_scale(folder: Path, state: ScaleState) -> None:
    """Write `state` into a checkpoint's folder."""
    (folder / FILE_NAME).write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")


def read_scale(folder: Path) -> ScaleState:
    """The state in a checkpoint's folder; a new one where a training without the gate wrote the checkpoint.

    Raises:
        InputError: the file is there and holds something else.
    """
    path = folder / FILE_NAME
    try:
        return ScaleState(**json.loads(path.read_bytes()))
    except FileNotFoundError:
        return ScaleState()
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path}: expected the gate's running scale, got: {error}") from error
