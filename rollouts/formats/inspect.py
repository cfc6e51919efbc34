"""Samples of Inspect's logs: one a sample and epoch; the epochs of a sample are its group.

A scorer's value is a letter (C correct, P partial, I incorrect, N no answer), a number, a flag, or a dict of those,
whose parts become rewards of their own. The first scorer's value is the reward, unless it is a dict. A sample that
failed has no scores: unknown, not 0. Source: UKGovernmentBEIS/inspect_ai, log/_log.py and scorer/_metric.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import Message, messages_in, only_text, prompt_digest_id, prompt_identity, prompt_value
from ..values import integer_value, is_small, name_value, reward_value, target_value, truncated_value
from .base import ReaderDefaults, Row, most

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_CUT_LIMITS = frozenset({"context", "token", "message", "time", "working", "operator", "cost"})
"""What a sample can be stopped by before its model is done."""


class Format:
    """Samples with `id`, `epoch`, `input`, `target` and an `output`."""

    name = "inspect"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: {"id", "epoch", "input", "target", "output"} <= row.keys())

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "InspectReader":
        return InspectReader(rows)


class InspectReader(ReaderDefaults):
    """One row is one sample at one epoch."""

    has_named_rewards = True

    def __init__(self, rows: Sequence[Row]) -> None:
        self._scorers: dict[str, None] = {}

    @property
    def fields(self) -> Mapping[str, str]:
        return {
            "prompt": "input",
            "group_id": "id",
            "response": "output.choices",
            "target": "target",
            "rewards": ", ".join(self._scorers),
            "finish_reason": "output.choices.stop_reason",
            "policy_version": "output.model",
        }

    @property
    def notes(self) -> Sequence[str]:
        if len(self._scorers) < 2:
            return ()
        return (f"several scorers ({', '.join(self._scorers)}): the first one's value is the reward",)

    def identity(self, row: Row) -> Identity:
        name = name_value(row.get("id"))
        if name is None:
            raise RowRefusedError("id", f"expected text or a number, got {clip(row.get('id'))}")
        prompt = _input(row)
        return Identity(name if prompt is None else prompt_digest_id(prompt_identity(prompt)), group=name)

    def learn(self, row: Row, identity: Identity) -> None:
        scores = row.get("scores")
        if isinstance(scores, dict):
            self._scorers.update(dict.fromkeys(map(str, scores)))

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        output = row.get("output")
        output = output if isinstance(output, dict) else {}
        choices = output.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        stop = name_value(choice.get("stop_reason"))
        usage = output.get("usage")
        rewards, reward_name = self._rewards(row, tally)
        if not rewards:
            tally["attempts_that_failed"] += 1
        return [
            Rollout(
                prompt_id=identity.prompt_id or "",
                prompt=_input(row),
                response=_response(row, choice),
                target=target_value(row.get("target"), tally),
                rewards=rewards,
                reward_name=reward_name,
                rollout_id=name_value(row.get("uuid")) or f"{identity.group}/{row.get('epoch')}",
                truncated=_truncated(row, stop),
                finish_reason=stop,
                n_tokens=integer_value(usage.get("output_tokens")) if isinstance(usage, dict) else None,
                policy_version=name_value(output.get("model")),
                meta=_meta(row),
                source=source,
            )
        ]

    def _rewards(self, row: Row, tally: Tally) -> tuple[dict[str, float | None], str | None]:
        scores = row.get("scores")
        if not isinstance(scores, dict):
            return {}, next(iter(self._scorers), None)
        rewards: dict[str, float | None] = {}
        main: str | None = None
        for name, score in scores.items():
            value = score.get("value") if isinstance(score, dict) else score
            if isinstance(value, dict):
                rewards |= {f"{name}.{part}": _value(cell, tally) for part, cell in value.items()}
            elif not isinstance(value, list):
                rewards[name] = _value(value, tally)
                main = main or name
        return rewards, main


def _value(cell: object, tally: Tally) -> float | None:
    letter = _LETTERS.get(cell) if isinstance(cell, str) else None
    return reward_value(cell, tally) if letter is None else letter


def _input(row: Row) -> str | list[Message] | None:
    return prompt_value(row.get("input"), "input")


def _response(row: Row, choice: Mapping[str, Any]) -> str | list[Message] | None:
    """The text of a response of one turn; the turns of a longer one, tool results included."""
    turns = messages_in(row.get("messages")) or []
    first = next((place for place, turn in enumerate(turns) if _is_the_models(turn)), len(turns))
    message = choice.get("message")
    if sum(map(_is_the_models, turns)) > 1:
        return [_plain(turn) for turn in turns[first:]]
    return only_text(messages_in(message)) if isinstance(message, dict) else None


def _is_the_models(turn: Message) -> bool:
    # Examples in the input are turns of the assistant too, and not the model's.
    return turn["role"] == "assistant" and turn.get("source") != "input"


def _plain(turn: Message) -> Message:
    return {name: turn[name] for name in ("role", "content", "tool_calls", "tool_call_id", "function") if name in turn}


def _truncated(row: Row, stop: str | None) -> bool | None:
    limit = row.get("limit")
    if isinstance(limit, dict) and limit.get("type") in _CUT_LIMITS:
        return True
    return truncated_value(None, stop)


def _meta(row: Row) -> dict[str, Any]:
    meta: dict[str, Any] = {"epoch": row.get("epoch")}
    scores = row.get("scores")
    if isinstance(scores, dict):
        answers = {
            name: score["answer"] for name, score in scores.items() if isinstance(score, dict) and score.get("answer")
        }
        if answers and is_small(answers):
            meta["extracted"] = answers
    for name in ("metadata", "limit"):
        if row.get(name) and is_small(row[name]):
            meta[name] = row[name]
    error = row.get("error")
    if isinstance(error, dict) and (message := name_value(error.get("message"))):
        meta["error"] = message
    return meta
