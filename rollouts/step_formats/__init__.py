"""Step-labelled solutions, in the layouts in which they are published; each is known by its fields."""

from .layouts import LAYOUTS, StepLayout
from .reading import StepReading, layout_of, read_steps
from .records import StepTrace

__all__ = ["LAYOUTS", "StepLayout", "StepReading", "StepTrace", "layout_of", "read_steps"]
