"""What samples completions, and what it answers with: the seam between the loop and an engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple, Protocol

from ..errors import ArgumentError

__all__ = ["Generator", "Sampled", "Sampling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How completions are drawn.

    Args:
        max_tokens: of a completion, its end token included.
        temperature: divides the logits, here and in the update.
        top_p: keeps the most likely tokens whose probabilities reach it. Below 1 the sampler's distribution is one
            that the update does not reproduce.
        top_k: keeps so many of the most likely tokens; None: all.

    Raises:
        ArgumentError: an option outside its range.
    """

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ArgumentError(f"max_tokens: expected at least 1, got {self.max_tokens}")
        if not (self.temperature > 0 and isfinite(self.temperature)):
            raise ArgumentError(f"temperature: expected a positive number, got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ArgumentError(f"top_p: expected a share in (0, 1], got {self.top_p}")
        if self.top_k is not None and self.top_k < 1:
            raise ArgumentError(f"top_k: expected at least 1 or None, got {self.top_k}")

    @property
    def is_truncated(self) -> bool:
        """Whether some tokens cannot be drawn that the policy gives a chance."""
        return self.top_p < 1 or self.top_k is not None


class Sampled(NamedTuple):
    """One completion.

    Args:
        token_ids: T ids, at least one; the end token among them where it was drawn.
        logprobs: T, each under the distribution that the token was drawn from: at the temperature, and what `top_p`
            and `top_k` left made to sum to 1.
        text: of the tokens, special ones left out.
        finish_reason: `"length"`: cut off by `max_tokens`.
    """

    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str
    finish_reason: Literal["stop", "length"]


class Generator(Protocol):
    """Samples completions of one policy, and is told when there is a newer one.

    `policy_version` is that of the weights that the next completion is sampled from: 0 before the first push.
    """

    policy_version: int

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        """`counts[i]` completions of the i-th prompt. The same weights, arguments and seed give the same answer.

        Raises:
            RewardgateError: the engine failed; nothing was sampled.
        """
        ...

    def push(self, model: Any, *, policy_version: int) -> None:
        """Sample from the weights of `model` from now on."""
        ...

    def close(self) -> None:
        """Let go of what is held; more than once is allowed."""
        ...
