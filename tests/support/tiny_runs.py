"""Runs that take a second: a random policy of a few thousand weights, prompts, and a verifier with an opinion.

Half of what a random policy says is right: an answer is if its length is even where the target says so. Every group of
some size is mixed then, so that every step has something to learn.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from small_models import small_model
from tiny_prms import plain_tokenizer
from transformers import PreTrainedModel

from rewardgate.training.config import RunConfig
from rewardgate.training.config_text import config_of
from rewardgate.training.prompts import Prompt
from rewardgate.verifiers import Outcome, Verdict

VOCABULARY = 512  # of a tokenizer of 503; what reads it from a folder adds a padding token
PROMPTS = [Prompt(f"p{number}", f"{number} + {number} = ", "even" if number % 2 else "odd") for number in range(6)]


class EvenLength:
    """Right is an answer with an even number of characters, where that is the target; with an odd one elsewhere."""

    version = "1"

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        is_right = (len(completion) % 2 == 0) == (target == "even")
        outcome = Outcome.CORRECT if is_right else Outcome.INCORRECT
        return Verdict(outcome, float(is_right), rule="length", detail=str(len(completion)))


def tiny_policy(seed: int = 0) -> PreTrainedModel:
    tokenizer = plain_tokenizer()
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None}
    return small_model("Qwen2", seed=seed, vocab_size=VOCABULARY, initializer_range=0.3, **ids)


def tiny_config(folder: Path, *, steps: int = 4, **sections: Mapping[str, Any] | Any) -> RunConfig:
    known: dict[str, Any] = {
        "folder": str(folder),
        "steps": steps,
        "sampling": {"groups": 2, "group_size": 4, "max_tokens": 6},
        "optimizer": {"lr": 1e-2},
        "checkpoint": {"every": 2},
    }
    for name, values in sections.items():
        known[name] = {**known.get(name, {}), **values} if isinstance(values, Mapping) else values
    return config_of(known)


def tiny_parts(**changes: Any) -> dict[str, Any]:
    """What a `Trainer` is given of a tiny run."""
    return {
        "model": tiny_policy(),
        "tokenizer": plain_tokenizer(),
        "prompts": PROMPTS,
        "verifier": EvenLength(),
        **changes,
    }


def weights_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
