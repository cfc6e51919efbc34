"""What samples completions: the model that is trained itself, a copy of it, or vLLM."""

from .engines import generators
from .hf import HfGenerator
from .mismatch import SamplerMismatch, sampler_mismatch
from .vllm_offline import VllmGenerator
from .vllm_server import VllmServerGenerator

__all__ = [
    "HfGenerator",
    "SamplerMismatch",
    "VllmGenerator",
    "VllmServerGenerator",
    "generators",
    "sampler_mismatch",
]
