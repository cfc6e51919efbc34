"""The policy of `trl_gate.py`: a Qwen2 of 125,000 weights over characters, taught by a teacher that forgets carries."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from totals import ALPHABET, answer, prompt, taught
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

__all__ = ["ADDITIONS", "LONGEST", "problems", "solved", "taught_policy"]

ADDITIONS, CARRIES = 5, 4
LONGEST = 3 * ADDITIONS + 8
"""Tokens that a completion may have; the right one has two digits and a line end a line, and an end."""
ROWS, RATE = 64, 3e-3


def problems(n: int, *, seed: int, without: Sequence[str] = ()) -> list[dict[str, str]]:
    """`n` different prompts of which all additions but one carry, none of `without`, and their right completions."""
    random, found, left_out = Random(seed), dict[str, str](), frozenset(without)
    while len(found) < n:
        asked = prompt(random, additions=ADDITIONS, carries=CARRIES)
        if asked not in left_out:
            found[asked] = answer(asked)
    return [{"prompt": asked, "solution": right} for asked, right in found.items()]


def taught_policy(folder: Path, *, steps: int = 1000, seed: int = 0) -> Path:
    """The policy and its tokenizer in `folder`, taught where they are not there yet: fresh prompts at every step."""
    if (folder / "config.json").is_file():
        return folder
    torch.manual_seed(seed)
    random, tokenizer = Random(seed), _tokenizer()
    model = Qwen2ForCausalLM(_config(tokenizer))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.0)
    recent = 0.0
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(step / 50, 1.0, (steps - step + 1) / (0.4 * steps))
        asked = [prompt(random, additions=ADDITIONS) for _ in range(ROWS)]
        ids = torch.tensor([[*tokenizer.encode(one + taught(one, random)), tokenizer.eos_token_id] for one in asked])
        labels = ids.clone()
        labels[:, : len(asked[0])] = -100  # one token a character, and all prompts are of one length
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent += (loss.item() - recent) / min(step, 30)
        if step % 100 == 0:
            print(f"taught {step} of {steps} steps: loss {recent:.3f}", flush=True)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)  # last: its config.json says that all is there
    return folder


def solved(model: Any, tokenizer: Any, rows: Sequence[dict[str, str]], *, samples: int, seed: int) -> float:
    """The share of right completions at temperature 1, `samples` of each prompt; the policy's own state is kept."""
    ids = torch.tensor([tokenizer.encode(row["prompt"]) for row in rows])
    was_training = model.training
    model.eval()
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        found = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=LONGEST, do_sample=True, top_k=0,
            num_return_sequences=samples,
        )  # fmt: skip
    model.train(was_training)
    texts = tokenizer.batch_decode(found[:, ids.shape[1] :], skip_special_tokens=True)
    wanted = [row["solution"] for row in rows for _ in range(samples)]
    return sum(text == right for text, right in zip(texts, wanted, strict=True)) / len(texts)


def _tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, as a byte-level tokenizer without merges."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    pieces = ["<pad>", "<eos>", *(byte_level.pre_tokenize_str(character)[0][0] for character in ALPHABET)]
    tokenizer = Tokenizer(models.BPE(vocab={piece: number for number, piece in enumerate(pieces)}, merges=[]))
    tokenizer.pre_tokenizer, tokenizer.decoder = byte_level, decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")


def _config(tokenizer: PreTrainedTokenizerFast) -> Qwen2Config:
    return Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=64,
        rope_parameters={"rope_type": "default", "rope_theta": 100.0},
        initializer_range=0.1,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
