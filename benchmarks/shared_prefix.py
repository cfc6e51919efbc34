"""A group's prompt computed once against padded copies: one forward and backward pass of a small Qwen2, on a CPU.

    python benchmarks/shared_prefix.py [--ratio 0.25 0.5 1 2 4 8] [--repeat 7] [--json OUT.json]

The model has 3 layers of width 256 (random weights, float32) and 4,500 tokens; its head has 0.4 x the weights of its
layers, as in the 0.5B one. One group of 8 rows with one prompt; prompt and completion are in the ratio asked for and
256 tokens together. The loss is DAPO's (clipped ratio, token mean), over the completions, by the fused head.

Each measurement is one contender in a process of its own, a step at each ratio after a tiny one has loaded the
libraries; contenders are interleaved:

    copies     each row with its own copy of the prompt, padded on the right (all are of one length here)
    shared     SharedPrefixLayout, whatever it costs
    chosen     what PrefixChoice takes by the lengths

Prints CPU-seconds, the largest difference of a gradient from the copies' relative to its largest entry, and ratios
with the bars that they must meet: lower quartile / median / upper quartile.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from paired import Figures, in_own_process, interleaved, measured_step, quartiles, ratios, verdict
from torch import Tensor, nn

from rewardgate.grpo.causal_lm import head_of
from rewardgate.grpo.fused_loss import fused_token_loss
from rewardgate.grpo.update.padded import PaddedLayout
from rewardgate.grpo.update.prefix_cost import PrefixChoice
from rewardgate.grpo.update.prefix_layout import SharedPrefixLayout
from rewardgate.grpo.update.row_tokens import RowTokens

CONTENDERS = ("copies", "shared", "chosen")
RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
ROWS, TOKENS, VOCABULARY = 8, 256, 4_500
TOKEN_BUDGET = 1 << 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratio", type=float, nargs="+", default=RATIOS)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=CONTENDERS, help="measure one contender, print its figures as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(figures_of(options.one, options.ratio)))
        return
    figures = interleaved(
        CONTENDERS,
        lambda name: in_own_process(__file__, "--one", name, "--ratio", *options.ratio),
        options.repeat,
    )
    report(figures, options.ratio)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def report(figures: dict[str, list[Figures]], at: Sequence[float]) -> None:
    print(
        f"torch {torch.__version__} with {torch.get_num_threads()} threads; {ROWS} rows a prompt, {TOKENS} tokens a row"
    )
    print(
        "\n| prompt / completion | copies, CPU-s | shared / copies | chosen / copies | chosen | gradients differ by |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    verdicts = []
    for ratio in at:
        shared, chosen = (ratios(figures, name, "copies", f"cpu_s {ratio:g}") for name in ("shared", "chosen"))
        name = "shared" if figures["chosen"][0][f"is_shared {ratio:g}"] else "copies"
        seconds = quartiles([one[f"cpu_s {ratio:g}"] for one in figures["copies"]])
        differs = max(one[f"differs {ratio:g}"] for taken in figures.values() for one in taken)
        print(f"| {ratio:g} | {seconds} | {quartiles(shared)} | {quartiles(chosen)} | {name} | {differs:.0e} |")
        verdicts.append(verdict(f"chosen / copies at {ratio:g}", chosen, 0.5 if ratio >= 4 else 1.05))
    print("", *verdicts, sep="\n")


def figures_of(name: str, at: Sequence[float]) -> Figures:
    """One contender's steps, in this process."""
    tiny, rows = small_qwen2(tiny=True), group(12, 2.0)
    step(tiny, layout_of(name, tiny, rows), rows)  # what is loaded or compiled at the first call is not the step
    model, figures = small_qwen2(tiny=False), {}
    for ratio in at:
        rows = group(TOKENS, ratio)
        layout = layout_of(name, model, rows)
        model.zero_grad()
        figures[f"cpu_s {ratio:g}"] = measured_step(lambda layout=layout, rows=rows: step(model, layout, rows))["cpu_s"]
        figures[f"is_shared {ratio:g}"] = float(layout.name == SharedPrefixLayout.name)
        figures[f"differs {ratio:g}"] = 0.0 if name == "copies" else differs(layout, ratio)
    return figures


def differs(layout: Any, ratio: float) -> float:
    """Largest difference of a gradient from the copies', relative to its largest entry, on a batch that is soon run."""
    found = []
    for one in (layout, PaddedLayout()):
        model = small_qwen2(tiny=True)
        step(model, one, group(60, ratio))
        found.append([parameter.grad for parameter in model.parameters()])
    pairs = zip(*found, strict=True)
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs if a is not None and b is not None)


def layout_of(name: str, model: nn.Module, rows: RowTokens) -> Any:
    if name == "copies":
        return PaddedLayout()
    if name == "shared":
        return SharedPrefixLayout()
    return PrefixChoice(model)(rows, TOKEN_BUDGET, PaddedLayout())[0]


def small_qwen2(*, tiny: bool) -> nn.Module:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    layers, width, inner, heads, vocabulary = (2, 16, 32, 2, 300) if tiny else (3, 256, 1024, 4, VOCABULARY)
    config = Qwen2Config(
        num_hidden_layers=layers,
        hidden_size=width,
        intermediate_size=inner,
        num_attention_heads=heads,
        num_key_value_heads=2,
        vocab_size=vocabulary,
        tie_word_embeddings=True,
    )
    return Qwen2ForCausalLM(config)


def group(tokens: int, ratio: float) -> RowTokens:
    """ROWS rows with one prompt, `ratio` times as long as their completions."""
    generator = torch.Generator().manual_seed(0)
    prompt = round(tokens * ratio / (1 + ratio))
    ids = torch.randint(300, (prompt,), generator=generator)
    completions = torch.randint(300, (ROWS, tokens - prompt), generator=generator)
    return RowTokens([ids] * ROWS, list(completions), [0] * ROWS)


def step(model: nn.Module, layout: Any, rows: RowTokens) -> None:
    generator = torch.Generator().manual_seed(1)
    ids = torch.cat(list(rows.completions))
    gains = torch.randn(len(rows), generator=generator).repeat_interleave(torch.tensor(rows.completion_lengths))
    old = torch.full_like(gains, -9.0)

    def shares(logprobs: Tensor, _: Tensor | None, part: slice) -> Tensor:
        ratio, gain = (logprobs - old[part]).exp(), gains[part]
        return -torch.minimum(gain * ratio, gain * ratio.clamp(0.8, 1.28)) / len(ids)

    fused_token_loss(layout.hidden(model, rows), ids, head_of(model), shares).loss.backward()


if __name__ == "__main__":
    main()
