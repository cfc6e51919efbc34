"""The engines by name."""

from ...registry import Registry
from ..base import Generator

__all__ = ["generators"]

generators: Registry[Generator] = Registry("generator", entry_point_group="rewardgate.generators")
"""Made of the model, its tokenizer and options of their own: `generators.create("hf", model, tokenizer, copy=True)`."""

generators.register("hf", "rewardgate.training.generation.hf:HfGenerator")
generators.register("vllm", "rewardgate.training.generation.vllm_offline:VllmGenerator")
generators.register("vllm_server", "rewardgate.training.generation.vllm_server:VllmServerGenerator")
