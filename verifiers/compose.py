"""Verifiers made of verifiers: a weighted sum, all of them, or the first that decides.

Unknown is never 0: a part without a reward leaves the whole without one, unless the parts that are known
decide the whole already.
"""

from collections.abc import Mapping, Sequence
from math import nextafter
from time import perf_counter

from ..errors import ArgumentError
from ..rollouts.messages import Completion, Prompt
from .arguments import as_verifier, positive
from .base import Outcome, Target, Verdict, Verifier

__all__ = ["AllOf", "FirstThatDecides", "Part", "Weighted"]

Part = str | Verifier
"""A registered name, or a verifier."""

_UNDECIDED = frozenset({Outcome.NO_ANSWER, Outcome.UNSUPPORTED, Outcome.BUDGET, Outcome.BAD_TARGET, Outcome.ERROR})


class Weighted:
    """The weighted mean of the parts' rewards; CORRECT only where every part is.

    Args:
        parts: each part with its weight, as a mapping from registered names or as pairs. Weights are
            positive and are divided by their sum.

    Raises:
        ArgumentError: no part, or a weight that is not positive and finite.
        UnknownNameError: nobody registered a named part.

    Example:
        >>> verdict = Weighted({"math": 3, "numeric": 1}).verify("The answer is 5.", "5")
        >>> verdict.outcome, verdict.reward
        (<Outcome.CORRECT: 'correct'>, 1.0)
    """

    def __init__(self, parts: Mapping[str, float] | Sequence[tuple[Part, float]]) -> None:
        pairs = _pairs(parts)
        self._parts = _built([part for part, _ in pairs])
        weighed = zip(self._parts, pairs, strict=True)
        self._weights = [positive("parts", weight, what=f"weight for {name}") for (name, _), (_, weight) in weighed]
        self.version = _version(self._parts)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The combined verdict; never raises on any completion or target."""
        started = perf_counter()
        verdicts = [part.verify(completion, target, prompt=prompt) for _, part in self._parts]
        detail = _detail(self._parts, verdicts)
        unknown = next((verdict for verdict in verdicts if verdict.reward is None), None)
        if unknown is not None:
            return _combined(unknown, unknown.outcome, None, detail, started)
        wrong = next((verdict for verdict in verdicts if verdict.reward != 1), None)
        if wrong is None:
            return _combined(verdicts[0], Outcome.CORRECT, 1.0, detail, started)
        rewards = [verdict.reward or 0.0 for verdict in verdicts]
        total = sum(weight * reward for weight, reward in zip(self._weights, rewards, strict=True)) / sum(self._weights)
        # Rounding must not turn a nearly full reward into a full one.
        return _combined(wrong, wrong.outcome, min(total, nextafter(1.0, 0.0)), detail, started)


class AllOf:
    """Every part must accept: the reward is the least of theirs, and a 0 decides without the parts after it.

    Args:
        parts: the cheapest first; a part is a registered name or a verifier.

    Raises:
        ArgumentError: no part.
        UnknownNameError: nobody registered a named part.

    Example:
        >>> AllOf(["math", "numeric"]).verify("The answer is 6.", "5").outcome
        <Outcome.INCORRECT: 'incorrect'>
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = _built(parts)
        self.version = _version(self._parts)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The combined verdict; never raises on any completion or target."""
        started = perf_counter()
        verdicts: list[Verdict] = []
        for _, part in self._parts:
            verdict = part.verify(completion, target, prompt=prompt)
            verdicts.append(verdict)
            if verdict.reward is not None and verdict.reward <= 0:
                return _combined(verdict, verdict.outcome, verdict.reward, _detail(self._parts, verdicts), started)
        detail = _detail(self._parts, verdicts)
        unknown = next((verdict for verdict in verdicts if verdict.reward is None), None)
        if unknown is not None:
            return _combined(unknown, unknown.outcome, None, detail, started)
        least = min(verdicts, key=lambda verdict: verdict.reward or 0.0)
        return _combined(least, least.outcome, least.reward, detail, started)


class FirstThatDecides:
    """The verdict of the first part that says right or wrong; the rest are not asked.

    No answer, an unsupported one, a spent budget, a bad target and an error decide nothing. Where no part
    decides, the first verdict without a reward counts, else the last.

    Args:
        parts: in the order of trust; a part is a registered name or a verifier.

    Raises:
        ArgumentError: no part.
        UnknownNameError: nobody registered a named part.

    Example:
        >>> FirstThatDecides(["numeric", "math"]).verify(r"so \\boxed{(1,2)}", "(1,2)").reward
        1.0
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = _built(parts)
        self.version = _version(self._parts)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The combined verdict; never raises on any completion or target."""
        started = perf_counter()
        verdicts: list[Verdict] = []
        for _, part in self._parts:
            verdict = part.verify(completion, target, prompt=prompt)
            verdicts.append(verdict)
            if verdict.outcome not in _UNDECIDED:
                return _combined(verdict, verdict.outcome, verdict.reward, _detail(self._parts, verdicts), started)
        last = next((verdict for verdict in verdicts if verdict.reward is None), verdicts[-1])
        return _combined(last, last.outcome, last.reward, _detail(self._parts, verdicts), started)


def _built(parts: Sequence[Part]) -> list[tuple[str, Verifier]]:
    if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
        raise ArgumentError(f"parts: expected at least one verifier in a sequence, got {parts!r}")
    return [(part if isinstance(part, str) else type(part).__name__, as_verifier(part, "parts")) for part in parts]


def _pairs(parts: Mapping[str, float] | Sequence[tuple[Part, float]]) -> list[tuple[Part, float]]:
    if isinstance(parts, Mapping):
        return list(parts.items())
    if not isinstance(parts, Sequence) or not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in parts):
        raise ArgumentError(f"parts: expected names with their weights, or pairs of part and weight, got {parts!r}")
    return list(parts)


def _version(parts: list[tuple[str, Verifier]]) -> str:
    return "1(" + ", ".join(f"{name} {part.version}" for name, part in parts) + ")"


def _detail(parts: list[tuple[str, Verifier]], verdicts: list[Verdict]) -> str:
    """What each part said that was asked; once one has decided, those after it are not."""
    return "; ".join(
        f"{name}: {verdict.outcome} {verdict.reward} ({verdict.rule}: {verdict.detail})"
        for (name, _), verdict in zip(parts, verdicts, strict=False)
    )


def _combined(part: Verdict, outcome: Outcome, reward: float | None, detail: str, started: float) -> Verdict:
    """The verdict of the whole, with the answer and the rule of the part that it goes by."""
    return Verdict(outcome, reward, part.extracted, part.span, part.rule, detail, perf_counter() - started)
