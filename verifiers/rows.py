"""One row, one verdict: what a row may be, the verdict it gets whatever its verifier does, and that as plain data."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

from ..errors import UnavailableError
from ..rollouts.messages import Completion, Prompt, is_completion
from .base import Outcome, Target, Verdict, Verifier

__all__ = [
    "RolloutLike",
    "Row",
    "Triple",
    "as_triple",
    "error",
    "plain_verdict",
    "row_verdict",
    "unreadable",
    "verdict_of_plain",
]

_MAX_DETAIL_CHARACTERS = 500


class RolloutLike(Protocol):
    """What a row may be besides a sequence; `rollouts.Rollout` is one."""

    @property
    def response(self) -> Completion | None: ...
    @property
    def target(self) -> Target | None: ...
    @property
    def prompt(self) -> Prompt | None: ...


Row = tuple[Completion | None, Target | None] | tuple[Completion | None, Target | None, Prompt | None] | RolloutLike
Triple = tuple[Completion | None, Target | None, Prompt | None]


def as_triple(row: Row) -> Triple | Verdict:
    """(completion, target, prompt) of a row; the verdict where it cannot be judged.

    Example:
        >>> as_triple(("4", "4"))
        ('4', '4', None)
        >>> as_triple(("4", None)).outcome
        <Outcome.BAD_TARGET: 'bad_target'>
    """
    # JSON has no tuples: a list of two or three is the same row.
    if isinstance(row, Sequence) and not isinstance(row, str) and len(row) in (2, 3):
        parts: list[Any] = [*row, None]
        completion, target, prompt = parts[:3]
    else:
        try:  # Not isinstance of a protocol: that takes as long as judging an easy row.
            completion, target, prompt = row.response, row.target, row.prompt  # type: ignore[union-attr]
        except AttributeError:
            wanted = "(completion, target), (completion, target, prompt) or response, target and prompt"
            return error("unreadable_row", f"row: expected {wanted}, got {type(row).__name__}")
    if target is None:
        return Verdict(Outcome.BAD_TARGET, None, rule="no_target", detail="the row has no target")
    if completion is None:
        return error("no_response", "the row has no response")
    if not is_completion(completion):
        return unreadable(completion)
    return completion, target, prompt


def row_verdict(verifier: Verifier, triple: Triple) -> Verdict:
    """The verifier's verdict on one row; an ERROR where it raises or returns something else.

    Raises:
        UnavailableError: the verifier's, which holds for every row.
    """
    completion, target, prompt = triple
    assert completion is not None
    assert target is not None
    started = perf_counter()
    try:
        verdict: object = verifier.verify(completion, target, prompt=prompt)
    except UnavailableError:
        raise
    except Exception as raised:
        detail = f"{type(raised).__name__}: {_text(raised)}"
        return error("raised", detail, perf_counter() - started)
    if isinstance(verdict, Verdict):
        return verdict
    detail = f"expected a Verdict, got {type(verdict).__name__}"
    return error("not_a_verdict", detail, perf_counter() - started)


def error(rule: str, detail: str, seconds: float = 0.0) -> Verdict:
    """A verdict that says nothing of the completion, because our side failed."""
    return Verdict(Outcome.ERROR, None, rule=rule, detail=detail[:_MAX_DETAIL_CHARACTERS], seconds=seconds)


def unreadable(completion: object) -> Verdict:
    """The verdict on what is no completion: the caller's mistake, which says nothing of a model."""
    wanted = "text or a list of messages"
    return error("unreadable_completion", f"completion: expected {wanted}, got {type(completion).__name__}")


def plain_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data, for the way out of a worker."""
    return {
        "outcome": verdict.outcome.value,
        "reward": None if verdict.reward is None else float(verdict.reward),
        "extracted": verdict.extracted,
        "span": None if verdict.span is None else list(verdict.span),
        "rule": verdict.rule,
        "detail": verdict.detail,
        "seconds": verdict.seconds,
    }


def verdict_of_plain(data: Mapping[str, Any]) -> Verdict:
    """The verdict that `plain_verdict` wrote.

    Example:
        >>> verdict = Verdict(Outcome.CORRECT, 1.0, extracted="4", span=(0, 1))
        >>> verdict_of_plain(plain_verdict(verdict)) == verdict
        True
    """
    span = None if data["span"] is None else (data["span"][0], data["span"][1])
    return Verdict(**{**data, "outcome": Outcome(data["outcome"]), "span": span})


def _text(raised: Exception) -> str:
    try:
        return str(raised)
    except Exception as unprintable:
        return f"(its message cannot be printed: {type(unprintable).__name__})"
