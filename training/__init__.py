"""The whole loop: prompts are drawn, completions sampled and judged, and a policy updated from what they teach."""

from .base import Generator, Sampled, Sampling

__all__ = ["Generator", "Sampled", "Sampling"]
