"""A family's model from a checkpoint: the base model as transformers has it, and the family's head on top of it.

No code of a checkpoint is ever run. The base model is transformers' own for the configuration's `model_type`; the
head is two or three lines here, and its weights are read by name. A tensor that is missing, or that nobody reads,
is an error: a head left at random would score, too.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from ...errors import ArgumentError
from .checkpoint import Checkpoint, find_checkpoint
from .families import FAMILIES, Family, Head, StepEncoder

__all__ = ["StepModel", "load_model"]

_LAYERS: dict[Head, tuple[str, ...]] = {
    "two_layers": ("score.0", "score.2"),
    "linear": ("score",),
    "value": ("v_head.summary",),
    "vocabulary": ("lm_head",),
}
"""Names of the linear layers of each head, in order."""

_SCALES_LOGITS = ("final_logit_softcapping", "logit_scale", "logits_scaling")


@dataclass(frozen=True)
class StepModel:
    """A base model, its head, and the encoder of rows for both.

    Args:
        base: gives the last hidden states (B, T, H); in evaluation mode, without gradients.
        head: (n, H) in float32 -> (n, 2), wrong and right, or (n, 1).
        max_tokens: how many positions the base model was made for; None where its configuration names no limit.
        longest: beyond so many tokens the positions turn on the longest input of a batch (dynamic RoPE), and on those
            before it; None where they never do.
        version: family, content of the checkpoint and dtype; scores under one version are the same scores.
    """

    base: Any
    head: nn.Module
    encoder: StepEncoder
    max_tokens: int | None
    longest: int | None
    version: str

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.base.device


def load_model(
    model: str | Path,
    *,
    family: str | Family = "auto",
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
) -> StepModel:
    """The model in a folder, or of the hub; the arguments are those of `HfScorer`.

    Raises:
        ArgumentError: there is no such model; its weights, its tokenizer and the family do not fit together; its
            attention looks ahead; or an argument breaks its rule.
    """
    place = _device(device)
    kind = _dtype(dtype, place)
    checkpoint = find_checkpoint(model, revision)
    chosen = _family(family, checkpoint)
    try:
        tokenizer = AutoTokenizer.from_pretrained(checkpoint.folder, trust_remote_code=False)
    except Exception as error:  # whatever the reader of that kind of tokenizer raises
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"model: expected a tokenizer in {checkpoint.folder}: {reason}") from error
    encoder = chosen.encoder(tokenizer)
    base = _base(checkpoint, chosen, kind).to(place)
    head = _head(checkpoint, encoder, base).to(place)
    _check_causal(base)
    text_config = base.config.get_text_config()
    longest = _longest(text_config)
    limit = longest or getattr(text_config, "max_position_embeddings", None)
    version = f"{chosen.name}:{checkpoint.digest}:{str(kind).removeprefix('torch.')}"
    return StepModel(base, head, encoder, limit, longest, version)


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise ArgumentError(f'device: expected "auto" or a device of torch, got {name!r}') from error


def _dtype(name: str, device: torch.device) -> torch.dtype:
    kinds = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if name == "auto":
        return kinds["float32" if device.type == "cpu" else "bfloat16"]
    if name not in kinds:
        raise ArgumentError(f"dtype: expected auto, {', '.join(kinds)}, got {name!r}")
    return kinds[name]


def _family(family: str | Family, checkpoint: Checkpoint) -> Family:
    """The family asked for; or the one that the configuration proves the checkpoint to be of."""
    if isinstance(family, Family):
        return family
    if family in FAMILIES:
        return FAMILIES[family]
    if family != "auto":
        raise ArgumentError(f"family: expected auto or one of {', '.join(FAMILIES)}, got {family!r}")
    architectures = checkpoint.config.get("architectures") or []
    for known in FAMILIES.values():
        if known.architecture and any(re.fullmatch(known.architecture, name) for name in architectures):
            return known
    raise ArgumentError(
        f"family: expected one of {', '.join(FAMILIES)}, got 'auto' for a checkpoint that could be of several "
        f"(architectures: {', '.join(architectures) or 'none'})"
    )


def _base(checkpoint: Checkpoint, family: Family, dtype: torch.dtype) -> Any:
    _ = checkpoint.files  # says better than transformers what is missing
    try:
        with _without_report():
            base, report = AutoModel.from_pretrained(
                checkpoint.folder,
                dtype=dtype,
                trust_remote_code=False,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are told below, by name
            )
    except (OSError, ValueError) as error:  # an architecture that transformers does not know
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(
            f"model: expected one that transformers can build, got {checkpoint.folder}: {reason}"
        ) from error
    read = {f"{layer}.{kind}" for layer in (*_LAYERS[family.head], "lm_head") for kind in ("weight", "bias")}
    problems = {
        "missing": sorted(report["missing_keys"]),
        "of another shape": sorted(str(key) for key in report["mismatched_keys"]),
        "that nothing reads": sorted(set(report["unexpected_keys"]) - read),
    }
    for what, keys in problems.items():
        if keys:
            shown = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
            raise ArgumentError(
                f"model: expected the tensors of a {family.name} model, got {len(keys)} {what}: {shown}"
            )
    return base.eval().requires_grad_(False)


@contextmanager
def _without_report() -> Iterator[None]:
    """transformers warns of every tensor that the base model does not read: of the head, which is read here."""
    logger = logging.getLogger("transformers.modeling_utils")

    def is_other(record: logging.LogRecord) -> bool:
        return "LOAD REPORT" not in record.getMessage()

    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def _head(checkpoint: Checkpoint, encoder: StepEncoder, base: Any) -> nn.Module:
    """The head in float32, whatever the base model's dtype: it costs nothing, and is where a logit is rounded."""
    kind, rows = encoder.family.head, encoder.label_ids
    if kind == "vocabulary":
        scaled = [name for name in _SCALES_LOGITS if getattr(base.config, name, None) not in (None, 1, 1.0)]
        if scaled:
            raise ArgumentError(f"model: expected a language model whose logits are not scaled, got {scaled[0]}")
    layers = [_linear(*_weights(checkpoint, name, rows, base)) for name in _LAYERS[kind]]
    wanted = 1 if kind == "value" else 2
    if layers[-1].out_features != wanted:
        raise ArgumentError(
            f"model: expected {wanted} rows in {_LAYERS[kind][-1]}.weight, got {layers[-1].out_features}"
        )
    with_relu = [module for layer in layers for module in (nn.ReLU(), layer)][1:]
    return nn.Sequential(*with_relu).eval().requires_grad_(False)


def _weights(
    checkpoint: Checkpoint, layer: str, rows: tuple[int, ...] | None, base: Any
) -> tuple[Tensor, Tensor | None]:
    name = f"{layer}.weight"
    if layer == "lm_head" and name not in checkpoint.tensors and base.config.tie_word_embeddings:
        assert rows is not None
        return base.get_input_embeddings().weight[list(rows)].float(), None
    if layer == "lm_head" and f"{layer}.bias" not in checkpoint.tensors:
        return checkpoint.tensor(name, rows), None
    return checkpoint.tensor(name, rows), checkpoint.tensor(f"{layer}.bias", rows)


def _linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    layer.load_state_dict({"weight": weight} if bias is None else {"weight": weight, "bias": bias})
    return layer


def _longest(config: Any) -> int | None:
    rope = getattr(config, "rope_parameters", None) or {}
    for kind in (rope, *(value for value in rope.values() if isinstance(value, dict))):  # for all layers, or by kind
        if kind.get("rope_type") in ("dynamic", "longrope"):
            return kind.get("original_max_position_embeddings") or config.max_position_embeddings
    return None


@torch.inference_mode()
def _check_causal(base: Any) -> None:
    """Padding on the right, tails cut off behind the last step and shared beginnings all rest on this."""
    ids = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 5]], device=base.device)
    states = base(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).last_hidden_state
    if not torch.equal(states[0, :3], states[1, :3]):
        raise ArgumentError(f"model: expected attention that does not look ahead, got {base.config.model_type}")
