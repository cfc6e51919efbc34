"""Where runs begin: what a fine-tuned policy can do before the first step, by difficulty."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import fmean

import torch
from judging import Judged, drawn
from policy import Characters, load
from tasks import task_of

PROMPTS, GROUP_SIZE = 512, 8


def starts(checkpoint: str, folder: Path) -> Iterator[dict[str, float]]:
    """One row for each number of hard steps: shares of right rollouts, of right lines and of groups all wrong, entropy
    in nats a token. 512 prompts, 8 rollouts each."""
    torch.set_num_threads(1)
    task = task_of(checkpoint)
    characters = Characters(task.alphabet)
    model = load(len(characters), folder / f"{checkpoint}.safetensors")
    for difficulty in (1, 2, 3, 4):
        random = Random(difficulty)
        prompts = [task.prompt(random, difficulty, 0) for _ in range(PROMPTS)]
        generator = torch.Generator().manual_seed(difficulty)
        groups, entropy = drawn(model, task, prompts, GROUP_SIZE, generator=generator)
        judged = Judged(groups, task, task.scorer)
        yield {
            "hard steps": difficulty,
            "right rollouts": judged.rewards.mean().item(),
            "right lines": judged.exact.nanmean().item(),
            "groups all wrong": fmean(max(group.rewards) == 0 for group in groups),
            "entropy": entropy,
        }


def start_table(folder: Path, checkpoints: tuple[str, ...]) -> str:
    names = ("hard steps", "right rollouts", "right lines", "groups all wrong", "entropy")
    lines = [f"| checkpoint | {' | '.join(names)} |", "|" + " --- |" * (len(names) + 1)]
    for checkpoint in checkpoints:
        for row in starts(checkpoint, folder):
            cells = [f"{row[name]:.0f}" if name == "hard steps" else f"{row[name]:.4f}" for name in names]
            lines.append(f"| `{checkpoint}` | {' | '.join(cells)} |")
    return "\n".join(lines)
