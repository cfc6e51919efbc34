"""What asking a judge has cost so far."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ArgumentError
from ...verifiers.arguments import number
from .replies import Reply

__all__ = ["Usage", "checked_prices"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts over all calls of one scorer. What an attempt without an answer cost, only the endpoint knows.

    Args:
        questions: asked, one a vote; attempts of the same question are not counted apart.
        answers: questions that had a reply.
        unreadable: replies that name no step, and not that there is none.
        unmetered: replies without token counts; where there are any, the sums below are too low.
        prompt_tokens, completion_tokens: summed over the replies.
        cached_tokens: of the prompt, those that the endpoint took from its own cache.
        cost: in the currency of the prices; None without prices.
    """

    questions: int = 0
    answers: int = 0
    unreadable: int = 0
    unmetered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    def __str__(self) -> str:
        parts = [
            f"{self.questions} questions, {self.answers} answers ({self.unreadable} unreadable)",
            f"{self.prompt_tokens} prompt tokens ({self.cached_tokens} cached), {self.completion_tokens} completion",
        ]
        at_least = "at least " if self.unmetered else ""
        return " · ".join(parts) + ("" if self.cost is None else f" · cost {at_least}{self.cost:.6g}")

    def plus(self, reply: Reply | None, *, is_readable: bool, prices: Mapping[str, float] | None) -> "Usage":
        """These counts and one more question, `reply` being None where it had none."""
        prompt, completion, cached = 0, 0, 0
        if reply is not None:
            prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
            cached = min(reply.cached_tokens, prompt)
        is_unmetered = reply is not None and None in (reply.prompt_tokens, reply.completion_tokens)
        cost = None
        if prices is not None:
            rates = (prices["prompt"], prices["completion"], prices.get("cached", prices["prompt"]))
            tokens = (prompt - cached, completion, cached)
            spent = sum(rate * count for rate, count in zip(rates, tokens, strict=True)) / 1e6
            cost = (self.cost or 0.0) + spent
        return Usage(
            questions=self.questions + 1,
            answers=self.answers + (reply is not None),
            unreadable=self.unreadable + (reply is not None and not is_readable),
            unmetered=self.unmetered + is_unmetered,
            prompt_tokens=self.prompt_tokens + prompt,
            completion_tokens=self.completion_tokens + completion,
            cached_tokens=self.cached_tokens + cached,
            cost=cost,
        )


def checked_prices(prices: object) -> dict[str, float] | None:
    """`prices` for a million tokens: `prompt`, `completion`, and `cached` where cached prompt tokens cost less.

    Raises:
        ArgumentError: another key, one that is missing, or a price that is negative or no number.
    """
    if prices is None:
        return None
    wanted = "prices of a million tokens: prompt, completion, and cached if that differs"
    names = set(prices) if isinstance(prices, Mapping) else set()
    if not isinstance(prices, Mapping) or names - {"cached"} != {"prompt", "completion"}:
        raise ArgumentError(f"prices: expected {wanted}; got {prices!r}")
    checked = {name: number(f"prices[{name!r}]", price) for name, price in prices.items()}
    if min(checked.values()) < 0:
        raise ArgumentError(f"prices: expected no negative ones, got {prices!r}")
    return checked
