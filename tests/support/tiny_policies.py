"""Random causal language models that speak in characters, small enough for a CPU. Needs torch."""

from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config

ALPHABET = "0123456789+=\n"
PAD, END = "<pad>", "<end>"


def character_tokenizer(alphabet: str = ALPHABET) -> PreTrainedTokenizerFast:
    """A token a character, and `<end>` behind an answer."""
    vocabulary = {token: number for number, token in enumerate((PAD, END, *alphabet))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=PAD))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=PAD)


def save_tiny_policy(folder: Path, *, alphabet: str = ALPHABET, seed: int = 0, **options: Any) -> Path:
    """A random Qwen2 in `folder`, with its tokenizer."""
    tokenizer = character_tokenizer(alphabet)
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 64,
        "tie_word_embeddings": False,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        **options,
    }
    torch.manual_seed(seed)
    AutoModelForCausalLM.from_config(Qwen2Config(**shape)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
