"""A causal language model of transformers in its two parts: hidden states of all positions, and the head apart.

Known by what the model offers, not by its class: bare, under peft, or inside a wrapper with `.module` (accelerate,
DDP). Nothing of transformers or peft is imported.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import ArgumentError
from .lm_head import LmHead

__all__ = ["head_of", "hidden_states"]

FACTORS = ("logit_scale", "lm_head_multiplier", "output_multiplier")
DIVISORS = ("logits_scaling",)
SOFTCAP = "final_logit_softcapping"
"""Names in a model's configuration of what is done to its logits; that it is done so, `head_of` checks."""

PROBE_LOGIT = 60.0
"""How far the probe drives logits: far enough that a cap of 30 bends them, and one left out is seen."""


def hidden_states(model: nn.Module, input_ids: Tensor, **inputs: Any) -> Tensor:
    """Hidden states (B, L, H) that the head reads, of every position, with a graph; the head itself is not run.

    The model is called as a whole, so that its wrappers do their part (autocast, gradient synchronisation, adapters),
    with no position left for the head. State i predicts token i + 1: `hidden[:, :-1]` belongs to `input_ids[:, 1:]`.

    Args:
        model: an `AutoModelForCausalLM` of transformers, under peft or a wrapper or bare.
        input_ids: (B, L).
        inputs: whatever else the model takes: attention_mask, position_ids, …

    Raises:
        ArgumentError: a model without `logits_to_keep`, or that peft gives virtual tokens.
    """
    inner = _causal_lm(model)
    if "logits_to_keep" not in inspect.signature(inner.forward).parameters:
        raise ArgumentError(f"model: expected a forward with logits_to_keep, got {type(inner).__name__} without")
    nowhere = torch.empty(0, dtype=torch.long, device=input_ids.device)
    found: list[Tensor] = []
    with _at_the_decoders_output(inner, found.append):
        model(input_ids=input_ids, use_cache=False, logits_to_keep=nowhere, **inputs)
    return found[0]


def head_of(model: nn.Module) -> LmHead:
    """The head of a causal language model: its own weights, and what its configuration does to the logits.

    Before it is returned it is checked: eight tokens go through the model, their last hidden states blown up until
    the logits are as large as a trained model's, and the head must give the model's own logits. What a family does
    to its logits without our knowing is an error here, never a wrong gradient later. Random numbers are not used up,
    dropout or not.

    Args:
        model: as for `hidden_states`. Under peft the head in use now: ask again after adapters are switched, where
            the head is in `modules_to_save`.

    Raises:
        ArgumentError: a head that is no linear layer of floating-point weights, that has an adapter of its own
            (leave it out of `target_modules`, or train a copy by `modules_to_save`), or that does not give the
            model's logits.
    """
    inner = _causal_lm(model)
    layer = _layer_in_use(inner.get_output_embeddings())
    config = inner.config.get_text_config()
    scale = 1.0
    for name in FACTORS:
        scale *= getattr(config, name, None) or 1.0
    for name in DIVISORS:
        scale /= getattr(config, name, None) or 1.0
    head = LmHead(layer.weight, getattr(layer, "bias", None), scale, getattr(config, SOFTCAP, None))
    _check_logits(inner, head)
    return head


def _causal_lm(model: nn.Module) -> Any:
    """The model of transformers inside its wrappers."""
    inner: Any = model
    while True:
        if isinstance(getattr(inner, "_orig_mod", None), nn.Module):  # torch.compile
            inner = inner._orig_mod
        elif isinstance(getattr(inner, "module", None), nn.Module):
            inner = inner.module
        elif hasattr(inner, "get_base_model"):
            adapter = inner.active_peft_config
            if adapter.is_prompt_learning:
                raise ArgumentError(
                    f"model: expected adapters that leave positions as they are, got {adapter.peft_type}"
                )
            inner = inner.get_base_model()
        else:
            break
    for name in ("get_output_embeddings", "get_decoder", "config"):
        if not hasattr(inner, name):
            raise ArgumentError(f"model: expected a causal language model of transformers, got {type(inner).__name__}")
    return inner


def _layer_in_use(layer: Any) -> Any:
    """The linear layer that makes logits, out of peft's wrapper around a trained copy of it."""
    if hasattr(layer, "modules_to_save") and hasattr(layer, "original_module"):
        is_off = layer.disable_adapters or not layer.active_adapters
        layer = layer.original_module if is_off else layer.modules_to_save[layer.active_adapters[0]]
    if hasattr(layer, "base_layer"):
        raise ArgumentError(
            f"model: expected an output layer without an adapter, got {type(layer).__module__}.{type(layer).__name__}; "
            "leave it out of target_modules, or train a copy of it by modules_to_save"
        )
    if not isinstance(layer, nn.Module) or not isinstance(getattr(layer, "weight", None), Tensor):
        raise ArgumentError(f"model: expected a linear output layer, got {type(layer).__name__}")
    return layer


@torch.no_grad()
def _check_logits(inner: Any, head: LmHead) -> None:
    device = head.weight.device
    ids = torch.arange(min(8, len(head.weight)), device=device)[None]  # (1, L)
    blown_up: list[Tensor] = []

    def blow_up(hidden: Tensor) -> Tensor:
        if hidden.shape[-1] != head.weight.shape[1]:
            raise ArgumentError(
                f"model: expected hidden states of width {head.weight.shape[1]} as its head, got {hidden.shape[-1]}"
            )
        highest = (hidden.to(head.weight.dtype) @ head.weight.t()).abs().max() * abs(head.scale)
        blown_up.append(hidden * (PROBE_LOGIT / highest.clamp(min=1e-6)).to(hidden.dtype))
        return blown_up[0]

    accelerators = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(accelerators, device_type=device.type), _at_the_decoders_output(inner, blow_up):
        theirs = inner(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits.double()
    ours = head.logits(blown_up[0].to(head.weight.dtype)).double()
    # In half precision both round at every operation, and not at the same ones.
    tolerance = 1e-4 if head.weight.dtype.itemsize >= 4 else 3e-2
    if theirs.shape != ours.shape or not bool((ours - theirs).abs().max() <= tolerance * theirs.abs().max()):
        raise ArgumentError(
            f"model: expected logits cap({head.scale:g} (W h + b)), softcap {head.softcap}, as the configuration of "
            f"{type(inner).__name__} says, got others; what this family does to its logits is not known here"
        )


@contextmanager
def _at_the_decoders_output(inner: Any, seen: Callable[[Tensor], Tensor | None]) -> Iterator[None]:
    """Show the last hidden states to `seen` whenever the decoder returns some; what it returns takes their place."""

    def hook(module: nn.Module, inputs: Any, output: Any) -> Any:
        hidden = output[0] if isinstance(output, tuple) else output.last_hidden_state
        other = seen(hidden)
        if other is None:
            return None
        if isinstance(output, tuple):
            return other, *output[1:]
        output.last_hidden_state = other
        return output

    handle = inner.get_decoder().register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()
