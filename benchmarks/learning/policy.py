"""The policy: a Llama of 160,000 weights over characters, its tokenizer, and the fine-tuning on a faulty teacher."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tasks import task_of
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

PAD, END = 0, 1
BATCH = 64


class Characters:
    """Ids of characters; padding and end stand in front of them."""

    def __init__(self, alphabet: str) -> None:
        self.alphabet = alphabet
        self._ids = {character: number for number, character in enumerate(alphabet, start=2)}
        self.bytes_of: dict[int, bytes | None] = {number: one.encode() for one, number in self._ids.items()}
        self.bytes_of |= {PAD: b"_", END: None}

    def __len__(self) -> int:
        return len(self.alphabet) + 2

    def encode(self, text: str) -> list[int]:
        return [self._ids[character] for character in text]

    def decode(self, ids: Iterable[int]) -> str:
        """A padding token that was sampled is a wrong character like any other; the end is none."""
        return "".join("_" if one == PAD else self.alphabet[one - 2] for one in ids if one != END)

    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The same ids as a byte-level tokenizer without merges, as `transformers` loads it."""
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        vocabulary = {"<pad>": PAD, "<end>": END}
        for character, number in self._ids.items():
            vocabulary[byte_level.pre_tokenize_str(character)[0][0]] = number
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
        tokenizer.pre_tokenizer, tokenizer.decoder = byte_level, decoders.ByteLevel()
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>")


def new_policy(vocabulary: int, *, seed: int) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=128,
        initializer_range=0.1,
        tie_word_embeddings=True,
        pad_token_id=PAD,
        bos_token_id=None,
        eos_token_id=END,
    )
    torch.manual_seed(seed)
    return LlamaForCausalLM(config).eval()


def completion_loss(model: Any, characters: Characters, pairs: Sequence[tuple[str, str]]) -> Tensor:
    """Mean negative log-likelihood of the completions and their ends; prompts and completions of any lengths."""
    rows = [[*characters.encode(prompt + completion), END] for prompt, completion in pairs]
    width = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
    places = torch.arange(width - 1)
    begins = torch.tensor([len(prompt) - 1 for prompt, _ in pairs])
    ends = torch.tensor([len(row) - 1 for row in rows])
    counts = (places >= begins[:, None]) & (places < ends[:, None])  # (B, L - 1)
    logits = model(input_ids=ids[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits[counts], ids[:, 1:][counts])


def fine_tune(
    model: Any,
    characters: Characters,
    pair: Callable[[Random], tuple[str, str]],
    *,
    seed: int,
    steps: int = 1_300,
    lr: float = 3e-3,
    warm_up: int = 50,
    told: Callable[[str], None] = print,
) -> float:
    """Fresh pairs at every step; the rate rises for `warm_up` steps and falls over the last 40 %. Returns the loss."""
    random = Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.0)
    began, recent = process_time(), 0.0
    for step in range(steps):
        share = min((step + 1) / warm_up, 1.0, (steps - step) / (0.4 * steps))
        for group in optimizer.param_groups:
            group["lr"] = lr * share
        loss = completion_loss(model, characters, [pair(random) for _ in range(BATCH)])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent = 0.95 * recent + 0.05 * loss.item() if step else loss.item()
        if (step + 1) % 100 == 0:
            told(f"step {step + 1}: loss {recent:.4f}, {process_time() - began:.0f} CPU-s")
    return recent


def make_checkpoint(name: str, folder: Path) -> None:
    """Fine-tune the policy of that name (task and seed), unless it is there: on short prompts first."""
    path = folder / f"{name}.safetensors"
    if path.exists():
        return
    task, seed = task_of(name), int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
    characters, drawn = Characters(task.alphabet), 0

    def pair(random: Random) -> tuple[str, str]:
        nonlocal drawn
        drawn += 1
        step = drawn // BATCH
        more = 0
        if step < 250:
            more = random.choice((-4, -3))
        elif step < 500 or random.random() < 0.2:
            more = random.randint(-4, 0)
        prompt = task.prompt(random, None, more)
        return prompt, task.taught(prompt, random)

    model = new_policy(len(characters), seed=seed)
    fine_tune(model, characters, pair, seed=seed, told=lambda said: print(name, said, flush=True))
    save(model, path)


def save(model: Any, path: Path) -> None:
    """Weights in float32, the tied head left out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    weights = {name: one.contiguous() for name, one in model.state_dict().items() if name != "lm_head.weight"}
    save_file(weights, path, metadata={"format": "pt"})


def load(vocabulary: int, path: Path) -> LlamaForCausalLM:
    model = new_policy(vocabulary, seed=0)
    missing, unexpected = model.load_state_dict(load_file(path), strict=False)
    assert missing == ["lm_head.weight"], missing
    assert not unexpected, unexpected
    return model
