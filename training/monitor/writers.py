"""Where figures go besides `metrics.jsonl`: what other people watch their runs with, each an option of its own."""

from collections.abc import Mapping
from typing import Protocol

from ...registry import Registry

__all__ = ["Writer", "writers"]


class Writer(Protocol):
    """Takes the figures of every step. Made as `factory(folder, **options)`, with the run's folder."""

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Log the known figures of a step: none is NaN or infinite."""
        ...

    def close(self) -> None:
        """Write out what is held; more than once is allowed."""
        ...


writers: Registry[Writer] = Registry("writer", entry_point_group="rewardgate.writers")
"""By name; a factory is called with the run's folder."""

writers.register("tensorboard", "rewardgate.training.monitor.to_tensorboard:TensorBoardWriter")
writers.register("trackio", "rewardgate.training.monitor.to_trackio:TrackioWriter")
writers.register("wandb", "rewardgate.training.monitor.to_wandb:WandbWriter")
