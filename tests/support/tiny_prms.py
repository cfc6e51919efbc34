"""Tokenizers and random checkpoints of every family of process reward models, small enough for a CPU. Needs torch.

The tokenizers are real ones of each family's kind: byte-level BPE with a chat template (Qwen's and Llama 3's), and
a SentencePiece-like BPE that puts a space before a text (Llama 2's and Mistral's).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
from small_tokenizers import byte_level_bpe
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers
from torch import nn
from transformers import (
    AutoModelForCausalLM,
    AutoModelForTokenClassification,
    LlamaConfig,
    MistralConfig,
    PretrainedConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
)

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
)
LLAMA3 = (
    "{{ bos_token }}<|start_header_id|>system<|end_header_id|>\n\nToday Date: {{ date_string }}\n\n<|eot_id|>"
    "{% for message in messages %}{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' "
    "+ message['content'] | trim + '<|eot_id|>' }}{% endfor %}"
)


def byte_level(*special: str) -> Tokenizer:
    """A copy of the byte-level BPE with these special tokens, whose ids lie above its own."""
    tokenizer = Tokenizer.from_str(byte_level_bpe().to_str())
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    return tokenizer


@cache
def qwen_tokenizer() -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level("<|endoftext|>", "<|im_start|>", "<extra_0>"),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=CHATML,
    )


@cache
def plain_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level, with a token that begins a text, no padding token and no chat template."""
    return PreTrainedTokenizerFast(tokenizer_object=byte_level("<bos>"), bos_token="<bos>", eos_token="<|im_end|>")


@cache
def llama3_tokenizer() -> PreTrainedTokenizerFast:
    special = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level(*special),
        bos_token="<|begin_of_text|>",
        eos_token="<|eot_id|>",
        chat_template=LLAMA3,
    )


@cache
def mistral_tokenizer() -> PreTrainedTokenizerFast:
    """As Mistral 7B's: a space is put before every text, and `ки` behind a space is one token."""
    bytes_ = [f"<0x{value:02X}>" for value in range(256)]
    letters = ["▁", *map(chr, range(0x21, 0x7F)), "к", "и"]
    merges = [("к", "и"), ("▁", "ки"), ("▁", "+"), ("▁", "-"), ("t", "e"), ("S", "te"), ("▁", "Ste"), ("t", "h")]
    tokens = ["<unk>", "<s>", "</s>", *bytes_, *letters, *("".join(merge) for merge in merges)]
    vocabulary = {token: rank for rank, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    strip = decoders.Strip(" ", 1, 0)
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), strip]
    tokenizer.decoder = decoders.Sequence(parts)
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


TOKENIZERS = {
    "qwen": qwen_tokenizer,
    "trl": plain_tokenizer,
    "skywork": plain_tokenizer,
    "math_shepherd": mistral_tokenizer,
    "rlhflow": llama3_tokenizer,
}


def tiny_config(family: str, **options: Any) -> PretrainedConfig:
    """A configuration of the architecture that the family's models have, with grouped queries."""
    shape = {
        "vocab_size": len(TOKENIZERS[family]()),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        # Random weights of the usual spread give every step the same score; these give all between 0 and 1.
        "initializer_range": 0.3,
        "tie_word_embeddings": False,
        "bos_token_id": None,
        "eos_token_id": None,
        **options,
    }
    if family == "rlhflow":
        return LlamaConfig(**shape)
    if family == "math_shepherd":
        return MistralConfig(**{"sliding_window": None, **shape})
    return Qwen2Config(num_labels=2, **shape)


def save_tiny_prm(folder: Path, family: str, *, seed: int = 0, **options: Any) -> nn.Module:
    """A random checkpoint of `family` in `folder`, with its tokenizer; returns the model that was saved.

    It is saved as the family's own are: `qwen` and `skywork` with the heads of their remote code, under the names
    that those have there, and with an `auto_map` that asks for that code.
    """
    torch.manual_seed(seed)
    config = tiny_config(family, **options)
    TOKENIZERS[family]().save_pretrained(folder)
    if family in ("math_shepherd", "rlhflow", "trl"):
        auto = AutoModelForTokenClassification if family == "trl" else AutoModelForCausalLM
        model = auto.from_config(config)
        model.save_pretrained(folder)
        return model.eval()
    model = AutoModelForCausalLM.from_config(config)
    size = config.hidden_size
    if family == "qwen":
        model.score = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 2))
        architecture, code = "Qwen2ForProcessRewardModel", "modeling_qwen2_rm.Qwen2ForProcessRewardModel"
    else:
        model.v_head = nn.Module()
        model.v_head.summary = nn.Linear(size, 1)
        architecture, code = "Qwen2ForPrmModel", "modeling_prm.Qwen2ForPrmModel"
    model.save_pretrained(folder)
    written = folder / "config.json"
    fields = json.loads(written.read_text(encoding="utf-8"))
    fields |= {"architectures": [architecture], "auto_map": {"AutoModel": code}}
    written.write_text(json.dumps(fields), encoding="utf-8")
    return model.eval()
