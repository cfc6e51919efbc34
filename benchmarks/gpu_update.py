"""One accelerator: the loss head in bfloat16 beside its peers, and a whole update of a 0.5B-shaped model.

    pip install -e . liger-kernel trl        # without pip: ln -s "$PWD" /tmp/rewardgate; export PYTHONPATH=/tmp
    python benchmarks/gpu_update.py [--part all|head|update] [--repeat 7] [--json OUT.json]
    python benchmarks/gpu_update.py --dry    # the same program over tiny shapes on a CPU; its figures mean nothing

Under 8 minutes on one H200-class card. Prints, in Markdown:

    correctness   relative error (norm of the difference over the norm) of log-probabilities and gradients against
                  float64 on the CPU, from the same bfloat16 inputs: 64 tokens of the vocabulary of 151,936, width 2048
    loss head     8,192 tokens × 151,936 × 2,048 and 4,096, forward and backward: milliseconds by the card's own events
                  (lower quartile / median / upper quartile over interleaved repetitions, after two that do not count),
                  times the floor of the three matrix products, peak GiB over inputs. One process: a card has no
                  neighbours, and what the allocator kept is given back before each step
    update        a random Qwen2 of 24 layers, width 896, vocabulary 151,936 (0.5B), 64 rollouts of 256 + up to 1,024
                  tokens in groups of 8, with 0, 50 and 70 % of the groups degenerate: real tokens a second (all rows
                  counted), peak GiB over weights and optimizer state

Contenders of the loss head are those of loss_head.py: rewardgate at several budgets, recomputed, naive, liger (as it
comes, compiled); and TRL's selective_log_softmax over all logits. One that cannot run says why in its row.
"""

import argparse
import gc
import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import torch
from loss_head import Batch, batch_of, floor, fused, liger, naive, recomputed, token_losses
from paired import quartiles
from torch import Tensor
from torch.nn import functional

VOCABULARY, WIDTHS = 151_936, (2048, 4096)
BUDGETS_MIB = (512, 1024, 2048, 4096)
DEAD_SHARES = (0.0, 0.5, 0.7)
GIB = 1 << 30

Step = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["all", "head", "update"], default="all")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--dry", action="store_true", help="tiny shapes on a CPU")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.dry and not torch.cuda.is_available():
        raise SystemExit("gpu_update: no CUDA device here; --dry runs tiny shapes on the CPU")
    device = torch.device("cpu" if options.dry else "cuda")
    card = "a CPU, tiny shapes: no figures" if options.dry else torch.cuda.get_device_name()
    peers = [f"{name} {version(name)}" for name in ("trl", "liger-kernel", "transformers") if is_installed(name)]
    print(f"{card}; torch {torch.__version__}; {', '.join(peers)}")
    found: dict[str, object] = {"card": card, "torch": torch.__version__, "peers": peers}
    if options.part in ("all", "head"):
        found["correctness"] = correctness(device, options.dry)
        for width in WIDTHS if not options.dry else (8,):
            found[f"head_{width}"] = loss_head(device, width, options.repeat, options.dry)
    if options.part in ("all", "update"):
        found["update"] = updates(device, options.dry)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def correctness(device: torch.device, dry: bool) -> dict[str, list[float]]:
    """Relative errors of the gradients of hidden and weight, by contender, against float64 on the CPU."""
    shape = (4, 4, 300, 8) if dry else (4, 16, VOCABULARY, 2048)
    exact: Batch = tuple(one.double().cpu() if one.is_floating_point() else one.cpu() for one in _batch(shape, device))  # type: ignore[assignment]
    exact = (exact[0].detach().requires_grad_(), exact[1].detach().requires_grad_(), *exact[2:])
    logprobs = functional.linear(exact[0], exact[1]).log_softmax(-1).gather(-1, exact[2][..., None])[..., 0]
    token_losses(logprobs, exact[3], exact[4]).mean().backward()
    print("\n| contender | error of d hidden | error of d weight |\n| --- | --- | --- |")
    found = {}
    for name, contender in contenders(budgets=(64,)).items():
        if name == "floor":
            continue
        batch = _batch(shape, device)
        failure = attempt(partial(contender, batch))
        if failure is None:
            errors = [_relative(one.grad, other.grad) for one, other in zip(batch[:2], exact[:2], strict=True)]
            found[name] = errors
            print(f"| {name} | {errors[0]:.1e} | {errors[1]:.1e} |")
        else:
            print(f"| {name} | {failure} | |")
    return found


def loss_head(device: torch.device, width: int, repeat: int, dry: bool) -> dict[str, dict[str, list[float]]]:
    """Milliseconds and peak GiB of every contender at one width."""
    shape = (4, 8, 300, width) if dry else (16, 512, VOCABULARY, width)
    batch, runners = _batch(shape, device), contenders()
    found: dict[str, dict[str, list[float]]] = {name: {"ms": [], "gib": []} for name in runners}
    failures: dict[str, str] = {}
    names = list(runners)
    for turn in range(repeat + 2):
        shift = turn % len(names)
        for name in (*names[shift:], *names[:shift]):
            if name in failures:
                continue
            ms, gib, failure = measured(partial(runners[name], batch), device)
            for one in batch[:2]:
                one.grad = None
            if failure is not None:
                failures[name] = failure
            elif turn > 1:
                found[name]["ms"].append(ms)
                found[name]["gib"].append(gib)
    print(f"\n{shape[0] * shape[1]:,} tokens × {shape[2]:,} × {width:,}, bfloat16\n")
    print("| contender | ms | × floor | peak GiB |\n| --- | --- | --- | --- |")
    for name, figures in found.items():
        if name in failures:
            print(f"| {name} | {failures[name]} | | |")
            continue
        over = [ms / least for ms, least in zip(figures["ms"], found["floor"]["ms"], strict=True)]
        print(f"| {name} | {quartiles(figures['ms'])} | {quartiles(over)} | {max(figures['gib']):.2f} |")
    return found


def contenders(budgets: tuple[int, ...] = BUDGETS_MIB) -> dict[str, Callable[[Batch], None]]:
    """Name -> forward and backward of a batch."""
    by_name: dict[str, Callable[[Batch], None]] = {"floor": partial(floor, chunk_mib=1 << 14)}
    by_name |= {f"rewardgate, {mib} MiB": partial(fused, chunk_mib=mib) for mib in budgets}
    by_name["recomputed"] = partial(recomputed, chunk_mib=budgets[-1])
    by_name["naive"] = lambda batch: naive(batch, 0)
    if is_installed("trl"):
        by_name["trl"] = trl
    if is_installed("liger-kernel"):
        by_name["liger"] = lambda batch: liger(batch, 0)
    return by_name


def trl(batch: Batch) -> None:
    from trl.trainer.utils import selective_log_softmax

    hidden, weight, ids, old, advantages = batch
    logprobs = selective_log_softmax(functional.linear(hidden, weight), ids)
    token_losses(logprobs, old, advantages).mean().backward()


def updates(device: torch.device, dry: bool) -> dict[str, dict[str, float | str]]:
    """Tokens a second and peak GiB of a whole update, by share of degenerate groups."""
    from gpu_batches import qwen2, real_tokens, rollout_batch, update_step

    print("\n| degenerate groups | real tokens a second | peak GiB | rows laid out |\n| --- | --- | --- | --- |")
    found: dict[str, dict[str, float | str]] = {}
    for dead in DEAD_SHARES:
        model = qwen2(device, tiny=dry)
        batch, records = rollout_batch(device, dead, tiny=dry), []
        step = update_step(model, batch)
        measured(step, device)  # optimizer state and kernels
        ms, gib, failure = measured(lambda step=step, records=records: records.append(step()), device)
        if failure is None:
            speed, layout = real_tokens(batch) / ms * 1e3, f"{records[0].layout} ({records[0].layout_why})"
            found[f"{dead:.0%}"] = {"tokens_per_s": speed, "gib": gib, "layout": layout}
            print(f"| {dead:.0%} | {speed:,.0f} | {gib:.2f} | {layout} |")
        else:
            print(f"| {dead:.0%} | {failure} | | |")
        del model, batch, step
    return found


def measured(step: Step, device: torch.device) -> tuple[float, float, str | None]:
    """Milliseconds and peak GiB over what was there before; or why it could not run."""
    if device.type == "cpu":
        started = perf_counter()
        failure = attempt(step)
        return (perf_counter() - started) * 1e3, 0.0, failure
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    failure = attempt(step)
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end), (torch.cuda.max_memory_allocated() - before) / GIB, failure


def attempt(step: Step) -> str | None:
    """None; or the first line of what a peer (or a card too small) failed with."""
    try:
        step()
    except Exception as error:
        return f"could not run: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
    return None


def is_installed(name: str) -> bool:
    return find_spec({"liger-kernel": "liger_kernel"}.get(name, name)) is not None


def _batch(shape: tuple[int, int, int, int], device: torch.device) -> Batch:
    return batch_of(shape, torch.bfloat16, device)


def _relative(one: Tensor | None, exact: Tensor | None) -> float:
    assert one is not None
    assert exact is not None
    return float((one.double().cpu() - exact).norm() / exact.norm())


if __name__ == "__main__":
    main()
