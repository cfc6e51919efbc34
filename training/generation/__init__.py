"""What samples completions: the model that is trained itself, a copy of it, or vLLM."""

from .hf import HfGenerator

__all__ = ["HfGenerator"]
