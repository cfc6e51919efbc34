"""Which form of step credit suits which scorer: every mode of the gate on the same simulated rollouts.

    python benchmarks/gate_forms.py [--batches 15] [--seed 0]

A rollout is six lines of a running total, five of which need a carry; it is right when all six lines are. The chance
of a right carry rises over the batches from 0.20 to 0.64, as in the first steps of a training run that works; each
batch has 16 prompts with 8 rollouts, nearly all groups all wrong at first. One token a line. Four scorers see them:

    local     judges each line by the line before it, 1 or 0
    prefix    the same, and 0 for all lines after the first wrong one
    proofs    judges a line wrong (0) or right (1) as local does, but only every other line; silent (no score) else
    graded    local with a learned scorer's noise: 0.75 ± 0.15 for a right line, 0.35 ± 0.15 for a wrong one

Printed for each scorer and mode, over all batches:

    right −, wrong +    lines of opened groups that are right and charged, or wrong and paid (shares; lower is better);
                        right as the scorer means it: for prefix, with all lines before
    all −, all +        the same over all groups, mixed ones included, where the outcome pays and charges whole rollouts
    spam +              three true lines are put in front of one rollout of each opened group: share of them paid
    gain                what that rollout gains by it: change of the sum of its advantages, in units of their RMS
    bias                `length_bias` of groups whose lines all score the same and whose rollouts have 2 to 9 of them
"""

import argparse
from math import nan

import torch
from torch import Tensor

from rewardgate.grpo import GATE_MODES, GateConfig, GatedAdvantages, gate

PROMPTS, GROUP, LINES, SPAM = 16, 8, 6, 3
SCORERS = ("local", "prefix", "proofs", "graded")
MODES = {
    "sum (verigate)": GATE_MODES["verigate"],
    "none (local)": GATE_MODES["local"],
    "mean": GATE_MODES["mean"],
    "sum of 2r - 1": GateConfig(cumulate="sum", symmetric=True),
    "sum, by line": GateConfig(cumulate="sum", baseline="step_index"),
    "prefix (vppo)": GATE_MODES["vppo"],
    "min (pure)": GATE_MODES["pure"],
    "progress": GATE_MODES["progress"],
    "rules": GATE_MODES["rules"],
    "errors": GATE_MODES["errors"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| scorer | mode | right − | wrong + | all − | all + | spam + | gain | bias |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for scorer in SCORERS:
        for name, config in MODES.items():
            generator = torch.Generator().manual_seed(options.seed)
            carries = torch.linspace(0.20, 0.64, options.batches).tolist()
            batches = [right_lines(carry, generator) for carry in carries]
            columns = errors(batches, scorer, config, generator)
            columns += spam(batches, scorer, config, generator)
            row = " | ".join([*(f"{100 * share:.0f} %" for share in columns[:5]), f"{columns[5]:+.1f}"])
            print(f"| {scorer} | {name} | {row} | {length_bias(config):+.2f} |")


def right_lines(carry: float, generator: torch.Generator) -> Tensor:
    """(B, LINES) bool: which lines of a batch are right given those before; the line without a carry nearly always."""
    chance = torch.full((PROMPTS * GROUP, LINES), carry)
    place = torch.randint(LINES, (PROMPTS, 1), generator=generator).repeat_interleave(GROUP, 0)
    return torch.rand(chance.shape, generator=generator) < chance.scatter(1, place, 0.95)


def scored(is_right: Tensor, scorer: str, generator: torch.Generator) -> Tensor:
    """(B, S) step rewards of a scorer."""
    rewards = is_right.double()
    if scorer == "prefix":
        return rewards.cumprod(1)
    if scorer == "proofs":
        return rewards.where(torch.arange(rewards.shape[1]) % 2 == 0, nan)
    if scorer == "graded":
        noise = 0.15 * torch.randn(rewards.shape, generator=generator, dtype=torch.float64)
        return (0.35 + 0.4 * rewards + noise).clamp(0, 1)
    return rewards


def gated(outcomes: Tensor, step_rewards: Tensor, config: GateConfig, lines: Tensor | None = None) -> GatedAdvantages:
    """The gate with one token a line; rows have `lines` (B,) of them, or all."""
    width = step_rewards.shape[1]
    mask = torch.ones(step_rewards.shape, dtype=torch.bool)
    if lines is not None:
        mask = torch.arange(width) < lines[:, None]
    groups = torch.arange(len(outcomes)) // GROUP
    steps = torch.arange(width).expand_as(step_rewards)
    return gate(outcomes, groups, step_rewards, steps, mask, **config.options())


def opened(outcomes: Tensor) -> Tensor:
    """(B,) bool: the rows of all-wrong groups."""
    return (outcomes.view(-1, GROUP).sum(1) == 0).repeat_interleave(GROUP)


def errors(batches: list[Tensor], scorer: str, config: GateConfig, generator: torch.Generator) -> list[float]:
    """Shares of right lines charged and of wrong lines paid: in opened groups, then in all."""
    counts = torch.zeros(4, 2)
    for is_right in batches:
        outcomes = is_right.all(1).double()
        advantages = gated(outcomes, scored(is_right, scorer, generator), config).advantages
        for first, rows in ((0, opened(outcomes)), (2, torch.ones(len(outcomes), dtype=torch.bool))):
            valid = is_right.cumprod(1).bool() if scorer == "prefix" else is_right
            right, wrong = valid & rows[:, None], ~valid & rows[:, None]
            counts[first] += torch.tensor([(right & (advantages < 0)).sum(), right.sum()])
            counts[first + 1] += torch.tensor([(wrong & (advantages > 0)).sum(), wrong.sum()])
    return (counts[:, 0] / counts[:, 1]).tolist()


def spam(batches: list[Tensor], scorer: str, config: GateConfig, generator: torch.Generator) -> list[float]:
    """Share of added true lines that are paid, and what they gain the rollout that adds them."""
    paid = added = gained = rollouts = 0.0
    for is_right in batches:
        outcomes = is_right.all(1).double()
        rewards = scored(is_right, scorer, generator)
        rows, width = opened(outcomes), rewards.shape[1]
        spammers = rows & (torch.arange(len(rows)) % GROUP == 0)
        front = torch.full((len(rows), SPAM), 0.75 if scorer == "graded" else 1.0, dtype=torch.float64)
        longer = torch.where(
            spammers[:, None],
            torch.cat([front, rewards], 1),
            torch.cat([rewards, torch.full_like(front, nan)], 1),
        )
        lines = torch.where(spammers, width + SPAM, width)
        before = gated(outcomes, rewards, config).advantages
        after = gated(outcomes, longer, config, lines).advantages
        size = before[rows].square().mean().sqrt()
        paid += (after[spammers][:, :SPAM] > 0).sum().item()
        added += SPAM * spammers.sum().item()
        gained += ((after[spammers].sum(1) - before[spammers].sum(1)) / size).sum().item()
        rollouts += spammers.sum().item()
    return [paid / added, gained / rollouts]


def length_bias(config: GateConfig) -> float:
    lines = torch.arange(2, 2 + GROUP).repeat(PROMPTS)
    rewards = torch.full((len(lines), int(lines.max())), 0.75, dtype=torch.float64)
    rewards = rewards.where(torch.arange(rewards.shape[1]) < lines[:, None], nan)
    return gated(torch.zeros(len(lines), dtype=torch.float64), rewards, config, lines).report.length_bias


if __name__ == "__main__":
    main()
