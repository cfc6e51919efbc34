"""Causal language models of the families that people train, a few thousand random weights each; nothing is loaded."""

from typing import Any

import torch
import transformers
from transformers import PreTrainedModel

VOCABULARY = 61

FAMILIES: dict[str, dict[str, Any]] = {
    "Qwen2": {"tie_word_embeddings": True},
    "Qwen3": {},
    "Llama": {},
    "Mistral": {},
    "Gemma": {},
    "Gemma2": {},
    "Gemma3Text": {},
    "Granite": {"logits_scaling": 3.0},
    "Cohere": {"logit_scale": 0.25},
}
"""Name of the configuration class less `Config` -> what is not its default."""


def small_model(family: str, *, seed: int = 0, **changes: Any) -> PreTrainedModel:
    """Two layers, width 16, 61 tokens, float32, in evaluation mode."""
    options = {
        "vocab_size": VOCABULARY,
        "hidden_size": 16,
        "intermediate_size": 24,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "max_position_embeddings": 64,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    config = getattr(transformers, f"{family}Config")(**{**options, **FAMILIES.get(family, {}), **changes})
    torch.manual_seed(seed)
    return transformers.AutoModelForCausalLM.from_config(config).eval()
