"""What vLLM is asked of a row: its ids, and where they are read. Encoded here, by the family's own encoder.

Token ids go in, never text: a server that applied a template or a tokenizer of its own would move the steps.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ArgumentError, MissingExtraError
from ..base import StepScore
from ..hf.families import FAMILIES, Family, StepEncoder
from ..hf.formatting import EncodedSteps
from .failures import NoAnswerError

__all__ = ["Question", "family_of", "load_encoder", "question_of", "row_scores"]


class Question(NamedTuple):
    """One row as it is asked.

    Args:
        ids: (T,) token ids, up to the last that is read: behind it nothing can change a score.
        positions: at which of them, ascending; empty where nothing is read.
    """

    ids: list[int]
    positions: tuple[int, ...]


def family_of(family: str | Family) -> Family:
    """The family of that name, if vLLM can run its models.

    Raises:
        ArgumentError: there is none of that name, or it has a value head.
    """
    known = FAMILIES.get(family) if isinstance(family, str) else family
    can_run = ", ".join(name for name, one in FAMILIES.items() if one.head != "value")
    if not isinstance(known, Family):
        raise ArgumentError(f"family: expected one of {can_run}, got {family!r}")
    if known.head == "value":
        # Its checkpoints name no architecture of vLLM's, whose causal models refuse the tensors of `v_head`.
        raise ArgumentError(f"family: expected one that vLLM can run ({can_run}), got {known.name}; use the scorer hf")
    return known


def load_encoder(tokenizer: str | Path, family: Family, *, revision: str | None = None) -> StepEncoder:
    """The encoder of `family` for the tokenizer in a folder, or of a model of the hub. No code of a model is run.

    Raises:
        MissingExtraError: transformers is not installed.
        ArgumentError: there is no such tokenizer, or it is another family's.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("vllm: transformers is not installed; pip install 'rewardgate[torch]'") from error
    try:
        found: Any = AutoTokenizer.from_pretrained(tokenizer, revision=revision, trust_remote_code=False)
    except Exception as error:  # whatever the reader of that kind of tokenizer, or the hub, raises
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"tokenizer: expected a folder or a model of the hub, got {tokenizer}: {reason}") from error
    return family.encoder(found)


def question_of(encoded: EncodedSteps, limit: int) -> Question:
    """What is asked of a row, of which the model takes `limit` tokens."""
    read = tuple(place for place in encoded.positions if place is not None and place < limit)
    return Question(encoded.ids[: read[-1] + 1] if read else [], read)


def row_scores(
    positions: Sequence[int | None], limit: int, learned: Sequence[StepScore] | NoAnswerError
) -> list[StepScore]:
    """One score a step: those that were learned, in order, and why there is none of the others.

    Args:
        positions: (S,) where each step was to be read.
        limit: tokens that the model takes.
        learned: one for each position below it; or why the row has no answer.

    Example:
        >>> learned = [StepScore(0.5, "learned", "log-odds +0.00")]
        >>> [score.rule for score in row_scores([4, None, 9], 8, learned)]
        ['learned', 'empty_step', 'too_long']
        >>> row_scores([4], 8, NoAnswerError("timeout", "no answer within 120 s"))
        [StepScore(value=None, rule='timeout', detail='no answer within 120 s')]
    """
    said = iter(() if isinstance(learned, NoAnswerError) else learned)
    scores: list[StepScore] = []
    for position in positions:
        if position is None:
            scores.append(StepScore(None, "empty_step", "nothing but white space"))
        elif position >= limit:
            scores.append(StepScore(None, "too_long", f"read at token {position + 1:,} of {limit:,}"))
        elif isinstance(learned, NoAnswerError):
            scores.append(StepScore(None, learned.rule, learned.detail))
        else:
            scores.append(next(said))
    return scores
