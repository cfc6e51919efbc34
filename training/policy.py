"""A policy from a folder, and back into one that transformers, vLLM and this library read."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from ..errors import ArgumentError, InputError

__all__ = ["Policy", "check_new_folder", "load_policy", "save_policy"]

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float64": torch.float64}


class Policy(NamedTuple):
    """A causal language model of transformers, in evaluation mode, and its tokenizer."""

    model: Any
    tokenizer: Any


def load_policy(model: str | Path, *, dtype: str = "float32", device: str | None = None) -> Policy:
    """The model and the tokenizer of a folder, or of a name on the hub. No code of a checkpoint is run.

    Args:
        dtype: of the weights: float32, bfloat16 or float64.
        device: None: the first accelerator that torch has, else the CPU.

    Raises:
        ArgumentError: there is no such model, a tensor of it is missing, or an option is unknown.
    """
    if dtype not in _DTYPES:
        raise ArgumentError(f"dtype: expected {', '.join(_DTYPES)}, got {dtype!r}")
    try:
        place = torch.device(device or _first_device())
        with _without_bars():
            tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
            found: Any = AutoModelForCausalLM.from_pretrained(
                model, dtype=_DTYPES[dtype], trust_remote_code=False, output_loading_info=True
            )
    except Exception as error:  # whatever the readers of configurations, weights and tokenizers raise
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(
            f"model: expected a causal language model and its tokenizer, got {model}: {reason}"
        ) from error
    loaded, report = found
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:5])
        raise ArgumentError(f"model: expected all tensors of a causal language model in {model}, got none of {missing}")
    return Policy(loaded.to(place).eval(), tokenizer)


def save_policy(
    folder: str | Path, model: nn.Module, tokenizer: Any, *, beside: Callable[[Path], None] | None = None
) -> None:
    """Write model and tokenizer to a new folder, which is there whole or not at all.

    Args:
        folder: made; its parents too.
        beside: called with the folder before it has its name, to write what belongs to it.

    Raises:
        InputError: the folder exists and is not empty, or cannot be written.
    """
    place = Path(folder)
    check_new_folder(place)
    part = place.with_name(f".rewardgate-{token_hex(8)}.part")
    saved: Any = model
    try:
        part.mkdir(parents=True)
        with _without_bars():
            saved.save_pretrained(part)
        tokenizer.save_pretrained(part)
        if beside is not None:
            beside(part)
        os.replace(part, place)
    except OSError as error:
        raise InputError(f"{place}: expected a folder that can be written, got: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_new_folder(folder: str | Path) -> None:
    """Refuse a place where something stands already.

    Raises:
        InputError: it exists and is not an empty folder.
    """
    place = Path(folder)
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise InputError(f"{place}: expected a new or an empty folder, got one that holds something")


@contextmanager
def _without_bars() -> Iterator[None]:
    """transformers draws bars on stderr, whether or not anybody looks."""
    was_drawn = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_drawn:
            logging.enable_progress_bar()


def _first_device() -> str:
    found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return "cpu" if found is None else found.type
