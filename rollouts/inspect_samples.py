"""One rollout as a sample of Inspect's: its messages, its output and its scores in the shapes that Inspect reads."""

import json
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

from .messages import completion_text, message_text
from .records import Rollout
from .writing import VerdictLike, row_text

__all__ = ["inspect_sample", "inspect_scores", "inspect_summary"]

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_STOP_REASONS = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_length", "max_new_tokens", "truncated"), "max_tokens"),
    **dict.fromkeys(("tool_calls", "tool_use"), "tool_calls"),
    "model_length": "model_length",
    "content_filter": "content_filter",
}
_SUMMARY_CHARS = 500


def inspect_sample(rollout: Rollout, *, group_id: str, model: str) -> dict[str, Any]:
    """One sample, but for its id, its epoch and its scores."""
    response = _messages(rollout.response, "assistant")
    policy = model if rollout.policy_version is None else str(rollout.policy_version)
    last = next((message for message in reversed(response) if message["role"] == "assistant"), None)
    choices = [] if last is None else [{"message": last, "stop_reason": _stop_reason(rollout)}]
    told = {
        "group_id": group_id,
        "step": rollout.step,
        "rollout_id": rollout.rollout_id,
        "n_tokens": rollout.n_tokens,
        "truncated": rollout.truncated,
        "source": None if rollout.source is None else str(rollout.source),
        **rollout.meta,
    }
    return {
        "input": rollout.prompt if isinstance(rollout.prompt, str) else _messages(rollout.prompt, "user") or "",
        "target": _target(rollout),
        "messages": _messages(rollout.prompt, "user") + response,
        "output": {"model": policy, "choices": choices, "completion": completion_text(rollout.response or "")},
        "metadata": {name: value for name, value in told.items() if value is not None},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
        "uuid": token_hex(11),
    }


def inspect_summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What the viewer lists without opening the sample."""
    shown = sample["input"]
    if not isinstance(shown, str):
        shown = [{**message, "content": message["content"][:_SUMMARY_CHARS]} for message in shown]
    return {
        "id": sample["id"],
        "epoch": sample["epoch"],
        "input": shown[:_SUMMARY_CHARS] if isinstance(shown, str) else shown,
        "target": sample["target"],
        "scores": sample["scores"],
        "metadata": {},
        "model_usage": {},
        "uuid": sample["uuid"],
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def inspect_scores(rollout: Rollout, verdict: VerdictLike | None, verifier: str) -> dict[str, dict[str, Any]]:
    """The rewards that are known, and the verdict's where there is one; a score without a value is none there.

    The reward that the trainer learned from comes first, which is the one that the viewer shows.
    """
    names = sorted(rollout.rewards, key=lambda name: name != rollout.reward_name)
    scores: dict[str, dict[str, Any]] = {name: {"value": rollout.rewards[name]} for name in names}
    if verdict is not None:
        explanation = f"{str(verdict.outcome).lower()} ({verdict.rule}) {verdict.detail}".rstrip()
        scores[verifier] = {"value": verdict.reward, "answer": verdict.extracted, "explanation": explanation}
    return {name: score for name, score in scores.items() if score["value"] is not None}


def _messages(text: str | Sequence[Mapping[str, Any]] | None, role: str) -> list[dict[str, Any]]:
    if text is None or isinstance(text, str):
        return [] if text is None else [{"role": role, "content": text}]
    return [_message(message) for message in text]


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    role = message.get("role")
    known = {"role": role if role in _ROLES else "user", "content": message_text(message)}
    calls = message.get("tool_calls")
    if role == "assistant" and isinstance(calls, list) and calls:
        known["tool_calls"] = [_tool_call(call, place) for place, call in enumerate(calls)]
    if role == "tool" and isinstance(message.get("tool_call_id"), str):
        known["tool_call_id"] = message["tool_call_id"]
    return known


def _tool_call(call: Any, place: int) -> dict[str, Any]:
    call = call if isinstance(call, Mapping) else {}
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {"name": function, "arguments": call.get("arguments")}
    arguments, problem = function.get("arguments"), None
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            problem = f"{error}: {arguments}"
    return {
        "id": str(call.get("id") or f"call-{place}"),
        "function": str(function.get("name")),
        "arguments": arguments if isinstance(arguments, dict) else {},
        "type": "function",
        "parse_error": problem,
    }


def _target(rollout: Rollout) -> str | list[str]:
    target = rollout.target
    if target is None:
        return ""
    return row_text(target) if isinstance(target, dict) else target


def _stop_reason(rollout: Rollout) -> str:
    reason = (rollout.finish_reason or "").lower()
    if reason in _STOP_REASONS:
        return _STOP_REASONS[reason]
    return "max_tokens" if rollout.truncated else "unknown"
