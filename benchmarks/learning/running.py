"""One run: an arm, a checkpoint, a learning rate and a seed to a learning curve and what it ends at."""

from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from random import Random
from statistics import fmean
from time import process_time
from typing import Any

import torch
from arms import ARMS, Memory
from judging import VERIFIER, Group, Judged, Row, drawn
from policy import Characters, completion_loss, load
from scorers import scorer_named
from tasks import TASKS, held_out, training_prompts
from torch import Tensor
from torch.nn.functional import pad

from rewardgate.diagnostics import collapse_rates
from rewardgate.grpo import LossConfig, PolicyUpdate, UpdateBatch, UpdateConfig
from rewardgate.training.sampling import DynamicSampling, sample_groups
from rewardgate.verifiers.batch import verify_many

STEP_ROLLOUTS = 64
ROLLOUTS = 60 * STEP_ROLLOUTS
BINS = 12
EARLY = 0.2
TUNING_SEED = 1_000


@dataclass(frozen=True)
class Job:
    """What is run. The seed draws prompts and samples; from `TUNING_SEED` on it serves the choice of a learning rate
    and is no result. A group size of 0 is the arm's."""

    arm: str
    task: str
    checkpoint: str
    difficulty: int
    lr: float
    seed: int
    rollouts: int = ROLLOUTS
    group_size: int = 0

    @property
    def is_tuning(self) -> bool:
        return self.seed >= TUNING_SEED

    @property
    def is_short(self) -> bool:
        return self.rollouts < ROLLOUTS

    @property
    def key(self) -> str:
        parts = (f"d{self.difficulty}", f"lr{self.lr:g}", f"s{self.seed}", f"n{self.rollouts}", f"g{self.group_size}")
        return " ".join((self.arm, self.checkpoint, *parts))


def run(job: Job, folder: Path) -> dict[str, Any]:
    """The record of a job: one line of JSON."""
    torch.set_num_threads(1)
    trial = _Trial(job, folder)
    trial.bootstrap()
    while trial.generated < trial.budget:
        trial.step()
    names = ("arm", "task", "checkpoint", "difficulty", "lr", "seed", "rollouts")
    return {
        "key": job.key,
        **{name: getattr(job, name) for name in names},
        "group_size": trial.group_size,
        "final": trial.final(),
        "evaluated": trial.evaluated,
        "take_off": {"0.1": trial.take_off(0.1), "0.5": trial.take_off(0.5)},
        "early": trial.mean_of_log(0, round(EARLY * trial.budget)),
        "curve": [
            trial.mean_of_log(trial.budget * place // BINS, trial.budget * (place + 1) // BINS) for place in range(BINS)
        ],
        "steps": len(trial.log),
        "updates": trial.update.optimizer_steps,
        "tokens": trial.tokens,
        "cpu_s": round(trial.learning_s, 2),
    }


class _Trial:
    def __init__(self, job: Job, folder: Path) -> None:
        self.job, self.arm, self.task = job, ARMS[job.arm], TASKS[job.task]
        self.group_size = job.group_size or self.arm.group_size
        self.budget = job.rollouts * self.arm.rollouts
        characters = Characters(self.task.alphabet)
        self.model = load(len(characters), folder / f"{job.checkpoint}.safetensors")
        self.held_out = held_out(self.task, job.difficulty)
        self.prompt = training_prompts(self.task, job.difficulty, job.seed, self.held_out.all)
        self.scorer = scorer_named(self.arm.scorer, self.task, seed=job.seed)
        self.generator = torch.Generator().manual_seed(job.seed)
        loss = LossConfig(
            epsilon_high=0.28,
            reduction="constant" if self.arm.constant else "token_mean",
            completion_budget=self.task.max_tokens if self.arm.constant else None,
        )
        config = UpdateConfig(
            loss=loss, temperature=self.arm.temperature, token_budget=8_192, layout="padded", max_grad_norm=1.0
        )
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=job.lr, betas=(0.9, 0.95), weight_decay=0.0)
        self.update = PolicyUpdate(self.model, optimizer, config)
        self.memory = Memory()
        self.generated = self.tokens = 0
        self.learning_s = 0.0
        self.log: list[dict[str, float]] = []
        self.successes: list[Row] = []
        self.random = Random(job.seed)
        self.evaluated: list[tuple[int, float]] = [(0, self.success(self.held_out.curve))]

    def bootstrap(self) -> None:
        """Learn demonstrations, verified first, in four passes."""
        began = process_time()
        prompts = [self.prompt() for _ in range(self.arm.demonstrations)]
        pairs = [(prompt, self.task.answer(prompt)) for prompt in prompts]
        verdicts = verify_many(VERIFIER, [(answer, self.task.answer(prompt)) for prompt, answer in pairs])
        pairs = [pair for pair, verdict in zip(pairs, verdicts, strict=True) if verdict.reward == 1]
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.0)
        characters = Characters(self.task.alphabet)
        for _ in range(4):
            self.random.shuffle(pairs)
            for begin in range(0, len(pairs), 16):
                optimizer.zero_grad()
                completion_loss(self.model, characters, pairs[begin : begin + 16]).backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
        optimizer.zero_grad()
        self.learning_s += process_time() - began
        if pairs:
            self.evaluated.append((0, self.success(self.held_out.curve)))

    def step(self) -> None:
        """Generate, judge, learn, note what happened."""
        began = process_time()
        made: list[Group] = []
        entropies: list[float] = []

        def draw(count: int) -> list[Group]:
            groups, entropy = drawn(
                self.model,
                self.task,
                [self.prompt() for _ in range(count)],
                self.group_size,
                generator=self.generator,
                temperature=self.arm.temperature,
            )
            made.extend(groups)
            entropies.append(entropy)
            return groups

        wanted = STEP_ROLLOUTS // self.group_size
        kept = sample_groups(draw, wanted, DynamicSampling(max_batches=10)).groups if self.arm.refill else draw(wanted)
        nonzero = self.learn(kept) if kept else 0
        all_made = Judged(made, self.task, self.scorer)
        self.generated += len(all_made.rows)
        self.tokens += sum(len(row.ids) for row in all_made.rows)
        self.learning_s += process_time() - began
        collapse = collapse_rates(all_made.rewards.numpy(), all_made.group_ids.numpy())
        shown = all_made.exact
        self.log.append(
            {
                "generated": self.generated,
                "success": all_made.rewards.mean().item(),
                "degenerate": collapse.degenerate_rate,
                "all_wrong": collapse.all_wrong_rate,
                "nonzero": nonzero / sum(len(row.ids) for row in all_made.rows),
                "lines": (~shown.isnan()).sum(1).double().mean().item(),
                "valid": shown.nanmean().item(),
                "scored": all_made.step_rewards.nanmean().item(),
                "cut": fmean(not row.ended for row in all_made.rows),
                "entropy": fmean(entropies),
                "tokens": self.tokens,
                "cpu_s": self.learning_s,
            }
        )
        if self.generated // (self.budget // 6) > self.evaluated[-1][0] // (self.budget // 6):
            self.evaluated.append((self.generated, self.success(self.held_out.curve)))

    def learn(self, groups: list[Group]) -> int:
        """One update; returns how many generated tokens had an advantage."""
        if self.arm.kept is not None:
            groups = [self.consistent(group, self.arm.kept) for group in groups]
        batch = Judged(groups, self.task, self.scorer)
        advantages = self.arm.credit(batch, self.memory).float()
        if advantages.ndim == 1:
            advantages = advantages[:, None] * batch.mask
        nonzero = int((advantages != 0).sum())
        rows = batch.rows
        if self.arm.replayed:
            old = self.random.sample(self.successes, min(self.arm.replayed, len(self.successes)))
            self.successes = [*self.successes, *(row for row in rows if row.reward == 1)][-512:]
            advantages = _with_rows(advantages, [len(row.ids) for row in old])
            rows = [*rows, *old]
        characters = Characters(self.task.alphabet)
        self.update.step(
            UpdateBatch([characters.encode(row.prompt) for row in rows], [row.ids for row in rows], advantages)
        )
        return nonzero

    def consistent(self, group: Group, kept: int) -> Group:
        """Of a group, the right rollouts whose steps score highest and the wrong ones whose steps score lowest, both
        in their own share."""
        by_step = Judged([group], self.task, self.scorer).step_rewards.nanmean(1).nan_to_num(0.0).tolist()
        ranked = sorted(zip(by_step, group.rows, strict=True), key=lambda pair: pair[0])
        wrong = [row for _, row in ranked if row.reward == 0]
        right = [row for _, row in reversed(ranked) if row.reward == 1]
        share = min(max(round(kept * len(right) / len(group.rows)), bool(right)), kept - bool(wrong))
        return Group([*right[:share], *wrong[: kept - share]])

    def success(self, prompts: list[str], count: int = 2, *, greedy: bool = False) -> float:
        """Share of right derivations at temperature 1, by a generator of its own."""
        generator = torch.Generator().manual_seed(1)
        groups, _ = drawn(self.model, self.task, prompts, count, generator=generator, greedy=greedy)
        return round(fmean(reward for group in groups for reward in group.rewards), 4)

    def final(self) -> dict[str, float]:
        if self.job.is_tuning:
            return {"tuning": self.success(self.held_out.tuning)}
        return {
            "usual": self.success(self.held_out.usual),
            "greedy": self.success(self.held_out.usual, 1, greedy=True),
            "natural": self.success(self.held_out.natural),
            "longer": self.success(self.held_out.longer, 1),
        }

    def take_off(self, level: float) -> int | None:
        """Rollouts generated when the mean success of five steps first reached a level."""
        success = [entry["success"] for entry in self.log]
        for place in range(4, len(success)):
            if fmean(success[place - 4 : place + 1]) >= level:
                return int(self.log[place]["generated"])
        return None

    def mean_of_log(self, after: int, up_to: int) -> dict[str, float] | None:
        """Means over the steps that ended within some rollouts; totals as they were at the end. None: no step did."""
        entries = [entry for entry in self.log if after < entry["generated"] <= up_to]
        if not entries:
            return None
        means = {name: _mean([entry[name] for entry in entries]) for name in entries[0]}
        means |= {name: entries[-1][name] for name in ("generated", "tokens", "cpu_s")}
        return {name: round(value, 4) for name, value in means.items() if not isnan(value)}


def _with_rows(advantages: Tensor, lengths: list[int]) -> Tensor:
    """(B, T) with a row of ones for each length below it."""
    width = max([advantages.shape[1], *lengths])
    ones = torch.arange(width) < torch.tensor(lengths, dtype=torch.long)[:, None]
    return torch.cat([pad(advantages, (0, width - advantages.shape[1])), ones.float()])


def _mean(values: list[float]) -> float:
    known = [value for value in values if not isnan(value)]
    return fmean(known) if known else nan
