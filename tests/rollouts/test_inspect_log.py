import json
import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from rollout_records import groups

from rewardgate.cli import main
from rewardgate.errors import InputError
from rewardgate.rollouts import Group, Rollout
from rewardgate.rollouts.inspect_log import write_inspect_log
from rewardgate.verifiers.batch import verify_many


def rollout(response: Any = r"\boxed{4}", reward: float | None = 1.0, **fields: Any) -> Rollout:
    given = {"prompt_id": "p", "prompt": "2+2?", "target": "4", "rewards": {"reward": reward}}
    return Rollout(**{**given, "response": response, **fields})


def written(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as log:
        assert log.testzip() is None
        return {name: json.loads(log.read(name)) for name in log.namelist()}


def sample(path: Path, only: Rollout) -> dict[str, Any]:
    write_inspect_log(path, [Group(group_id="g", rollouts=(only,))])
    return written(path)["samples/p_epoch_1.json"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.eval"


def test_a_prompt_is_a_sample_and_a_rollout_its_epoch_over_all_steps(path: Path) -> None:
    two_steps = [
        Group(group_id=f"{step}/p", rollouts=(rollout(step=step), rollout("5", 0.0, step=step))) for step in (1, 2)
    ]
    assert write_inspect_log(path, two_steps, task="sums", model="qwen") == 4
    found = written(path)
    names = [name for name in found if name.startswith("samples/")]
    assert names == [f"samples/p_epoch_{epoch}.json" for epoch in (1, 2, 3, 4)]
    third = found["samples/p_epoch_3.json"]
    assert (third["id"], third["epoch"], third["metadata"]) == ("p", 3, {"group_id": "2/p", "step": 2})
    assert (third["input"], third["target"], third["output"]["completion"]) == ("2+2?", "4", r"\boxed{4}")
    header = found["header.json"]
    assert (header["eval"]["task"], header["eval"]["model"], header["eval"]["config"]) == (
        "sums",
        "qwen",
        {"epochs": 4},
    )
    assert header["eval"]["dataset"]["sample_ids"] == ["p"]
    assert [(one["id"], one["epoch"]) for one in found["summaries.json"]] == [("p", epoch) for epoch in (1, 2, 3, 4)]


def test_the_mean_is_over_prompts_and_leaves_unknown_rewards_out(path: Path) -> None:
    many = [
        Group(group_id="p", rollouts=(rollout(), rollout(reward=0.0), rollout(reward=None))),
        Group(group_id="q", rollouts=(rollout(prompt_id="q"),)),
    ]
    write_inspect_log(path, many)
    found = written(path)
    # prompt p: (1 + 0) / 2, the null counting for nothing; prompt q: 1; their mean 3/4
    assert found["header.json"]["results"]["scores"][0]["metrics"]["mean"]["value"] == 0.75
    assert found["samples/p_epoch_3.json"]["scores"] == {}


def test_verdicts_are_a_score_with_answer_and_reason(path: Path) -> None:
    group = Group(group_id="g", rollouts=(rollout(reward_name="acc", rewards={"format": 0.5, "acc": 0.0}),))
    write_inspect_log(path, [group], verdicts=lambda one: verify_many("math", one.rollouts), verifier="math")
    scores = written(path)["samples/p_epoch_1.json"]["scores"]
    assert list(scores) == ["acc", "format", "math"]  # what the trainer learned from first
    assert (scores["acc"]["value"], scores["math"]["value"], scores["math"]["answer"]) == (0.0, 1.0, "4")
    assert scores["math"]["explanation"].startswith("correct (exact_number)")


def test_a_conversation_keeps_its_turns_and_its_tool_calls(path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}
    turns = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "4", "tool_call_id": "c1"},
        {"role": "assistant", "content": [{"type": "text", "text": "It is 4."}]},
    ]
    found = sample(path, rollout(turns, prompt=[{"role": "developer", "content": "Add."}], finish_reason="length"))
    assert found["messages"] == [
        {"role": "user", "content": "Add."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "function": "add", "arguments": {"a": 2}, "type": "function", "parse_error": None}
            ],
        },
        {"role": "tool", "content": "4", "tool_call_id": "c1"},
        {"role": "assistant", "content": "It is 4."},
    ]
    (choice,) = found["output"]["choices"]
    assert (choice["message"]["content"], choice["stop_reason"]) == ("It is 4.", "max_tokens")


def test_a_tool_call_that_cannot_be_parsed_says_so(path: Path) -> None:
    call = {"function": {"name": "add", "arguments": "{a: 2"}}
    (message,) = sample(path, rollout([{"role": "assistant", "content": "", "tool_calls": [call]}], prompt=None))[
        "messages"
    ]
    assert message["tool_calls"][0]["arguments"] == {}
    assert message["tool_calls"][0]["parse_error"].endswith(": {a: 2")


def test_a_specification_is_a_target_as_text_and_no_response_has_no_choice(path: Path) -> None:
    found = sample(path, rollout(None, target={"tests": ["f(1)"]}))
    assert (found["target"], found["output"]["choices"]) == ('{"tests": ["f(1)"]}', [])


@settings(max_examples=15)
@given(groups())
def test_any_group_can_be_written(group: Group) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.eval"
        assert write_inspect_log(path, [group]) == len(group)
        assert len(written(path)) == len(group) + 2


def test_a_failure_leaves_what_was_there_and_nothing_beside_it(path: Path) -> None:
    path.write_text("an earlier log")

    def groups_that_fail() -> Any:
        yield Group(group_id="g", rollouts=(rollout(),))
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_inspect_log(path, groups_that_fail())
    assert [(one.name, one.read_text()) for one in path.parent.iterdir()] == [("run.eval", "an earlier log")]


def test_an_open_file_is_written_and_a_path_that_is_none_refused(tmp_path: Path) -> None:
    file, group = BytesIO(), Group(group_id="g", rollouts=(rollout(),))
    assert write_inspect_log(file, [group]) == 1
    assert zipfile.ZipFile(file).namelist()[-1] == "header.json"
    with pytest.raises(InputError, match=r"path: expected a writable file, got .*: No such file or directory"):
        write_inspect_log(tmp_path / "nowhere" / "run.eval", [group])


def test_inspect_reads_it(path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log", reason="NOT RUN: inspect-ai is not installed")
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{"}}
    turns = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "content": "4"}]
    group = Group(group_id="g", rollouts=(rollout(meta={"tags": ["a"]}), rollout(turns, None), rollout(None, 0.0)))
    write_inspect_log(path, [group], verdicts=lambda one: verify_many("math", one.rollouts), verifier="math")
    found = log.read_eval_log(str(path))
    assert [(one.id, one.epoch) for one in found.samples] == [("p", 1), ("p", 2), ("p", 3)]
    assert found.samples[0].scores["math"].answer == "4"
    assert log.read_eval_log(str(path), header_only=True).results.scores[0].metrics["mean"].value == 0.5


def run(*arguments: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rewardgate", "export", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    return ended.value.code


def test_the_command_exports_a_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = path.with_name("rows.jsonl")
    source.write_text('{"prompt": "2+2?", "response": "4", "target": "4", "reward": 0}\n')
    assert run(str(source), str(path), "--verifier", "math") == 0
    (name,) = (name for name in written(path) if name.startswith("samples/"))
    assert {key: score["value"] for key, score in written(path)[name]["scores"].items()} == {"reward": 0.0, "math": 1.0}
    assert run(str(source), str(path.with_name("run.zip"))) == 2
    assert run(str(source), str(path.parent / "no" / "run.eval")) == 2
    assert "OUT.eval: expected a name that ends in .eval, got" in capsys.readouterr().err
