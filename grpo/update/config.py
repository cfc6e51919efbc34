"""How a batch becomes optimizer steps: the options of `PolicyUpdate`, checked when built."""

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

from ...errors import ArgumentError
from ..loss_config import LossConfig
from .layouts import LayoutName

__all__ = ["UpdateConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateConfig:
    """The options of `PolicyUpdate`; what is minimised is a `LossConfig` of its own.

    Args:
        loss: what is minimised.
        temperature: that completions were sampled at; divides the logits.
        epochs: how often each row is learned from.
        mini_batches: optimizer steps an epoch: the rows are cut into that many parts (between groups where
            `group_ids` are known), each with a normalizer of its own.
        shuffle: deal rows (groups) to mini-batches anew every epoch, by `seed`; else in the batch's order.
        seed: of shuffling and of dropout, with the number of the batch and the process: the same batches give the
            same weights, wherever a run is resumed.
        token_budget: positions that a micro-batch may compute, padding included; a longer row runs alone. None:
            1,024 on a CPU, 16,384 elsewhere. It moves memory and speed, never the gradient.
        chunk_mib: memory for logits; see `selected_logprobs`.
        layout: of the rows; `"auto"` chooses, and the record tells what and why.
        skip: leave out rows (and tokens) that provably have no gradient; see `docs/update.md` for when they are not.
        full_pass_every: every so many batches rows that are skipped are scored too, without a graph, so that the
            figures are of all rows. None: never.
        max_grad_norm: gradients are scaled down to this norm; None: never, and the norm is still measured.
        activation_checkpointing: keep no activations within a layer, compute them again: one more forward pass. The
            model must be in training mode.
        autocast: `"bfloat16"`: products in bfloat16 over the model's own weights (float32 masters). None: in the
            dtype of the weights, or as accelerate was told. A model that is itself in bfloat16 loses every update
            below 1/256 of a weight.
        entropy: measure the entropy at every token that is run, whether it is in the loss or not.
        degenerate_gradient: measure the norm of the gradient of degenerate groups alone; costs their own
            micro-batches, and needs `degenerate`.
        save_nonfinite: folder for batches whose step was skipped because its gradient was not finite.

    Raises:
        ArgumentError: an option outside its range.

    Example:
        >>> UpdateConfig(loss=LossConfig(epsilon_high=0.28), epochs=2).optimizer_steps
        2
        >>> UpdateConfig(epochs=0)
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: epochs: expected an integer of at least 1, got 0
    """

    loss: LossConfig = field(default_factory=LossConfig)
    temperature: float = 1.0
    epochs: int = 1
    mini_batches: int = 1
    shuffle: bool = False
    seed: int = 0
    token_budget: int | None = None
    chunk_mib: float | None = None
    layout: LayoutName = "auto"
    skip: bool = True
    full_pass_every: int | None = None
    max_grad_norm: float | None = 1.0
    activation_checkpointing: bool = False
    autocast: Literal["bfloat16"] | None = None
    entropy: bool = False
    degenerate_gradient: bool = False
    save_nonfinite: Path | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.loss, LossConfig):
            raise ArgumentError(f"loss: expected a LossConfig, got {type(self.loss).__name__}")
        for name, least in (("epochs", 1), ("mini_batches", 1), ("seed", 0)):
            _check_integer(name, getattr(self, name), least)
        for name in ("token_budget", "full_pass_every"):
            if getattr(self, name) is not None:
                _check_integer(name, getattr(self, name), 1)
        for name in ("temperature", "chunk_mib", "max_grad_norm"):
            _check_positive(name, getattr(self, name), is_optional=name != "temperature")
        for name in ("shuffle", "skip", "activation_checkpointing", "entropy", "degenerate_gradient"):
            if not isinstance(getattr(self, name), bool):
                raise ArgumentError(f"{name}: expected True or False, got {getattr(self, name)!r}")
        if self.layout not in get_args(LayoutName):
            raise ArgumentError(f"layout: expected one of {', '.join(get_args(LayoutName))}, got {self.layout!r}")
        if self.autocast not in ("bfloat16", None):
            raise ArgumentError(f"autocast: expected bfloat16 or None, got {self.autocast!r}")

    @property
    def optimizer_steps(self) -> int:
        """How many a batch has, at most."""
        return self.epochs * self.mini_batches


def _check_integer(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ArgumentError(f"{name}: expected an integer of at least {least}, got {value!r}")


def _check_positive(name: str, value: Any, *, is_optional: bool) -> None:
    if value is None and is_optional:
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not (value > 0 and isfinite(value)):
        raise ArgumentError(f"{name}: expected a positive number{' or None' * is_optional}, got {value!r}")
