"""What a file could not tell. Missing evidence is said to be missing; it never reads as good news."""

from collections.abc import Iterator

from .judging import Judgement
from .report.model import Golds, NotMeasured

__all__ = ["not_measured"]


def not_measured(
    judgement: Judgement, *, has_suspect: bool, golds: Golds | None, unit: str, format_name: str
) -> list[NotMeasured]:
    """One entry for each question that stays open, with what would close it."""
    return list(_entries(judgement, has_suspect, golds, unit, format_name))


def _entries(
    judgement: Judgement, has_suspect: bool, golds: Golds | None, unit: str, format_name: str
) -> Iterator[NotMeasured]:
    if judgement.has_unnamed_reward and not judgement.has_rewards:
        yield _entry(
            "rewards as logged",
            "the file has several rewards and names none as the one that was learned from",
            "say which with --reward-key",
        )
    elif not judgement.has_rewards:
        yield _entry("rewards as logged", "no rewards in this file", "log the reward of every rollout")
    if not judgement.has_responses:
        yield _entry(
            "causes, evidence, lengths and formats",
            "no responses in this file",
            "log the text of every response, with its special tokens",
        )
    if not judgement.has_targets:
        yield _entry(
            "golds, referee's verdicts and repair", "no targets in this file", "log the target, or name it by --target-key"
        )
    elif golds is not None and not has_suspect:
        yield _entry(
            "golds under the verifier that gave the logged rewards",
            "its code is not known here; the targets were tested with the referee",
            "name it with --verifier",
        )
    if judgement.has_responses:
        if not judgement.says_truncated:
            yield _entry(
                "truncation, beyond texts that visibly break off",
                "no truncated flag and no finish reason in this file",
                "log finish_reason",
            )
        if unit != "tokens":
            yield _entry("token shares", "no token counts are logged: shares are of characters", "log n_tokens or token ids")
        if not judgement.has_tool_calls:
            why = "no tool calls in the text"
            if format_name == "verl":
                why = "special tokens are stripped from this format, and tool calls with them"
            yield _entry("tool-call format", why, "log responses with their special tokens")
    yield _entry(
        "reliability of the referee itself", "no labels by people", "label a sample: 59 without an error bound it by 5 %"
    )


def _entry(what: str, why: str, enable: str) -> NotMeasured:
    return NotMeasured(what=what, why=why, enable=enable)
