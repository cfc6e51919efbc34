"""A run on disk: its logs, its checkpoints, and what was sampled ahead of them."""

from .checkpoint import Checkpoint, latest_checkpoint, load_weights, save_checkpoint
from .run_folder import RunFolder

__all__ = ["Checkpoint", "RunFolder", "latest_checkpoint", "load_weights", "save_checkpoint"]
