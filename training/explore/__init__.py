"""What a model can do with some prompts before it is trained on them: which group size, which temperature."""

from .exploring import explore
from .report import AtTemperature, ExploreReport, Recommendation, Setting, Share

__all__ = ["AtTemperature", "ExploreReport", "Recommendation", "Setting", "Share", "explore"]
