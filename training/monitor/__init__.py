"""Is this run still learning, and if not, which layer to change first: every step's figures, alerts, and logs."""

from .monitor import Monitor, StepReport
from .record import HeldOut, StepRecord
from .writers import Writer, writers

__all__ = ["HeldOut", "Monitor", "StepRecord", "StepReport", "Writer", "writers"]
