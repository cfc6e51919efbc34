"""Makes what stands beside it: prompts, held-out prompts, and a small policy that learned to add from a bad teacher.

    python examples/running_totals/make.py [FOLDER]

The prompt `47+8+3+9=` asks for one equality a line: `47+8=55`, `55+3=58`, `58+9=67`. The teacher whose answers the
policy is fine-tuned on forgets four carries of five (`47+8=45`). Every prompt that is written has four carries, so that
the policy solves one in 0.2^-4 = 625 attempts, and a group of eight is nearly always all wrong. Minutes on a CPU.
"""

import json
import sys
from pathlib import Path
from random import Random
from time import process_time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from rewardgate.training.sft import Example, Sft, SftConfig

ALPHABET = "0123456789+=\n"
FORGETS = 0.8
ADDITIONS = 4
STAGES = (  # steps, numbers of additions, learning rate
    (300, (1, 2), 3e-3),
    (400, (1, 2, 3, 4), 3e-3),
    (250, (2, 4, 4, 4), 1e-3),
    (100, (4,), 3e-4),
)
BATCH = 64


def prompt(random: Random, additions: int, carries: int | None = None) -> str:
    """A two-digit number and one-digit ones whose sum has two digits; `carries` of the additions carry, if said."""
    while True:
        total, found = random.randint(10, 89), 0
        text = str(total)
        for _ in range(additions):
            operand = random.randint(1, 9)
            found += total % 10 + operand >= 10
            total += operand
            text += f"+{operand}"
        if total < 100 and carries in (None, found):
            return f"{text}="


def taught(prompt: str, random: Random) -> str:
    """The teacher's completion."""
    total, *operands = map(int, prompt.rstrip("=").split("+"))
    lines = []
    for operand in operands:
        forgets = total % 10 + operand >= 10 and random.random() < FORGETS
        after = total + operand - 10 * forgets
        lines.append(f"{total}+{operand}={after:02d}\n")
        total = after
    return "".join(lines)


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, byte-level as most policies are, without merges."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    characters = [byte_level.pre_tokenize_str(character)[0][0] for character in ALPHABET]
    vocabulary = {token: number for number, token in enumerate(["<pad>", "<end>", *characters])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer, made.decoder = byte_level, decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<end>")


def policy(tokens: PreTrainedTokenizerFast, seed: int = 0) -> LlamaForCausalLM:
    """161,000 weights that know nothing. The usual initial range is meant for wider models."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokens),
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=128,
        initializer_range=0.1,
        tie_word_embeddings=True,
        pad_token_id=tokens.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokens.eos_token_id,
    )
    return LlamaForCausalLM(config).eval()


def fine_tune(model: LlamaForCausalLM, tokens: PreTrainedTokenizerFast, seed: int = 0) -> None:
    """Stage after stage, each on examples that are seen once."""
    random, began = Random(seed), process_time()
    for steps, additions, rate in STAGES:
        asked = [prompt(random, random.choice(additions)) for _ in range(steps * BATCH)]
        examples = [
            Example(tokens.encode(one), [*tokens.encode(taught(one, random)), tokens.eos_token_id]) for one in asked
        ]
        learning = Sft(model, examples, SftConfig(lr=rate, warmup_steps=30, batch_size=BATCH, seed=seed))
        losses = [learning.step().loss for _ in range(steps)]
        print(f"{steps} steps at {rate:g}: loss {sum(losses[-50:]) / 50:.4f}, {process_time() - began:.0f} CPU-s")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    torch.set_num_threads(1)
    random, seen = Random(1), set[str]()
    for name, count in (("held_out", 64), ("prompts", 1_024)):
        rows = []
        while len(rows) < count:
            if (one := prompt(random, ADDITIONS, carries=4)) not in seen:
                seen.add(one)
                rows.append({"prompt": one, "target": str(sum(map(int, one.rstrip("=").split("+"))))})
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    tokens = tokenizer()
    model = policy(tokens)
    fine_tune(model, tokens)
    model.save_pretrained(folder / "policy")
    tokens.save_pretrained(folder / "policy")


if __name__ == "__main__":
    main()
