"""The processes that share an update: what they sum, when their gradients meet, and the wrappers that do it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from ...errors import ArgumentError

__all__ = ["Ranks"]


class Ranks:
    """One process, or several whose gradients DistributedDataParallel averages.

    Args:
        model: bare, in DistributedDataParallel, or prepared by accelerate.
        accelerator: accelerate's, where it prepared model and optimizer.

    `count` and `rank` are of the processes; `bare` is the model without the wrapper that synchronises, for passes that
    one process may make more often than another.

    Raises:
        ArgumentError: several processes and a model that does not synchronise, sharded parameters, accelerate with
            gradient accumulation of its own or float16.
    """

    def __init__(self, model: nn.Module, accelerator: Any = None) -> None:
        self.count, self.rank = 1, 0
        self.bare = model
        self._model, self._accelerator = model, accelerator
        self._wrapper = _distributed_wrapper(model)
        if self._wrapper is not None:
            self.count, self.rank = distributed.get_world_size(), distributed.get_rank()
            self.bare = self._wrapper.module
        elif distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
            raise ArgumentError(
                f"model: expected a DistributedDataParallel with {distributed.get_world_size()} processes, "
                f"got {type(model).__name__}; wrap it, or let accelerate prepare it"
            )
        for name, one in model.named_parameters():
            if hasattr(one, "device_mesh") or hasattr(one, "ds_id"):
                raise ArgumentError(f"model: expected whole parameters, got {name} sharded over processes")
        if accelerator is not None:
            if accelerator.gradient_accumulation_steps != 1:
                raise ArgumentError(
                    "accelerator: expected gradient_accumulation_steps = 1, got "
                    f"{accelerator.gradient_accumulation_steps}; an update accumulates by its token_budget"
                )
            if accelerator.mixed_precision not in ("no", "bf16"):
                raise ArgumentError(
                    f"accelerator: expected mixed precision no or bf16, got {accelerator.mixed_precision}"
                )

    def summed(self, values: Sequence[float]) -> list[float]:
        """Each value, summed over the processes, in float64."""
        return self._reduced(values, "SUM")

    def highest(self, values: Sequence[float]) -> list[float]:
        """Each value, the highest of all processes."""
        return self._reduced(values, "MAX")

    def gathered(self, value: Any) -> list[Any]:
        """The value of every process, by rank."""
        if self.count == 1:
            return [value]
        everyone: list[Any] = [None] * self.count
        distributed.all_gather_object(everyone, value)
        return everyone

    def meeting(self, *, is_last: bool) -> AbstractContextManager[object]:
        """For a forward and a backward pass: gradients are averaged over the processes in the last one only."""
        if self._wrapper is None or is_last:
            return nullcontext()
        return self._wrapper.no_sync()

    def backward(self, loss: Tensor) -> None:
        """Gradients of the sum over processes, where `loss` is this one's share of it."""
        # Averaging over n processes divides by n.
        loss = loss * self.count if self.count > 1 else loss
        if self._accelerator is None:
            loss.backward()
        else:
            self._accelerator.backward(loss)

    def autocast(self, dtype: str | None) -> AbstractContextManager[object]:
        """What forward passes run under."""
        if self._accelerator is not None:
            return self._accelerator.autocast()
        if dtype is None:
            return nullcontext()
        device = next(self.bare.parameters()).device.type
        return torch.autocast(device, dtype=getattr(torch, dtype))

    @contextmanager
    def exactly(self) -> Iterator[None]:
        """Without the autocast that accelerate put around the model's forward: to compare it with itself."""
        patched = [one for one in self.bare.modules() if "_original_forward" in one.__dict__]
        forwards = [one.forward for one in patched]
        for one in patched:
            one.forward = one._original_forward  # type: ignore[assignment]
        try:
            yield
        finally:
            for one, forward in zip(patched, forwards, strict=True):
                one.forward = forward  # type: ignore[method-assign]

    def _reduced(self, values: Sequence[float], operation: str) -> list[float]:
        if self.count == 1:
            return list(values)
        device = next(self.bare.parameters()).device
        # MPS has no float64, but no several processes either.
        tensor = torch.tensor(values, dtype=torch.float64, device=device)
        distributed.all_reduce(tensor, op=getattr(distributed.ReduceOp, operation))
        return tensor.tolist()


def _distributed_wrapper(model: nn.Module) -> DistributedDataParallel | None:
    """DistributedDataParallel, inside torch.compile or not."""
    inner = model
    while True:
        if isinstance(inner, DistributedDataParallel):
            return inner
        compiled = getattr(inner, "_orig_mod", None)
        if not isinstance(compiled, nn.Module):
            return None
        inner = compiled
