"""Supervised steps on given completions: cross-entropy of the completion's tokens, no more of it than is needed.

The loss meets the vocabulary where GRPO's does (`grpo.fused_token_loss`): prompt tokens never do, and rows of like
length run together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ArgumentError
from ..grpo.causal_lm import head_of
from ..grpo.fused_loss import fused_token_loss
from ..grpo.update.padded import PaddedLayout
from ..grpo.update.row_tokens import RowTokens

__all__ = ["Example", "Sft", "SftConfig", "SftStep"]


class Example(NamedTuple):
    """One completion to be learned.

    Args:
        prompt_ids: at least one; read, not learned.
        completion_ids: at least one, the end token among them: every one is learned.
    """

    prompt_ids: Sequence[int]
    completion_ids: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SftConfig:
    """How it is learned.

    Args:
        lr: of AdamW, behind the warm-up constant: nobody knows beforehand at which step it is enough.
        warmup_steps: over which the rate grows to `lr`.
        batch_size: examples an optimizer step.
        betas, weight_decay: AdamW's.
        max_grad_norm: gradients are scaled down to it.
        token_budget: positions a micro-batch may have; it changes no gradient beyond the rounding of its sum.
        seed: of the order of the examples; every epoch has an order of its own.

    Raises:
        ArgumentError: an option outside its range.
    """

    lr: float = 1e-5
    warmup_steps: int = 10
    batch_size: int = 16
    betas: tuple[float, float] = (0.9, 0.95)
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    token_budget: int = 8192
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("lr", "max_grad_norm"):
            value = getattr(self, name)
            if not (value > 0 and isfinite(value)):
                raise ArgumentError(f"{name}: expected a positive number, got {value}")
        for name, least in (("warmup_steps", 0), ("batch_size", 1), ("token_budget", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ArgumentError(f"{name}: expected at least {least}, got {getattr(self, name)}")
        if not (self.weight_decay >= 0 and isfinite(self.weight_decay)):
            raise ArgumentError(f"weight_decay: expected a number of at least 0, got {self.weight_decay}")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ArgumentError(f"betas: expected numbers in [0, 1), got {self.betas}")


class SftStep(NamedTuple):
    """One optimizer step.

    Args:
        loss: mean negative log-probability of the batch's completion tokens, in nats, before the step.
        tokens: of completions.
        grad_norm: before it was scaled down.
    """

    loss: float
    tokens: int
    grad_norm: float


class Sft:
    """Learns examples, batch after batch, for as long as it is asked to.

    The model is put into evaluation mode: without dropout the same seed gives the same weights, on one machine with
    one number of threads bit for bit.

    Args:
        model: a causal language model of transformers.
        examples: at least one.
        config: the defaults where None.

    Raises:
        ArgumentError: no example, an empty prompt or completion, a model that `grpo.head_of` refuses, or that is frozen
            altogether.
    """

    def __init__(self, model: nn.Module, examples: Sequence[Example], config: SftConfig | None = None) -> None:
        self.config = SftConfig() if config is None else config
        if not examples:
            raise ArgumentError("examples: expected at least one, got none")
        for number, (prompt, completion) in enumerate(examples):
            if not len(prompt) or not len(completion):
                raise ArgumentError(f"examples[{number}]: expected a prompt and a completion, got an empty one")
        self._model, self._head = model.eval(), head_of(model)
        device = self._head.weight.device
        self._rows = RowTokens(
            [torch.as_tensor(one.prompt_ids, device=device) for one in examples],
            [torch.as_tensor(one.completion_ids, device=device) for one in examples],
            list(range(len(examples))),
        )
        self._parameters = [one for one in model.parameters() if one.requires_grad]
        if not self._parameters:
            raise ArgumentError("model: expected a parameter that requires a gradient, got none")
        self._optimizer = torch.optim.AdamW(
            self._parameters, lr=self.config.lr, betas=self.config.betas, weight_decay=self.config.weight_decay
        )
        self._batches = _batches(len(examples), self.config)
        self.steps = 0

    def step(self) -> SftStep:
        """One batch, one optimizer step.

        Raises:
            ArgumentError: gradients that are not finite; the weights are those of the step before.
        """
        rows = self._rows.of(next(self._batches))
        tokens = sum(rows.completion_lengths)
        for group in self._optimizer.param_groups:
            group["lr"] = self.config.lr * min(1.0, (self.steps + 1) / (self.config.warmup_steps + 1))
        self._optimizer.zero_grad(set_to_none=True)
        losses = [self._backward(rows.of(places), tokens) for places in self._micro_batches(rows)]
        norm = float(nn.utils.clip_grad_norm_(self._parameters, self.config.max_grad_norm))
        if not isfinite(norm):
            self._optimizer.zero_grad(set_to_none=True)
            raise ArgumentError(
                f"model: expected finite gradients, got others at SFT step {self.steps + 1}; try a lower lr, or float32"
            )
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.steps += 1
        return SftStep(float(torch.stack(losses).sum()), tokens, norm)

    def _micro_batches(self, rows: RowTokens) -> list[list[int]]:
        return PaddedLayout().micro_batches(rows, self.config.token_budget)

    def _backward(self, rows: RowTokens, tokens: int) -> Tensor:
        hidden = PaddedLayout().hidden(self._model, rows)  # (C, H)
        ids = torch.cat(list(rows.completions))  # (C,)
        # L = -(1 / tokens of the whole batch) sum log p
        loss = fused_token_loss(hidden, ids, self._head, lambda logprobs, _, __: -logprobs / tokens).loss
        loss.backward()
        return loss.detach()


def _batches(n_examples: int, config: SftConfig) -> Iterator[list[int]]:
    """Numbers of examples, a batch at a time, without end; an epoch's last batch takes what is left."""
    epoch = 0
    while True:
        order = np.random.default_rng([config.seed, epoch]).permutation(n_examples).tolist()
        yield from (order[start : start + config.batch_size] for start in range(0, n_examples, config.batch_size))
        epoch += 1
