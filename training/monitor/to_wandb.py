"""Figures as a run of Weights & Biases; its own settings (`WANDB_MODE=offline`, …) hold."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import MissingExtraError

try:
    import wandb  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise MissingExtraError("wandb is not installed; pip install 'rewardgate[wandb]'") from error

__all__ = ["WandbWriter"]

_ID_FILE = "wandb_id.txt"


class WandbWriter:
    """Logs to Weights & Biases.

    A run that is resumed in its folder goes on as the same run there. Steps are a figure of their own, because W&B
    refuses to count backwards, as a resumed run does.

    Args:
        folder: of the run.
        project: of W&B.
        name: of the run; its folder's where None.
        mode: `"online"`, `"offline"` or `"disabled"`; where None, what W&B's settings say.
    """

    def __init__(self, folder: Path, *, project: str = "rewardgate", name: str | None = None, mode: Any = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        known = folder / _ID_FILE
        run_id = known.read_text().strip() if known.exists() else None
        self._run = wandb.init(
            project=project, name=name or folder.resolve().name, dir=folder, mode=mode, id=run_id, resume="allow"
        )
        known.write_text(self._run.id + "\n")
        self._run.define_metric("step")
        self._run.define_metric("*", step_metric="step")

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Log the figures of a step."""
        self._run.log({"step": step, **figures})

    def close(self) -> None:
        """End the run there."""
        self._run.finish()
