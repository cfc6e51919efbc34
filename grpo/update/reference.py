"""The reference policy that the KL is measured to: a second model, the same without its adapters, or none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from torch import nn

from ...errors import ArgumentError
from ..causal_lm import head_of
from ..lm_head import LmHead

__all__ = ["Reference", "ReferencePolicy"]

ReferencePolicy = nn.Module | Literal["adapter_off"] | None


class Reference:
    """Lends the reference policy for passes without a graph.

    Args:
        policy: a model of the same vocabulary; `"adapter_off"`: `model` under peft with its adapters off, which costs
            no memory; None: there is none.
        model: the policy itself, out of the wrapper that synchronises processes.

    Raises:
        ArgumentError: `"adapter_off"` of a model without adapters, or another kind of policy.
    """

    def __init__(self, policy: ReferencePolicy, model: nn.Module) -> None:
        if policy is not None and not isinstance(policy, nn.Module) and policy != "adapter_off":
            raise ArgumentError(f'reference: expected a model, "adapter_off" or None, got {policy!r}')
        self._adapted: Any = model if policy == "adapter_off" else None
        if self._adapted is not None and not hasattr(model, "disable_adapter"):
            raise ArgumentError(
                f'reference: expected a model under peft with "adapter_off", got {type(model).__name__}'
            )
        self._model: nn.Module | None = model if policy == "adapter_off" else policy  # type: ignore[assignment]
        self._head: LmHead | None = None
        if self._model is not None:
            with self._without_adapter():
                self._head = head_of(self._model)

    def __bool__(self) -> bool:
        return self._model is not None

    @contextmanager
    def lent(self) -> Iterator[tuple[nn.Module, LmHead]]:
        """The model and its head; adapters are off meanwhile."""
        if self._model is None or self._head is None:
            raise ArgumentError("ref_logprobs: expected a tensor or a reference policy with beta > 0, got neither")
        with self._without_adapter():
            yield self._model, self._head

    @contextmanager
    def _without_adapter(self) -> Iterator[None]:
        if self._adapted is None:
            yield
        else:
            with self._adapted.disable_adapter():
                yield
