"""What a file could not tell. Missing evidence is said to be missing; it never reads as good news."""

from collections.abc import Iterator

from .judging import Judgement
from .report.model import Golds, NotMeasured
from .report.reliability import Reliability

__all__ = ["gate_not_measured", "not_measured"]


def not_measured(
    judgement: Judgement,
    *,
    has_suspect: bool,
    is_same: bool,
    golds: Golds | None,
    unit: str,
    reliability: Reliability | None,
) -> list[NotMeasured]:
    """One entry for each question that stays open, with what would close it."""
    return [
        *_about_rewards(judgement),
        *_about_targets(judgement, golds, has_suspect=has_suspect, is_same=is_same),
        *_about_texts(judgement, unit),
        *_about_labels(reliability),
    ]


def gate_not_measured(judgement: Judgement) -> Iterator[NotMeasured]:
    """What nobody knows of a gate as long as no step scorer was named."""
    if judgement.has_responses:
        what, why = "whether a gate would speak truly here", "no step scorer was named"
        yield _entry(what, why, "name one with --scorer: its credits are held against the outcomes of mixed groups")


def _about_rewards(judgement: Judgement) -> Iterator[NotMeasured]:
    if judgement.has_unnamed_reward and not judgement.has_rewards:
        why = "the file has several rewards and names none as the one that was learned from"
        yield _entry("rewards as logged", why, "say which with --reward-key")
    elif not judgement.has_rewards:
        yield _entry("rewards as logged", "no rewards in this file", "log the reward of every rollout")


def _about_targets(
    judgement: Judgement, golds: Golds | None, *, has_suspect: bool, is_same: bool
) -> Iterator[NotMeasured]:
    if not judgement.has_targets:
        what = "golds, referee's verdicts, repair and stake"
        yield _entry(what, "no targets in this file", "log the target, or name it with --target-key")
    elif golds is not None and not has_suspect:
        what = "golds under the verifier that gave the logged rewards"
        yield _entry(what, "its code is not known here; they were tested with the referee", "name it with --verifier")
    if is_same:
        why = "suspect and referee are the same verifier, which agrees with itself"
        yield _entry("false negatives of the verifier", why, "name another one with --referee, or audit logged rewards")


def _about_texts(judgement: Judgement, unit: str) -> Iterator[NotMeasured]:
    if not judgement.has_responses:
        what = "causes, evidence, lengths, formats, repair and stake"
        yield _entry(what, "no responses in this file", "log the text of every response, special tokens included")
        return
    if not judgement.says_truncated:
        what = "truncation, beyond texts that visibly break off"
        yield _entry(what, "no truncated flag and no finish reason in this file", "log finish_reason")
    if unit != "tokens":
        yield _entry(
            "token shares", "no token counts are logged: shares are of characters", "log n_tokens or token ids"
        )
    if not judgement.has_tool_calls:
        why = "no tool call in the text: if any was made, its special tokens were stripped, and it cannot be tested"
        yield _entry("tool-call format", why, "log responses with their special tokens")


def _about_labels(reliability: Reliability | None) -> Iterator[NotMeasured]:
    if reliability is None or reliability.rates[0].value is None:
        enable = "label a sample: 59 without an error bound it by 5 % (rewardgate label run FILE)"
        yield _entry("reliability of the verdicts", "no labels by people", enable)


def _entry(what: str, why: str, enable: str) -> NotMeasured:
    return NotMeasured(what=what, why=why, enable=enable)
