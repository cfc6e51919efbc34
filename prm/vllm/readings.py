"""What vLLM's numbers say of a row's steps. Whatever is missing, too many or no probability is an error, never a score.

Two kinds of model. A classifier of tokens gives the probabilities of two labels at every token. A language model
gives log-probabilities of the next token, of which two are compared; the rest of the vocabulary cancels out.
"""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, log, nan
from typing import Any

from ..base import StepScore
from ..hf.families import Family
from .failures import NoAnswerError
from .questions import Question

__all__ = ["at_positions", "label_scores", "token_scores"]

_SUM_TOLERANCE = 0.01
"""Two probabilities in bfloat16 add up to 1 within 0.008."""

_LEAST = 1e-45
"""Below every float32 above 0: stands for a probability that vanished, whose logarithm does not exist."""

_VLLMS_MINUS_INFINITY = -9999.0


def at_positions(rows: Any, question: Question, *, tag: int | None) -> list[Any]:
    """The rows of `question`'s positions, of all that a classifier of tokens gave.

    Args:
        rows: one a token; or, where the server pools by steps, one a `tag`.
        tag: the token that it pools; None where it pools all tokens.

    Raises:
        NoAnswerError: `unreadable_answer` if `rows` is no list, `wrong_length` if it has another length.
    """
    if not isinstance(rows, list):
        raise NoAnswerError("unreadable_answer", f"expected rows of numbers, got {type(rows).__name__}")
    pooled = [place for place, token in enumerate(question.ids) if tag is None or token == tag]
    what = "token" if tag is None else f"token {tag}"
    if len(rows) != len(pooled):
        raise NoAnswerError("wrong_length", f"expected {len(pooled)} rows, one a {what}, got {len(rows)}")
    by_place = dict(zip(pooled, rows, strict=True))
    if elsewhere := set(question.positions) - set(pooled):
        raise NoAnswerError("wrong_length", f"expected a row of token {min(elsewhere) + 1}, which is no {what}")
    return [by_place[place] for place in question.positions]


def label_scores(rows: Sequence[Any], family: Family) -> list[StepScore]:
    """One score a row of two probabilities, wrong and right.

    That they add up to 1 shows that a softmax was taken, and once: logits are refused, since a server that ignores
    what it is asked for would otherwise have them squashed twice, or never.

    Raises:
        NoAnswerError: `wrong_labels` if a row is not two numbers, `not_probabilities` if they are none.
    """
    scores = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2:
            got = f"{len(row)}" if isinstance(row, list) else type(row).__name__
            raise NoAnswerError("wrong_labels", f"expected 2 numbers a row, wrong and right, got {got}")
        values = [_as_number(value) for value in row]
        if all(map(isfinite, values)):
            if not all(0 <= value <= 1 for value in values) or abs(sum(values) - 1) > _SUM_TOLERANCE:
                wanted = "two probabilities that add up to 1 (use_activation)"
                raise NoAnswerError("not_probabilities", f"expected {wanted}, got {values[0]:g}, {values[1]:g}")
            values = [log(max(value, _LEAST)) for value in values]
        scores.append(family.score(values))
    return scores


def token_scores(tops: Sequence[Mapping[int, Any]], label_ids: tuple[int, int], family: Family) -> list[StepScore]:
    """One score for each mapping of token ids to log-probabilities.

    Args:
        tops: what came back for the token behind each position: as many as vLLM returns, which may lack one of ours.
        label_ids: the tokens that say wrong and right.

    Example:
        >>> from rewardgate.prm.hf.families import FAMILIES
        >>> token_scores([{387: -0.1, 648: -2.4}, {387: -0.1}], (387, 648), FAMILIES["math_shepherd"])[1].rule
        'missing_logprob'
    """
    scores = []
    for top in tops:
        values = [_as_number(top.get(token, -inf)) for token in label_ids]
        absent = [token for token, value in zip(label_ids, values, strict=True) if value <= _VLLMS_MINUS_INFINITY]
        if absent:
            which = " and ".join(map(str, absent))
            detail = f"no log-probability of token {which} among the {len(top)} that came back"
            scores.append(StepScore(None, "missing_logprob", detail))
        else:
            scores.append(family.score(values))
    return scores


def _as_number(value: Any) -> float:
    # A NaN of the model's is null in JSON; anything else that is no number is no better.
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
