"""A broken law, and the example that breaks it, for a person."""

from ...errors import LawBrokenError
from ..base import Verdict
from .completions import Wrapped
from .subject import Subject

__all__ = ["LawBrokenError", "returned", "told"]


def told(
    law: str,
    subject: Subject,
    what: str,
    verdict: Verdict,
    *,
    target: str,
    completion: str = "",
    at: Wrapped | None = None,
    change: tuple[str, str] | None = None,
) -> str:
    """The message of a broken law.

    Args:
        law: its name.
        subject: what broke it.
        what: it did, after its name.
        verdict: what it returned.
        target: of the row.
        completion: of the row, where it is no wrapped answer.
        at: the wrapped answer.
        change: `("rewrite", name)` or `("mutant", name)`.
    """
    lines = [f"{law}: {subject.name} {what}", f"  target:     {target}"]
    if change is not None and at is not None:
        lines.append(f"  {change[0] + ':':11} {at.answer or '(empty)'}  ({change[1]})")
    if at is not None:
        lines.append(f"  written:    {at.anchor}, {at.surrounding}")
    lines.append(f"  completion: {clipped(at.text if at is not None else completion)!r}")
    lines.append(f"  returned:   {returned(verdict)}")
    return "\n".join(lines)


def returned(verdict: Verdict) -> str:
    """What the subject returned: a function its own value, a verifier its outcome, rule and detail."""
    if verdict.rule in ("returned", "raised", "found", "other_text", "no_answer"):
        return verdict.detail
    return f"{verdict.outcome}, reward {verdict.reward} ({verdict.rule}: {verdict.detail})"


def clipped(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:120]} … {len(text) - 240} characters … {text[-120:]}"
