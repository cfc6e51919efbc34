"""Every plain rollout file that others prepared, against what its manifest expects of it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import NoUsableRowsError
from rewardgate.rollouts import Rollout, completion_text, prompt_text, read, read_rows


def entries(shared: Path) -> list[dict[str, Any]]:
    manifest = json.loads((shared / "data/dumps/manifest.json").read_text())
    return [entry for entry in manifest["files"] if entry["path"].startswith("plain/")]


def differences(path: Path, entry: dict[str, Any]) -> list[str]:
    """What `path` says otherwise than its manifest entry."""
    reading = read(path)
    groups = list(reading)
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    null_rewards = Counter[str]()
    for rollout in rollouts:
        null_rewards.update({name: int(reward is None) for name, reward in rollout.rewards.items()})
    found = {
        "group_sizes": [len(group) for group in groups],
        "n_rollouts": reading.summary.n_rollouts,
        "bad_lines": sum(refusal.field == "row" for refusal in reading.summary.refusals),
        "reward_null": dict(null_rewards),
        "reward_total_null": sum(rollout.reward is None for rollout in rollouts),
        "gold_null": sum(rollout.target is None for rollout in rollouts),
        "response_null": sum(rollout.response is None for rollout in rollouts),
        "truncated_true": sum(rollout.truncated is True for rollout in rollouts),
        "truncated_unknown": sum(rollout.truncated is None for rollout in rollouts),
    }
    expected = {name: entry[name] for name in ("group_sizes", "n_rollouts")} | entry["counts"]
    expected["bad_lines"] = entry.get("bad_lines", 0) + entry.get("partial_rows", 0)
    by_line = [row for row in read_rows(path) if isinstance(row, Rollout)]
    for which, rollout in (("first", by_line[0]), ("last", by_line[-1])):
        wanted = entry["expected"][which]
        text = None if rollout.response is None else completion_text(rollout.response)
        found[which] = {
            "prompt_prefix": (wanted["prompt_prefix"] or "") in prompt_text(rollout.prompt or ""),
            "response_prefix": text is None or text[: len(wanted["response_prefix"])],
            "response_chars": None if text is None else len(text),
            "gold": rollout.target,
            "rewards": dict(rollout.rewards),
            "reward_total": rollout.reward,
            "truncated": rollout.truncated,
        }
        expected[which] = {name: wanted[name] for name in found[which]} | {"prompt_prefix": True}
        if text is None:
            expected[which]["response_prefix"] = True
    return [f"{name}: {found[name]!r} != {expected[name]!r}" for name in found if found[name] != expected[name]]


def test_every_plain_file_is_read_as_its_manifest_expects(shared: Path) -> None:
    wrong = {
        entry["path"]: problems
        for entry in entries(shared)
        if entry["n_rows"] and (problems := differences(shared / "data/dumps" / entry["path"], entry))
    }
    assert wrong == {}


def test_an_empty_plain_file_is_an_error(shared: Path) -> None:
    empty = [entry["path"] for entry in entries(shared) if not entry["n_rows"]]
    assert empty
    for path in empty:
        with pytest.raises(NoUsableRowsError):
            read(shared / "data/dumps" / path)


def test_what_was_injected_into_the_files_is_warned_of(shared: Path) -> None:
    def warnings(name: str) -> dict[str, int]:
        return dict(read(shared / "data/dumps/plain" / name).summary.warnings)

    assert warnings("duplicate_ids.jsonl") == {"rewritten_rows": 1, "duplicate_ids": 1}
    assert warnings("same_prompt_two_ids.jsonl") == {"prompt_with_two_ids_and_targets": 1}
    assert warnings("rewards_odd_numbers.jsonl") == {"reward_infinite": 3, "reward_not_scalar": 2}
    assert warnings("rewards_strings.jsonl") == {"reward_not_a_number": 6}
    assert warnings("long.jsonl") == {}


def test_the_two_whole_files_are_read_to_the_last_rollout(shared: Path) -> None:
    qwen = read(shared / "data/qwen_math_cot_100.jsonl")
    assert (qwen.format, qwen.summary.group_sizes) == ("qwen_math", {8: 100})
    # 91.00 % of 800 responses are right by that project's own grader.
    assert sum(rollout.reward or 0 for group in qwen for rollout in group.rollouts) == 728
    gsm8k = read(shared / "data/gsm8k_example_model_solutions.jsonl")
    assert (gsm8k.format, gsm8k.summary.group_sizes) == ("gsm8k_solutions", {4: 1319})
    # 37.93 % of 5,276.
    assert sum(rollout.reward or 0 for group in gsm8k for rollout in group.rollouts) == 2001
