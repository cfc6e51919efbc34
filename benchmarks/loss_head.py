"""The loss head on a CPU: CPU-seconds and peak memory of one forward and backward pass, hidden states to gradients.

    pip install liger-kernel
    python benchmarks/loss_head.py [--shape small|large|all] [--repeat 7] [--chunk-mib 128] [--json OUT.json]

The loss is DAPO's (clipped ratio, token mean) in float32; gradients go to hidden states and weights. Each measurement
is one step in a process of its own after a tiny one has loaded the libraries; contenders are interleaved. Shapes are
tokens (as rows × completion), vocabulary, width:

    small   16 × 128, 32,000, 512
    large    4 × 256, 151,936, 896

Contenders:

    floor        the three matrix products that no method can do without: logits, gradients of hidden and of weight
    rewardgate   fused_token_loss
    recomputed   selected_logprobs and the loss on them, as sequence losses need it: four products
    naive        all logits, log_softmax, gather
    liger        LigerFusedLinearGRPOLoss, not compiled, one row a chunk (its default); where liger-kernel is installed

Prints CPU-seconds, peak memory over the gradients, the largest difference of a gradient from naive's relative to its
largest entry, and ratios with the bars that they must meet: lower quartile / median / upper quartile.
"""

import argparse
import json
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import torch
from paired import in_own_process, interleaved, measured_step, quartiles, ratios, verdict
from torch import Tensor
from torch.nn import functional

from rewardgate.grpo.fused_loss import fused_token_loss
from rewardgate.grpo.lm_head import LmHead
from rewardgate.grpo.logprobs import selected_logprobs

SHAPES = {"tiny": (2, 8, 300, 16), "small": (16, 128, 32_000, 512), "large": (4, 256, 151_936, 896)}
LOW, HIGH = 0.2, 0.28

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""hidden (B, T, H), weight (V, H), ids, old_logprobs and advantages (B, T)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=["small", "large", "all", "tiny"], default="all")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--chunk-mib", type=float, default=128)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=CONTENDERS, help="measure one contender, print its figures as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(figures_of(options.one, options.shape, options.chunk_mib)))
        return
    peer = f"liger-kernel {version('liger-kernel')}" if is_here("liger") else "no liger-kernel"
    print(f"torch {torch.__version__} with {torch.get_num_threads()} threads, {peer}")
    found = {}
    for shape in ("small", "large") if options.shape == "all" else (options.shape,):
        found[shape] = interleaved(
            [name for name in CONTENDERS if is_here(name)],
            lambda name, shape=shape: in_own_process(
                __file__, "--one", name, "--shape", shape, "--chunk-mib", options.chunk_mib
            ),
            options.repeat,
        )
        report(shape, found[shape], options.chunk_mib)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def report(shape: str, figures: dict, chunk_mib: float) -> None:
    rows, tokens, vocabulary, width = SHAPES[shape]
    print(f"\n{rows} × {tokens} tokens, vocabulary {vocabulary:,}, width {width}, chunks of {chunk_mib:g} MiB\n")
    print("| contender | CPU-s | × floor | peak MiB over gradients | differs by |\n| --- | --- | --- | --- | --- |")
    for name, taken in figures.items():
        seconds = quartiles([one["cpu_s"] for one in taken])
        peak = quartiles([one["peak_mib"] - one["gradients_mib"] for one in taken], 0)
        print(
            f"| {name} | {seconds} | {quartiles(ratios(figures, name, 'floor'))} | {peak} | {taken[0]['differs']:.0e} |"
        )
    print()
    print(verdict("rewardgate / floor", ratios(figures, "rewardgate", "floor"), 1.25))
    print(verdict("rewardgate / naive", ratios(figures, "rewardgate", "naive"), 1.10))
    if "liger" in figures:
        print(verdict("rewardgate / liger", ratios(figures, "rewardgate", "liger"), 1 / 1.3))
    peaks = [one["peak_mib"] - one["gradients_mib"] for one in figures["rewardgate"]]
    print(verdict("MiB over gradients", peaks, chunk_mib + 200))


def is_here(name: str) -> bool:
    return name != "liger" or find_spec("liger_kernel") is not None


def figures_of(name: str, shape: str, chunk_mib: float) -> dict[str, float]:
    """One contender's step, in this process."""
    contender = CONTENDERS[name]
    contender(batch_of(SHAPES["tiny"]), chunk_mib)  # what is loaded or compiled at the first call is not the step
    batch = batch_of(SHAPES[shape])
    figures = measured_step(lambda: contender(batch, chunk_mib))
    gradients = [tensor.grad for tensor in batch[:2] if tensor.grad is not None]
    figures["gradients_mib"] = sum(gradient.nbytes for gradient in gradients) / (1 << 20)
    figures["differs"] = 0.0 if name == "floor" else differs(contender, chunk_mib)
    return figures


def differs(contender: Callable[[Batch, float], None], chunk_mib: float) -> float:
    """Largest difference of a gradient from naive's, relative to its largest entry, on a batch that costs nothing."""
    theirs, plain = batch_of(SHAPES["tiny"]), batch_of(SHAPES["tiny"])
    contender(theirs, chunk_mib)
    naive(plain, chunk_mib)
    pairs = [(one.grad, other.grad) for one, other in zip(theirs[:2], plain[:2], strict=True)]
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs if a is not None and b is not None)


def batch_of(
    shape: tuple[int, int, int, int], dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu"
) -> Batch:
    """Of (B, T, V, H): logits about as peaked as a trained model's, a policy that has moved since it sampled."""
    rows, tokens, vocabulary, width = shape
    generator = torch.Generator(device).manual_seed(0)
    normal = {"generator": generator, "device": device}
    hidden = torch.randn(rows, tokens, width, **normal).to(dtype)
    weight = (torch.randn(vocabulary, width, **normal) * 3 / width**0.5).to(dtype)
    ids = torch.randint(vocabulary, (rows, tokens), **normal)
    advantages = torch.randn(rows, 1, **normal).expand(rows, tokens)
    old, _ = selected_logprobs(hidden, ids, LmHead(weight))
    old = old + 0.2 * torch.randn(rows, tokens, **normal)
    return hidden.requires_grad_(), weight.requires_grad_(), ids, old, advantages


def token_losses(logprobs: Tensor, old: Tensor, advantages: Tensor) -> Tensor:
    ratio = (logprobs - old).exp()
    return -torch.minimum(advantages * ratio, advantages * ratio.clamp(1 - LOW, 1 + HIGH))


def floor(batch: Batch, chunk_mib: float) -> None:
    hidden, weight, *_ = batch
    rows, weights = hidden.detach().flatten(0, 1), weight.detach()
    length = min(len(rows), max(1, int(chunk_mib * (1 << 20)) // (4 * len(weights))))
    of_hidden, of_weight = torch.empty_like(rows), torch.zeros_like(weights)
    logits = rows.new_empty(length, len(weights))
    for start in range(0, len(rows), length):
        chunk = rows[start : start + length]
        out = logits[: len(chunk)]
        torch.mm(chunk, weights.t(), out=out)
        torch.mm(out, weights, out=of_hidden[start : start + length])
        of_weight.addmm_(out.t(), chunk)
    hidden.grad, weight.grad = of_hidden.view_as(hidden), of_weight


def fused(batch: Batch, chunk_mib: float) -> None:
    hidden, weight, ids, old, advantages = batch
    olds, gains, tokens = old.flatten(), advantages.flatten(), ids.numel()

    def shares(logprobs: Tensor, _: Tensor | None, rows: slice) -> Tensor:
        return token_losses(logprobs, olds[rows], gains[rows]) / tokens

    fused_token_loss(hidden, ids, LmHead(weight), shares, chunk_mib=chunk_mib).loss.backward()


def recomputed(batch: Batch, chunk_mib: float) -> None:
    hidden, weight, ids, old, advantages = batch
    logprobs, _ = selected_logprobs(hidden, ids, LmHead(weight), chunk_mib=chunk_mib)
    token_losses(logprobs, old, advantages).mean().backward()


def naive(batch: Batch, _: float) -> None:
    hidden, weight, ids, old, advantages = batch
    logprobs = functional.linear(hidden, weight).float().log_softmax(-1).gather(-1, ids[..., None])[..., 0]
    token_losses(logprobs, old, advantages).mean().backward()


def liger(batch: Batch, _: float) -> None:
    from liger_kernel.chunked_loss import LigerFusedLinearGRPOLoss

    hidden, weight, ids, old, advantages = batch
    options = {"epsilon_low": LOW, "epsilon_high": HIGH, "loss_type": "dapo", "compiled": hidden.is_cuda}
    loss = LigerFusedLinearGRPOLoss(beta=0.0, use_ref_model=False, **options)
    value, _ = loss(hidden, weight, ids, torch.ones_like(ids), advantages[:, 0], old_per_token_logps=old)
    value.backward()


CONTENDERS: dict[str, Callable[[Batch, float], None]] = {
    "floor": floor,
    "rewardgate": fused,
    "recomputed": recomputed,
    "naive": naive,
    "liger": liger,
}


if __name__ == "__main__":
    main()
