"""What flows: rollouts and groups, and the files they are read from and written to."""

from .records import Group, Rollout, Source

__all__ = ["Group", "Rollout", "Source"]
