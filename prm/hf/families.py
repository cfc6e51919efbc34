r"""Families of process reward models: how each reads a row, and how its logits become P(step right).

One table. A family is a row of data around two things that are code: the layout of its input (`formatting`) and
the head that reads hidden states. Nothing here needs torch; whoever runs the model, here or behind a server,
takes ids and positions from a family's encoder and gives the logits at those positions back to `score`.

| family          | input                                              | read at              | P(right)            |
| --------------- | -------------------------------------------------- | -------------------- | ------------------- |
| `qwen`          | chat, one answer, `<extra_0>` closes a step        | the tag              | softmax of 2 labels |
| `trl`           | problem, steps, line ends, each encoded by itself  | the separator's last | softmax of 2 labels |
| `skywork`       | the same with a line end behind the problem        | the separator        | sigmoid of a value  |
| `math_shepherd` | one text, `ки` closes a step                       | the tag              | softmax of + and -  |
| `rlhflow`       | chat, each step a turn, answered with +            | the token before +   | softmax of + and -  |
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isfinite
from typing import Any, Literal

from ...errors import ArgumentError
from ..base import StepRow, StepScore
from .formatting import EncodedSteps, Marks, in_one_turn, in_pieces, in_turns, numbered, problem_text

__all__ = ["FAMILIES", "Family", "StepEncoder"]

Layout = Callable[[Any, Marks, str, Sequence[str]], EncodedSteps]
Head = Literal["two_layers", "linear", "value", "vocabulary"]


@dataclass(frozen=True)
class Family:
    r"""How one family of process reward models is asked. Variants: `dataclasses.replace(family, tag="\n\n")`.

    Args:
        name: as users type it; part of a scorer's version.
        layout: puts a row together, of `formatting`.
        head: what turns hidden states into logits: `two_layers` (linear, ReLU, linear) and `linear` give two
            labels, wrong and right; `value` one number; `vocabulary` is the language model's own.
        tag: the text of what closes a step.
        labels: the texts whose tokens say wrong and right, in this order, where the head is `vocabulary`.
        architecture: the `architectures` of a configuration by which a checkpoint can be told to be of this family,
            a regular expression; None where it cannot.
        is_tag_one_token: whether a tokenizer that makes several tokens of the tag is refused.
    """

    name: str
    layout: Layout
    head: Head
    tag: str
    labels: tuple[str, str] | None = None
    architecture: str | None = None
    is_tag_one_token: bool = True

    def encoder(self, tokenizer: Any) -> "StepEncoder":
        """The encoder of rows for `tokenizer`, a Hugging Face one.

        Raises:
            ArgumentError: the tokenizer is another family's: a tag or a label is not one token of it, or it lacks
                a chat template.
        """
        tag = tuple(tokenizer(self.tag, add_special_tokens=False)["input_ids"])
        if self.is_tag_one_token or not tag:
            tag = (_one_token(self.name, tokenizer, self.tag),)
        bos = tokenizer.bos_token_id
        labels = None
        if self.labels is not None:
            labels = (
                _one_token(self.name, tokenizer, self.labels[0]),
                _one_token(self.name, tokenizer, self.labels[1]),
            )
        found = StepEncoder(self, tokenizer, Marks(tag, () if bos is None else (bos,)), labels)
        _check(found)
        return found

    def score(self, logits: Sequence[float]) -> StepScore:
        """What the logits read at one position say.

        Args:
            logits: wrong, right; or the one value of a value head. Not probabilities.

        Returns:
            P(step right), computed in float64; None where a logit is not finite.

        Example:
            >>> FAMILIES["qwen"].score([0.0, 0.0])
            StepScore(value=0.5, rule='learned', detail='log-odds +0.00')
        """
        expected = 1 if self.head == "value" else 2
        if len(logits) != expected:
            raise ArgumentError(f"logits: expected {expected} of a step for the family {self.name}, got {len(logits)}")
        if not all(map(isfinite, logits)):
            return StepScore(None, "not_finite", f"logits {', '.join(map(str, logits))}")
        log_odds = logits[-1] if self.head == "value" else logits[1] - logits[0]
        return StepScore(_sigmoid(log_odds), "learned", f"log-odds {log_odds:+.2f}")


@dataclass(frozen=True)
class StepEncoder:
    """Rows as ids, for one family and one tokenizer; build it with `Family.encoder`, which checks that they fit.

    Args:
        label_ids: ids of the tokens that say wrong and right, in this order; None where the head gives labels.
    """

    family: Family
    tokenizer: Any
    marks: Marks
    label_ids: tuple[int, int] | None

    def encode(self, row: StepRow) -> EncodedSteps:
        """The ids of `row`, and where each of its steps is read."""
        steps = [step.strip() for step in row.steps]
        encoded = self.family.layout(self.tokenizer, self.marks, problem_text(row.prompt), steps)
        if len(encoded.positions) != len(row.steps):
            raise AssertionError(f"{len(row.steps)} steps, {len(encoded.positions)} positions")
        return encoded


def _one_token(family: str, tokenizer: Any, text: str) -> int:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    if len(ids) != 1 or ids[0] == tokenizer.unk_token_id:
        raise ArgumentError(f"tokenizer: expected one token for {text!r} (family {family}), got ids {ids}")
    return ids[0]


def _check(encoder: StepEncoder) -> None:
    """Refuse a tokenizer with which a row is read anywhere but at a tag, or just before it."""
    family, tag = encoder.family.name, encoder.marks.tag[-1]
    try:
        ids, positions = encoder.encode(StepRow("a", ("b", "c")))
    except ArgumentError:
        raise
    except Exception as error:  # no chat template, or one that refuses such a chat: whatever Jinja raises
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(f"tokenizer: expected one with a chat template (family {family}): {reason}") from error
    if any(position is None or tag not in ids[position : position + 2] for position in positions):
        raise ArgumentError(
            f"tokenizer: expected one that keeps {encoder.family.tag!r} a token of its own in a text "
            f"(family {family}), got ids {ids}"
        )


def _sigmoid(value: float) -> float:
    # exp(710) overflows; of a large negative value the other form is exact.
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value) / (1 + exp(value))


_QWEN_SYSTEM = r"Please reason step by step, and put your final answer within \boxed{}."

FAMILIES = {
    family.name: family
    for family in (
        Family(
            "qwen",
            partial(in_one_turn, system=_QWEN_SYSTEM),
            "two_layers",
            "<extra_0>",
            architecture="Qwen2ForProcessRewardModel",
        ),
        Family("trl", in_pieces, "linear", "\n", architecture=r"\w+ForTokenClassification", is_tag_one_token=False),
        Family("skywork", partial(in_pieces, after_problem="\n"), "value", "\n", architecture="Qwen2ForPrmModel"),
        Family("math_shepherd", numbered, "vocabulary", "ки", labels=("-", "+")),
        Family("rlhflow", in_turns, "vocabulary", "+", labels=("-", "+")),
    )
}
"""The families by name."""
