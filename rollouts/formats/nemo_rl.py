"""Samples that NeMo-RL logs: `train_data_step{n}.jsonl` and `val_data_step{n}.jsonl`.

One row a sample, every value in a list of one. `content` holds the turns of the conversation, as texts or as messages;
the last is the response. Neither target nor group is logged: the samples of one prompt in one file are a group. The
step stands in the file's name alone. Source: NVIDIA-NeMo/RL, algorithms/grpo.py and utils/logger.py.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import Message, messages_in, prompt_digest_id, prompt_identity, split_turns
from ..values import number_value, reward_value
from .base import ReaderDefaults, Row, most

if TYPE_CHECKING:
    from ..records import FloatArray, IntArray

_STEP = re.compile(r"(?:train|val)_data_step(\d+)")


class Format:
    """Rows with `content` and `rewards` in lists, and the length or the place of the sample."""

    name = "nemo_rl"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, _is_ours)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "NemoRlReader":
        return NemoRlReader(tokens=options.tokens)


class NemoRlReader(ReaderDefaults):
    """One row is one rollout."""

    fields: Mapping[str, str] = {
        "prompt": "content, all turns but the last",
        "response": "content, the last turn",
        "rewards": "rewards",
        "step": "the file's name",
        "token_ids": "token_ids",
        "rollout_logprobs": "generation_logprobs",
        "trainer_logprobs": "prev_logprobs",
    }
    notes: Sequence[str] = ("NeMo-RL logs neither target nor group: samples of one prompt in one file are a group",)

    def __init__(self, *, tokens: bool) -> None:
        self._tokens = tokens

    def identity(self, row: Row) -> Identity:
        prompt, _ = _turns(row)
        return Identity(prompt_digest_id(prompt_identity(prompt)))

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        prompt, response = _turns(row)
        step = _STEP.match(Path(source.file).name)
        token_ids, logprobs, trainers = _sampled(row) if self._tokens else (None, None, None)
        advantage = _single(row.get("advantages"))
        while isinstance(advantage, list) and advantage:
            advantage = advantage[-1]  # one a token, the same for all that are trained on
        logged = {"advantage": number_value(advantage), "prev_logprobs": trainers}
        return [
            Rollout(
                prompt_id=identity.prompt_id or "",
                prompt=prompt,
                response=response,
                rewards={"reward": reward_value(_single(row.get("rewards")), tally)},
                step=int(step.group(1)) if step else None,
                meta={name: value for name, value in logged.items() if value is not None},
                source=source,
                token_ids=token_ids,
                rollout_logprobs=logprobs,
            )
        ]


def _is_ours(row: Row) -> bool:
    content = row.get("content")
    return isinstance(content, list) and "rewards" in row and bool({"idx", "input_lengths"} & row.keys())


def _single(cell: object) -> Any:
    """What stands in a list of one."""
    return cell[0] if isinstance(cell, list) and len(cell) == 1 else cell


def _turns(row: Row) -> tuple[str | list[Message], str | list[Message]]:
    content = _single(row.get("content"))
    if (messages := messages_in(content)) is not None:
        return split_turns(messages, "content")
    texts = content if isinstance(content, list) else None
    if not texts or len(texts) < 2 or not all(isinstance(text, str) for text in texts):
        raise RowRefusedError("content", f"expected at least a prompt and a response, got {clip(content)}")
    return "\n".join(texts[:-1]), texts[-1]


def _sampled(row: Row) -> "tuple[IntArray | None, FloatArray | None, list[float] | None]":
    """The tokens that are trained on, which the policy sampled, and their log-probabilities: its and the trainer's."""
    import numpy as np

    names = ("token_ids", "token_loss_mask", "generation_logprobs", "prev_logprobs")
    ids, mask, *logprobs = (_single(row.get(name)) for name in names)
    if not isinstance(ids, list) or not isinstance(mask, list) or len(ids) != len(mask):
        return None, None, None
    is_sampled = np.asarray(mask, dtype=bool)

    def sampled(values: object) -> "FloatArray | None":
        is_whole = isinstance(values, list) and len(values) == len(ids)
        return np.asarray(values, dtype="float64")[is_sampled] if is_whole else None

    sampler, trainers = map(sampled, logprobs)
    return np.asarray(ids, dtype="int64")[is_sampled], sampler, None if trainers is None else trainers.tolist()
