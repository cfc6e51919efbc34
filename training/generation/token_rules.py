"""Which tokens end a completion, which are never drawn, and what a call may ask for: the same for every engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from ...errors import ArgumentError
from ...grpo.prefix_models import text_config
from ...verifiers.arguments import whole
from ..base import Sampling

__all__ = ["TokenRules", "token_rules"]


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What an engine holds a call to.

    Args:
        end_ids: tokens that end a completion, sorted.
        forbidden_ids: tokens that are never drawn, sorted.
        vocabulary: how many tokens the model has.
        limit: tokens of a prompt and its completion together; None: no limit is known.

    Raises:
        ArgumentError: no end token, an id that the model has not, or one that ends completions and is forbidden.
    """

    end_ids: tuple[int, ...]
    forbidden_ids: tuple[int, ...]
    vocabulary: int
    limit: int | None

    def __post_init__(self) -> None:
        if not self.end_ids:
            raise ArgumentError("end_ids: expected at least one token, got none")
        for name in ("end_ids", "forbidden_ids"):
            self._check_ids(name, getattr(self, name))
        if both := set(self.end_ids) & set(self.forbidden_ids):
            raise ArgumentError(f"forbidden_ids: expected none that ends a completion, got {min(both)}")

    def check(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> None:
        """Refuse what cannot be sampled.

        Raises:
            ArgumentError: a prompt that is empty, holds an id that the model has not, or leaves no room for
                `max_tokens`; a count or a seed below 0; not one count a prompt.
        """
        whole("seed", seed, at_least=0)
        if len(counts) != len(prompt_ids):
            raise ArgumentError(f"counts: expected {len(prompt_ids)}, one a prompt, got {len(counts)}")
        for number, (ids, count) in enumerate(zip(prompt_ids, counts, strict=True)):
            whole(f"counts[{number}]", count, at_least=0)
            if not len(ids):
                raise ArgumentError(f"prompt_ids[{number}]: expected at least 1 token, got none")
            self._check_ids(f"prompt_ids[{number}]", ids)
            if self.limit is not None and len(ids) + sampling.max_tokens > self.limit:
                room = f"at most {self.limit - sampling.max_tokens} tokens ({self.limit} less max_tokens)"
                raise ArgumentError(f"prompt_ids[{number}]: expected {room}, got {len(ids)}")

    def _check_ids(self, name: str, ids: Sequence[int]) -> None:
        for one in ids:
            if not 0 <= one < self.vocabulary:
                raise ArgumentError(f"{name}: expected ids in [0, {self.vocabulary}), got {one}")


def token_rules(
    model: nn.Module,
    tokenizer: Any,
    *,
    end_ids: Sequence[int] | None = None,
    forbidden_ids: Sequence[int] | None = None,
    limit: int | None = None,
) -> TokenRules:
    """Those of a model, where the caller does not say otherwise.

    Args:
        end_ids: None: the tokenizer's end token, and those of the model's `generation_config`: a chat model ends its
            turn with another token than its documents.
        forbidden_ids: None: the tokenizer's padding token, unless it ends completions.
        limit: None: what the configuration says.
    """
    config = text_config(model)
    ends = _known_end_ids(model, tokenizer) if end_ids is None else set(end_ids)
    pad = tokenizer.pad_token_id
    if forbidden_ids is None:
        forbidden_ids = [] if pad is None or pad in ends else [pad]
    limits = [limit, getattr(config, "max_position_embeddings", None)]
    return TokenRules(
        tuple(sorted(ends)),
        tuple(sorted(set(forbidden_ids))),
        config.vocab_size,
        min((one for one in limits if one is not None), default=None),
    )


def _known_end_ids(model: nn.Module, tokenizer: Any) -> set[int]:
    found: set[int | None] = {tokenizer.eos_token_id}
    for module in model.modules():
        ids = getattr(getattr(module, "generation_config", None), "eos_token_id", None)
        found |= set(ids) if isinstance(ids, list) else {ids}
    return {one for one in found if one is not None}
