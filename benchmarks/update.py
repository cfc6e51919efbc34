"""A whole update of a small Qwen2 on a CPU, in CPU-seconds: rewardgate beside a padded full batch and beside TRL.

    pip install "trl>=1.16,<1.17"    # here, or in another environment whose python is named by --trl
    python benchmarks/update.py [--repeat 7] [--trl PYTHON] [--json OUT.json]

The model: 4 layers, width 256, vocabulary 16,000, tied, float32, random weights. The batch: 3 groups of 8 rollouts,
prompts of 16 to 64 tokens and completions of 16 to 128, advantages of 0 in none or in 2 of the 3 groups. One update is
loss, backward pass, norm clipped to 1 and a step of AdamW; the loss is GRPO's (clip 0.2, token mean over all rows, old
log-probabilities those of before the step). Each measurement is one update in a process of its own, after one of a
tiny model has loaded the libraries; contenders are interleaved.

    rewardgate 2/3 dead, rewardgate 0 dead   PolicyUpdate.step as it comes
    padded                                   one batch (24, longest prompt + longest completion), mask, all logits,
                                             log_softmax; its cost does not depend on advantages
    trl                                      TRL's own _compute_loss, on a model that has its fused head as in its
                                             trainer, one micro-batch; it runs every row, whatever the advantages

Prints CPU-seconds, peak memory, the largest difference of a gradient from padded's relative to its largest entry, and
ratios with the bars that they must meet: lower quartile / median / upper quartile.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from paired import Figures, in_own_process, interleaved, measured_step, quartiles, ratios, verdict
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

SIZES = {"small": (256, 4, 16_000, 3, 8), "tiny": (16, 1, 300, 2, 2)}
"""Width, layers, vocabulary, groups, rollouts a group."""


class Rollouts(NamedTuple):
    prompts: list[Tensor]
    completions: list[Tensor]
    advantages: Tensor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--trl", metavar="PYTHON", help="an interpreter that has TRL; without it TRL is left out")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=CONTENDERS, help="measure one contender, print its figures as JSON")
    parser.add_argument("--gradient", type=Path, help="of --one: no measurement, but its gradient, to this file")
    options = parser.parse_args()
    if options.one and options.gradient:
        torch.save(gradient_of(options.one), options.gradient)
        print("{}")
    elif options.one:
        print(json.dumps(figures_of(options.one)))
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    names = [name for name in CONTENDERS if name != "trl" or options.trl]

    def run(name: str, *more: object) -> Figures:
        interpreter = {"python": options.trl} if name == "trl" else {}
        return in_own_process(__file__, "--one", name, *more, **interpreter)

    print(f"torch {torch.__version__} with {torch.get_num_threads()} threads")
    figures = interleaved(names, run, options.repeat)
    print("\n| contender | CPU-s | peak MiB |\n| --- | --- | --- |")
    for name, taken in figures.items():
        seconds, peak = (
            quartiles([one[key] for one in taken], digits) for key, digits in (("cpu_s", 2), ("peak_mib", 0))
        )
        print(f"| {name} | {seconds} | {peak} |")
    print()
    print(verdict("2/3 dead / padded", ratios(figures, "rewardgate 2/3 dead", "padded"), 0.25))
    if "trl" in figures:
        print(verdict("2/3 dead / trl", ratios(figures, "rewardgate 2/3 dead", "trl"), 0.4))
        print(verdict("0 dead / trl", ratios(figures, "rewardgate 0 dead", "trl"), 1.0))
    print("\ngradient: largest difference from padded's, relative to its largest entry")
    print_differences(names, run)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def print_differences(names: list[str], run: Callable[..., Figures]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        found = {}
        for number, name in enumerate(names):
            path = Path(folder) / f"{number}.pt"
            run(name, "--gradient", path)
            found[name] = torch.load(path, weights_only=True)
    for name in names:
        for dead, gradient in found[name].items():
            exact = found["padded"][dead]
            print(f"  {name}, {dead} dead: {float((gradient - exact).abs().max() / exact.abs().max()):.0e}")


def figures_of(name: str) -> Figures:
    contender, dead = CONTENDERS[name], DEAD.get(name, "0")
    contender(model_of("tiny"), rollouts("tiny", dead), torch.optim.AdamW)()
    step = contender(model_of("small"), rollouts("small", dead), torch.optim.AdamW)
    return measured_step(step)


def gradient_of(name: str) -> dict[str, Tensor]:
    """What a step of gradient descent with lr 1 takes off the weights, by share of dead groups."""
    found = {}
    for dead in [DEAD[name]] if name in DEAD else ["0", "2/3"]:
        model = model_of("small")
        before = torch.cat([one.detach().flatten().clone() for one in model.parameters()]).double()
        CONTENDERS[name](model, rollouts("small", dead), torch.optim.SGD, 1e3)()
        after = torch.cat([one.detach().flatten() for one in model.parameters()]).double()
        found[dead] = (before - after) / 1e3
    return found


def model_of(size: str) -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    width, layers, vocabulary, _, _ = SIZES[size]
    torch.manual_seed(0)
    shape = {"hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return Qwen2ForCausalLM(Qwen2Config(vocab_size=vocabulary, tie_word_embeddings=True, **shape, **heads)).train()


def rollouts(size: str, dead: str) -> Rollouts:
    _, _, vocabulary, groups, rows = SIZES[size]
    generator = torch.Generator().manual_seed(0)

    def ids(low: int, high: int) -> Tensor:
        length = int(torch.randint(low, high + 1, (), generator=generator))
        return torch.randint(vocabulary, (length,), generator=generator)

    prompts = [prompt for _ in range(groups) for prompt in [ids(16, 64)] * rows]
    completions = [ids(16, 128) for _ in prompts]
    advantages = torch.randn(groups, rows, generator=generator)
    if dead == "2/3":
        advantages[: 2 * groups // 3] = 0.0
    return Rollouts(prompts, completions, advantages.flatten())


Contender = Callable[..., Callable[[], object]]


def rewardgate(model: Any, batch: Rollouts, optimizer: Any, lr: float = 1e-6) -> Callable[[], object]:
    from rewardgate.grpo.update import PolicyUpdate, UpdateBatch, UpdateConfig

    config = UpdateConfig(max_grad_norm=None if optimizer is torch.optim.SGD else 1.0)
    update = PolicyUpdate(model, optimizer(model.parameters(), lr=lr), config)
    return lambda: update.step(UpdateBatch(*batch))


def padded(model: Any, batch: Rollouts, optimizer: Any, lr: float = 1e-6) -> Callable[[], object]:
    inputs, steps = _tensors(batch), optimizer(model.parameters(), lr=lr)

    def step() -> None:
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
        attention = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
        logits = model(input_ids=ids, attention_mask=attention).logits[:, :-1]
        logprobs = logits.log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0]
        completion, mask = logprobs[:, inputs["prompt_ids"].shape[1] - 1 :], inputs["completion_mask"]
        ratio, gain = (completion - completion.detach()).exp(), inputs["advantages"][:, None]
        losses = -torch.minimum(gain * ratio, gain * ratio.clamp(0.8, 1.2))
        ((losses * mask).sum() / mask.sum()).backward()
        _finish(model, steps)

    return step


def trl(model: Any, batch: Rollouts, optimizer: Any, lr: float = 1e-6) -> Callable[[], object]:
    from contextlib import nullcontext

    from trl import GRPOTrainer
    from trl.trainer.utils import add_fused_lm_head

    add_fused_lm_head(model, temperature=1.0, outputs=("log_probs", "entropy"))
    inputs, steps = _tensors(batch), optimizer(model.parameters(), lr=lr)
    one = {"num_processes": 1, "gather": lambda x: x, "reduce": lambda x, reduction: x, "sync_gradients": True}
    trainer = SimpleNamespace(
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level="token",
        beta=0.0,
        loss_type="dapo",
        epsilon_low=0.2,
        epsilon_high=0.2,
        args=SimpleNamespace(
            delta=None, use_bias_correction_kl=False, off_policy_mask_threshold=None, steps_per_generation=1
        ),
        use_vllm=False,
        vllm_importance_sampling_correction=False,
        max_completion_length=128,
        model=model,
        current_gradient_accumulation_steps=1,
        accelerator=SimpleNamespace(autocast=nullcontext, **one),
        _entropy_bonus_enabled=False,
        use_adaptive_entropy=False,
        entropy_coef=0.0,
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
    )
    trainer._get_per_token_logps_and_entropies = lambda *given, **named: _unwrapped(
        GRPOTrainer._get_per_token_logps_and_entropies
    )(trainer, *given, **named)

    def step() -> None:
        GRPOTrainer._compute_loss(trainer, model, inputs).backward()
        _finish(model, steps)

    return step


def _unwrapped(method: Any) -> Any:
    """Without the decorator that asks the trainer where to report its seconds."""
    return getattr(method, "__wrapped__", method)


def _finish(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    if not isinstance(optimizer, torch.optim.SGD):
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()


def _tensors(batch: Rollouts) -> dict[str, Tensor]:
    """Prompts padded on the left, completions on the right, as trainers have them."""
    prompts = pad_sequence([one.flip(0) for one in batch.prompts], batch_first=True, padding_value=-1).flip(1)
    completions = pad_sequence(batch.completions, batch_first=True, padding_value=-1)
    return {
        "prompt_ids": prompts.clamp(min=0),
        "prompt_mask": (prompts >= 0).long(),
        "completion_ids": completions.clamp(min=0),
        "completion_mask": (completions >= 0).long(),
        "advantages": batch.advantages,
        "num_items_in_batch": (completions >= 0).sum(),
    }


CONTENDERS: dict[str, Contender] = {
    "rewardgate 2/3 dead": rewardgate,
    "rewardgate 0 dead": rewardgate,
    "padded": padded,
    "trl": trl,
}
DEAD = {"rewardgate 2/3 dead": "2/3", "rewardgate 0 dead": "0"}


if __name__ == "__main__":
    main()
