"""One step of a run: groups to advantages, advantages to an update, and what the monitor is told of both."""

from .stepping import StepDone, Stepper

__all__ = ["StepDone", "Stepper"]
