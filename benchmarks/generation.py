"""What sampling with `HfGenerator` costs beside transformers' own `generate` and TRL's way to log-probabilities.

    python benchmarks/generation.py [--rounds 3] [--groups 6] [--group-size 8] [--max-tokens 64] [--device cuda]

One random model, the same prompts, group size, lengths and end token for all. A random model does not stop by itself:
one token in `--end-every` ends a completion. A token costs what it costs; so the figure is seconds per sampled token,
process time on a CPU and wall-clock elsewhere, the paths one after the other in every round, the median over rounds.

    ours          HfGenerator: token ids and the log-probability of each under the distribution that it was drawn from
    generate      model.generate of padded prompts, as many times as the group is large: token ids alone
    generate+lp   model.generate(output_logits=True), the log-probabilities taken from the logits
    trl           what GRPOTrainer of TRL 1.16 does without vLLM: generate, then one more forward pass over all that was
                  sampled for the log-probabilities, a row at a time (written out here, so that the rest of the trainer
                  is not timed)
"""

import argparse
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import transformers

from rewardgate.training import Sampling
from rewardgate.training.generation import HfGenerator

PAD, VOCABULARY = 0, 4096


def model_of(width: int, layers: int, device: str) -> Any:
    config = transformers.Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=layers,
        num_attention_heads=width // 32,
        num_key_value_heads=max(1, width // 64),
        max_position_embeddings=2048,
        pad_token_id=PAD,
        eos_token_id=None,
    )
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config).eval().to(device)


def padded(prompts: list[list[int]], device: str) -> dict[str, Any]:
    longest = max(map(len, prompts))
    ids = torch.tensor([[PAD] * (longest - len(one)) + one for one in prompts], device=device)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long()}


def sampled_tokens(completions: torch.Tensor, ends: torch.Tensor) -> int:
    """How many count: up to the first end token, it included."""
    is_end = torch.isin(completions, ends)
    before = is_end.cumsum(1) - is_end.long()
    return int((before == 0).sum())


def paths(options: argparse.Namespace) -> dict[str, Callable[[int], int]]:
    """By name: what samples once with a seed, and returns how many tokens."""
    model = model_of(options.width, options.layers, options.device)
    draw = torch.Generator().manual_seed(1)
    lengths = torch.randint(options.prompt_tokens // 2, options.prompt_tokens + 1, (options.groups,), generator=draw)
    prompts = [torch.randint(1, VOCABULARY, (int(one),), generator=draw).tolist() for one in lengths]
    repeated = padded([one for one in prompts for _ in range(options.group_size)], options.device)
    # A random model draws every token about as often as another.
    ends = torch.arange(1, 1 + VOCABULARY // options.end_every, device=options.device)
    tokenizer = SimpleNamespace(eos_token_id=None, pad_token_id=PAD, decode=lambda ids, skip_special_tokens: "")
    ours = HfGenerator(model, tokenizer, end_ids=ends.tolist(), token_budget=options.token_budget)
    sampling = Sampling(max_tokens=options.max_tokens)
    own = {
        "do_sample": True,
        "max_new_tokens": options.max_tokens,
        "eos_token_id": ends.tolist(),
        "pad_token_id": PAD,
        "suppress_tokens": [PAD],
        "top_k": 0,
        "top_p": 1.0,
        "temperature": 1.0,
    }

    def by_us(seed: int) -> int:
        found = ours.generate(prompts, [options.group_size] * len(prompts), sampling, seed=seed)
        return sum(len(one.token_ids) for samples in found for one in samples)

    @torch.no_grad()
    def generated(seed: int, **further: Any) -> Any:
        torch.manual_seed(seed)
        return model.generate(**repeated, **own, **further)

    width = repeated["input_ids"].shape[1]

    def by_generate(seed: int) -> int:
        return sampled_tokens(generated(seed)[:, width:], ends)

    def with_logits(seed: int) -> int:
        output = generated(seed, output_logits=True, return_dict_in_generate=True)
        completions = output.sequences[:, width:]
        for step, logits in enumerate(output.logits):
            logits.float().log_softmax(-1).gather(1, completions[:, step, None])
        return sampled_tokens(completions, ends)

    @torch.no_grad()
    def as_trl(seed: int) -> int:
        sequences = generated(seed)
        completions = sequences[:, width:]
        mask = torch.cat([repeated["attention_mask"], torch.ones_like(completions)], dim=1)
        kept = completions.shape[1] + 1
        logits = model(input_ids=sequences, attention_mask=mask, logits_to_keep=kept).logits[:, :-1]
        picked = logits.gather(2, completions[..., None])[..., 0]
        for row, one in zip(picked, logits, strict=True):  # a row at a time, as TRL's selective_log_softmax
            row -= one.logsumexp(-1)
        return sampled_tokens(completions, ends)

    return {"ours": by_us, "generate": by_generate, "generate+lp": with_logits, "trl": as_trl}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (
        ("rounds", 3),
        ("groups", 6),
        ("group-size", 8),
        ("prompt-tokens", 64),
        ("max-tokens", 64),
        ("end-every", 48),
        ("token-budget", 1 << 16),
        ("width", 256),
        ("layers", 4),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    now = time.process_time if options.device == "cpu" else time.perf_counter

    def measured(path: Callable[[int], int], seed: int) -> tuple[float, int]:
        started = now()
        tokens = path(seed)
        if options.device != "cpu":
            torch.cuda.synchronize()
        return now() - started, tokens

    named = paths(options)
    for path in named.values():
        measured(path, 0)  # whatever is done once
    seconds: dict[str, list[float]] = {name: [] for name in named}
    counts: dict[str, list[int]] = {name: [] for name in named}
    for number in range(options.rounds):
        for name, path in named.items():
            spent, tokens = measured(path, number)
            seconds[name].append(spent / tokens)
            counts[name].append(tokens)
    rows = options.groups * options.group_size
    print(f"{rows} completions of {options.groups} prompts, at most {options.max_tokens} tokens, on {options.device};")
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {torch.get_num_threads()} threads")
    print(f"{'path':<12} {'tokens':>8} {'µs a token':>11} {'ours is':>8}")
    for name in named:
        share = statistics.median(ours / other for ours, other in zip(seconds["ours"], seconds[name], strict=True))
        median = statistics.median(seconds[name]) * 1e6
        print(f"{name:<12} {statistics.mean(counts[name]):>8.0f} {median:>11.1f} {share:>7.2f}x")


if __name__ == "__main__":
    main()
