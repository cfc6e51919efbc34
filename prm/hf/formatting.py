"""A problem and its steps as token ids, and at which of them each step is read: pure tokenizer work, without torch.

Where a step is read is known from how the ids were put together, never from looking for a token in them: a policy
that writes the separator itself neither adds a score nor moves one. What the policy and its prompt say is encoded
as text: `<|im_end|>` in a step is spelled out, and ends nothing (tokens that were added without being special are
the exception; no tokenizer lets them be spelled out).

Steps are stripped of white space at both ends, which is where a splitter left it. A step without anything else is
left out of the ids, and is read nowhere.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...errors import ArgumentError
from ...rollouts.messages import Prompt, message_text, prompt_text

__all__ = [
    "EncodedSteps",
    "Marks",
    "in_one_turn",
    "in_pieces",
    "in_turns",
    "numbered",
    "problem_text",
    "text_ids",
]

Turn = tuple[str, Sequence["str | Mark"]]

_HOLE = re.compile("\ue000([0-9]+)\ue001")
_DATE = "26 Jul 2024"  # what Llama 3.1's template writes unless told; newer ones write today's, and scores would drift


class EncodedSteps(NamedTuple):
    """A row as a model reads it.

    Args:
        ids: (T,) token ids; never padded, never cut.
        positions: (S,) for each step, at which of the T tokens its logits are read; None for a step without text.
    """

    ids: list[int]
    positions: list[int | None]


class Marks(NamedTuple):
    """The tokens of a family, as ids of one tokenizer.

    Args:
        tag: what closes a step. One token, except for a separator of several.
        bos: what the input begins with; empty where the tokenizer has no such token.
    """

    tag: tuple[int, ...]
    bos: tuple[int, ...]


@dataclass(frozen=True)
class Mark:
    """Ids put between texts. `is_read`: the last of them closes a step."""

    ids: tuple[int, ...]
    is_read: bool = False


def problem_text(prompt: Prompt) -> str:
    """What the policy was asked: the string, or what the user said; the system's words are about how to answer.

    Example:
        >>> problem_text([{"role": "system", "content": "Box it."}, {"role": "user", "content": "2+2?"}])
        '2+2?'
    """
    if isinstance(prompt, str):
        return prompt
    asked = [message_text(message) for message in prompt if message.get("role") == "user"]
    return "\n\n".join(asked) if asked else prompt_text(prompt)


def text_ids(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    """The ids of each text, spelling out what looks like a special token; lone surrogates become U+FFFD."""
    if not texts:
        return []
    readable = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
    return tokenizer(readable, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]


def in_pieces(
    tokenizer: Any, marks: Marks, problem: str, steps: Sequence[str], *, after_problem: str = ""
) -> EncodedSteps:
    """`problem`, then each step and the separator, every piece encoded by itself; read at the separator's last token.

    Source: TRL `PRMTrainer` (`tokenize_row`); Skywork-o1 `prepare_input`, with a line end `after_problem`.
    """
    closed = [part for step in steps if step for part in (step, Mark(marks.tag, is_read=True))]
    ids, read = _joined(tokenizer, [Mark(marks.bos), problem + after_problem, *closed])
    return EncodedSteps(ids, _by_step(steps, read))


def numbered(tokenizer: Any, marks: Marks, problem: str, steps: Sequence[str]) -> EncodedSteps:
    r"""`problem Step 1: ... ки\nStep 2: ... ки` as one text; read at the tags.

    A tokenizer of SentencePiece's kind puts a space before whatever it is given. So each step is encoded between the
    tags on both its sides: the ids are those of the whole text, and it is known which of them are tags.

    Source: model card of math-shepherd-mistral-7b-prm.
    """
    tag = tokenizer.decode(list(marks.tag)).strip()
    titled = [
        step if re.match(r"Step \d+:", step) else f"Step {number}: {step}"
        for number, step in enumerate(filter(None, steps), 1)
    ]
    texts = [f"{tag}\n{step} {tag}" if number else f"{problem} {step} {tag}" for number, step in enumerate(titled)]
    ids, read = list(marks.bos), []
    for number, piece in enumerate(text_ids(tokenizer, texts or [problem])):
        ids.extend(piece[1:] if number else piece)  # the tag before it is there already
        read.append(len(ids) - 1)
    return EncodedSteps(ids, _by_step(steps, read))


def in_one_turn(
    tokenizer: Any, marks: Marks, problem: str, steps: Sequence[str], *, system: str | None = None
) -> EncodedSteps:
    """The chat template around one answer of the assistant, in which the tag closes every step; read at the tags.

    Source: model card of Qwen2.5-Math-PRM-7B.
    """
    answer = [part for step in steps if step for part in (step, Mark(marks.tag, is_read=True))]
    turns: list[Turn] = [("user", [problem.strip()]), ("assistant", answer)]
    ids, read = _chat(tokenizer, [("system", [system]), *turns] if system else turns)
    return EncodedSteps(ids, _by_step(steps, read))


def in_turns(tokenizer: Any, marks: Marks, problem: str, steps: Sequence[str]) -> EncodedSteps:
    """A chat: each step a turn of the user, answered with the tag; read at the token that predicts the answer.

    Source: RLHFlow `prm_evaluate.py`.
    """
    turns: list[Turn] = []
    for step in filter(None, steps):
        turns.append(("user", [step if turns else f"{problem.strip()} {step}"]))
        turns.append(("assistant", [Mark(marks.tag, is_read=True)]))
    ids, read = _chat(tokenizer, turns or [("user", [problem.strip()])])
    return EncodedSteps(ids, _by_step(steps, [position - 1 for position in read]))


def _chat(tokenizer: Any, turns: Sequence[Turn]) -> tuple[list[int], list[int]]:
    """The ids of a conversation, and where the marks that close a step are.

    The template is filled with holes, so that only its own special tokens are read as such, and what stands in a
    hole can be encoded as text, together with the template's words around it, as one string would have been.
    """
    messages = [{"role": role, "content": f"\ue000{number}\ue001"} for number, (role, _) in enumerate(turns)]
    template = tokenizer.apply_chat_template(messages, tokenize=False, date_string=_DATE)
    *pieces, end = _HOLE.split(template)
    if [int(number) for number in pieces[1::2]] != list(range(len(turns))):
        raise ArgumentError("tokenizer: expected a chat template that writes every message once, in order")
    parts: list[str | Mark] = []
    for before, (_, content) in zip(pieces[::2], turns, strict=True):
        parts += [*_with_controls(tokenizer, before), *content]
    return _joined(tokenizer, list(_merged([*parts, *_with_controls(tokenizer, end)])))


def _with_controls(tokenizer: Any, text: str) -> list["str | Mark"]:
    """The template's own words, cut at the tokens that were added to the vocabulary."""
    known = {str(token): number for number, token in tokenizer.added_tokens_decoder.items()}
    if not known:
        return [text]
    cut = re.split("(" + "|".join(map(re.escape, sorted(known, key=len, reverse=True))) + ")", text)
    return [Mark((known[piece],)) if number % 2 else piece for number, piece in enumerate(cut)]


def _merged(parts: Iterable["str | Mark"]) -> Iterable["str | Mark"]:
    """The parts, neighbouring texts as one."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        yield text
        yield part
        text = ""
    yield text


def _joined(tokenizer: Any, parts: Sequence["str | Mark"]) -> tuple[list[int], list[int]]:
    """The ids of all parts, each text by itself, and where the marks that close a step end."""
    texts = iter(text_ids(tokenizer, [part for part in parts if isinstance(part, str) and part]))
    ids: list[int] = []
    read: list[int] = []
    for part in parts:
        if isinstance(part, Mark):
            ids.extend(part.ids)
            if part.is_read:
                read.append(len(ids) - 1)
        elif part:
            ids.extend(next(texts))
    return ids, read


def _by_step(steps: Sequence[str], read: Sequence[int]) -> list[int | None]:
    """One position a step; none for those without text."""
    positions = iter(read)
    return [next(positions) if step else None for step in steps]
