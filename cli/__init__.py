"""The `rewardgate` command, one file a command; see `command`."""

from .command import app, main

__all__ = ["app", "main"]
