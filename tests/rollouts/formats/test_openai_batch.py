from pathlib import Path
from typing import Any

from rollout_records import write_lines

from rewardgate.rollouts import Refusal, read, read_rows


def row(custom_id: str, *texts: str | None, finish: str = "stop") -> dict[str, Any]:
    choices = [
        {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        for index, text in enumerate(texts)
    ]
    body = {"object": "chat.completion", "model": "m", "choices": choices, "usage": {"completion_tokens": 9}}
    return {"id": "batch", "custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}


FAILED = {"id": "batch", "custom_id": "x", "response": None, "error": {"code": "batch_expired", "message": "late"}}


def test_the_choices_of_a_request_are_its_group(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "out.jsonl", row("p", "a", "b", finish="length"), FAILED, row("q", "c"))
    reading = read(path)
    assert reading.format == "openai_batch"
    first, second = reading
    assert (first.group_id, first.prompt, first.target) == ("p", None, None)
    assert [(rollout.response, rollout.truncated) for rollout in first.rollouts] == [("a", True), ("b", True)]
    # The service counts tokens a request: they are known for one choice, not for each of two.
    assert (first.rollouts[0].n_tokens, second.rollouts[0].n_tokens) == (None, 9)
    assert second.rollouts[0].policy_version == "m"


def test_a_failed_request_is_refused_with_its_reason_in_its_place(tmp_path: Path) -> None:
    found = list(read_rows(write_lines(tmp_path / "out.jsonl", row("p", "a"), FAILED, row("q", "c"))))
    assert isinstance(found[1], Refusal)
    assert "batch_expired" in found[1].reason
    assert len(found) == 3


def test_a_tool_call_keeps_its_message(tmp_path: Path) -> None:
    called = row("p", "", None)
    called["response"]["body"]["choices"][0]["message"]["tool_calls"] = [{"id": "1"}]
    (group,) = read(write_lines(tmp_path / "out.jsonl", called))
    call, nothing = (rollout.response for rollout in group.rollouts)
    assert isinstance(call, list)
    assert call[0]["tool_calls"] == [{"id": "1"}]
    assert nothing == [{"role": "assistant", "content": None}]
