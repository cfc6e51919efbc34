"""One trace of the `verifiers` library from 0.4 on: a tree of messages, its scores, and how it ended.

The response is the last sampled message, with what led to it from the first sampled one on. Rewards have a score and
a weight each, and their sum is the reward. Where the attempt failed there are none, which would sum to 0 and mean:
unknown. Source: PrimeIntellect-ai/verifiers 0.4, verifiers/v1.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..fields import STRONG_TARGET, WEAK_TARGET
from ..records import Rollout, Source, Target
from ..refusals import Tally
from ..turns import Message, messages_in, only_text
from ..values import integer_value, is_small, name_value, number_value, reward_value, target_value, truncated_value
from .base import Row

if TYPE_CHECKING:
    from ..records import FloatArray, IntArray

Trace = Mapping[str, Any]

_CUT_CONDITIONS = frozenset({"max_output_tokens", "max_total_tokens", "max_input_tokens", "context_length"})
"""Stop conditions by which the length, not the model, ended a trace."""


def trace_rollout(
    trace: Trace, row: Row, *, prompt_id: str, step: int | None, tokens: bool, source: Source, tally: Tally
) -> Rollout:
    """The rollout of one trace.

    Args:
        row: its episode.
        tokens: whether to load token ids and log-probabilities.
    """
    task = part(trace, "task") or row["task"]
    data = part(task, "data")
    path = _path(trace)
    prompt, response = _turns(path)
    rewards, reward_name = _rewards(trace, tally)
    if not rewards:
        tally["attempts_that_failed"] += 1
    call = _last_call(trace)
    finish_reason = name_value(call.get("finish_reason"))
    token_ids, logprobs = _tokens(path, response) if tokens else (None, None)
    return Rollout(
        prompt_id=prompt_id,
        prompt=prompt or _task_prompt(data),
        response=response,
        target=_target(data, tally),
        rewards=rewards,
        reward_name=reward_name,
        rollout_id=name_value(trace.get("id")),
        truncated=_truncated(trace, finish_reason),
        finish_reason=finish_reason,
        n_tokens=integer_value(trace.get("num_output_tokens")),
        policy_version=_policy(row, trace),
        step=step,
        meta=_meta(row, trace, path),
        source=source,
        token_ids=token_ids,
        rollout_logprobs=logprobs,
    )


def part(holder: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object under `name`; an empty one where there is none."""
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def _dicts(cell: object) -> list[dict[str, Any]]:
    """The objects in a list; none of anything else."""
    return [item for item in cell if isinstance(item, dict)] if isinstance(cell, list) else []


def _path(trace: Trace) -> list[dict[str, Any]]:
    """The nodes from the root of the tree to the last sampled one; all of them where none was sampled."""
    nodes = _dicts(trace.get("nodes"))
    sampled = [place for place, node in enumerate(nodes) if node.get("sampled")]
    if not sampled:
        return nodes
    path: list[dict[str, Any]] = []
    place: int | None = sampled[-1]
    seen: set[int] = set()
    while place is not None and 0 <= place < len(nodes) and place not in seen:
        seen.add(place)
        path.append(nodes[place])
        place = integer_value(nodes[place].get("parent"))
    return path[::-1]


def _turns(path: Sequence[Mapping[str, Any]]) -> tuple[list[Message] | None, str | list[Message] | None]:
    """Prompt and response: what stands before the first sampled node, and from it on."""
    first = next((place for place, node in enumerate(path) if node.get("sampled")), len(path))
    prompt = messages_in([node.get("message") for node in path[:first]])
    response = messages_in([node.get("message") for node in path[first:]])
    return prompt, only_text(response)


def _task_prompt(data: Mapping[str, Any]) -> str | list[Message] | None:
    prompt, system = data.get("prompt"), data.get("system_prompt")
    turns = messages_in(prompt) or ([{"role": "user", "content": prompt}] if isinstance(prompt, str) and prompt else [])
    if isinstance(system, str) and system and turns:
        turns = [{"role": "system", "content": system}, *turns]
    return turns or None


def _target(data: Mapping[str, Any], tally: Tally) -> Target | None:
    names = ("answer", *STRONG_TARGET, *WEAK_TARGET)
    found = next((data[name] for name in names if data.get(name) not in (None, "")), None)
    return target_value(found, tally)


def _rewards(trace: Trace, tally: Tally) -> tuple[dict[str, float | None], str | None]:
    """The scores, and their weighted sum under a name of its own where it is not simply the only score."""
    cells = trace.get("rewards")
    if not isinstance(cells, dict) or not cells:
        return {}, None
    scores: dict[str, float | None] = {}
    terms: list[float] = []
    for name, cell in cells.items():
        is_weighted = isinstance(cell, dict)
        scores[name] = reward_value(cell.get("score") if is_weighted else cell, tally)
        weight = number_value(cell.get("weight", 1.0)) if is_weighted else 1.0
        score = scores[name]
        if score is not None and weight is not None:
            terms.append(score * weight)
    total = math.fsum(terms) if terms else None
    if len(scores) == 1 and total == next(iter(scores.values())):
        return scores, next(iter(scores))
    total_name = next(name for name in ("reward", "total", "total_reward", "") if name not in scores)
    return {**scores, total_name: total}, total_name


def _last_call(trace: Trace) -> Mapping[str, Any]:
    calls = [call for call in _dicts(trace.get("calls")) if call.get("finish_reason")]
    return calls[-1] if calls else {}


def _truncated(trace: Trace, finish_reason: str | None) -> bool | None:
    if name_value(trace.get("stop_condition")) in _CUT_CONDITIONS:
        return True
    return truncated_value(trace.get("is_truncated"), finish_reason)


def _policy(row: Row, trace: Trace) -> str | int | None:
    """The version that began to sample, in training; in an evaluation the model's name."""
    start = integer_value(part(part(part(row, "run"), "work"), "policy").get("start"))
    if start is not None:
        return start
    return name_value(part(part(trace, "agent"), "config").get("model"))


def _meta(row: Row, trace: Trace, path: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for name in ("stop_condition", "metrics", "info", "errors"):
        if trace.get(name) and is_small(trace[name]):
            meta[name] = trace[name]
    if name := name_value(part(trace, "agent").get("name")):
        meta["agent"] = name
    env = part(row, "env")
    if name := name_value(env.get("name")) or name_value(env.get("id")):
        meta["env"] = name
    advantages = path[-1].get("advantages") if path else None
    if isinstance(advantages, list) and advantages and (advantage := number_value(advantages[-1])) is not None:
        meta["advantage"] = advantage
    return meta


def _tokens(
    path: Sequence[Mapping[str, Any]], response: str | list[Message] | None
) -> "tuple[IntArray | None, FloatArray | None]":
    """Token ids and log-probabilities of a response of one turn; a longer one has no single sequence."""
    import numpy as np

    if not isinstance(response, str) or not path:
        return None, None
    node = path[-1]
    ids, mask, logprobs = (node.get(name) or [] for name in ("token_ids", "mask", "logprobs"))
    if len(ids) != len(mask) or not ids:
        return None, None
    sampled = np.asarray(ids, dtype="int64")[np.asarray(mask, dtype=bool)]
    values = np.asarray(logprobs, dtype="float64")
    return sampled, values if values.shape == sampled.shape else None
