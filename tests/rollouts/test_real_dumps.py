"""Every file that others prepared or their tools wrote, against what its manifest expects of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import InputError, NoUsableRowsError
from rewardgate.rollouts import Rollout, completion_text, prompt_text, read, read_rows


def manifest(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "data/dumps/manifest.json").read_text())


def entries(shared: Path, *, begins: str = "", sidecars: bool = False) -> list[dict[str, Any]]:
    found = [entry for entry in manifest(shared)["files"] if entry["path"].startswith(begins)]
    return [entry for entry in found if (entry["format"] == "sidecar") == sidecars]


def about(rollout: Rollout, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of one rollout, as the reader has it; rewards beyond its own (a total) are not asked."""
    text = None if rollout.response is None else completion_text(rollout.response)
    return {
        "prompt_prefix": (wanted["prompt_prefix"] or "") in prompt_text(rollout.prompt or ""),
        "response_prefix": None if text is None else text[: len(wanted["response_prefix"] or "")],
        "response_chars": None if text is None else len(text),
        "gold": rollout.target,
        "rewards": {name: rollout.rewards.get(name) for name in wanted["rewards"]},
        "reward_total": rollout.reward,
        "truncated": rollout.truncated,
    }


def differences(path: Path, entry: dict[str, Any]) -> list[str]:
    """What `path` says otherwise than its manifest entry."""
    reading = read(path)
    groups = list(reading)
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    refusals = reading.summary.refusals
    n_broken = sum(refusal.field == "row" for refusal in refusals)
    found: dict[str, Any] = {
        "group_sizes": [len(group) for group in groups],
        "n_groups": reading.summary.n_groups,
        "n_rollouts": reading.summary.n_rollouts,
        "n_rows": reading.summary.n_rows - n_broken,
        "bad_lines": n_broken,
        "reward_null": {
            name: sum(rollout.rewards.get(name) is None for rollout in rollouts)
            for name in entry["counts"]["reward_null"]
        },
        "reward_total_null": sum(rollout.reward is None for rollout in rollouts),
        "gold_null": sum(rollout.target is None for rollout in rollouts),
        "response_null": sum(rollout.response is None for rollout in rollouts),
        "truncated_true": sum(rollout.truncated is True for rollout in rollouts),
        "truncated_unknown": sum(rollout.truncated is None for rollout in rollouts),
    }
    expected = {name: entry[name] for name in ("group_sizes", "n_groups", "n_rollouts", "n_rows")} | entry["counts"]
    expected["bad_lines"] = entry.get("bad_lines", 0) + entry.get("partial_rows", 0)
    if not entry["path"].startswith("inspect/"):  # whose first and last are those of the groups
        rollouts.sort(key=lambda rollout: (rollout.source.line, rollout.source.index) if rollout.source else (0, 0))
    for which, rollout in (("first", rollouts[0]), ("last", rollouts[-1])):
        wanted = entry["expected"][which]
        found[which] = about(rollout, wanted)
        expected[which] = {name: wanted[name] for name in found[which]} | {"prompt_prefix": True}
    return [f"{name}: {found[name]!r} != {expected[name]!r}" for name in found if not same(found[name], expected[name])]


def same(found: Any, expected: Any) -> bool:
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in found)
    if isinstance(found, float) and isinstance(expected, int | float):
        return found == pytest.approx(expected, abs=1e-9)
    return found == expected


FOLDERS = ("plain/", "trl/", "verl/", "prime_rl/", "verifiers_", "lm_eval/", "inspect/")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_read_as_its_manifest_expects(shared: Path, folder: str) -> None:
    found = [entry for entry in entries(shared, begins=folder) if entry["n_rows"]]
    assert found
    wrong = {
        entry["path"]: problems
        for entry in found
        if (problems := differences(shared / "data/dumps" / entry["path"], entry))
    }
    assert wrong == {}


def test_no_folder_of_the_manifest_is_left_out(shared: Path) -> None:
    assert not [entry["path"] for entry in entries(shared) if not entry["path"].startswith(FOLDERS)]


def test_files_beside_rollouts_are_refused_with_a_hint(shared: Path) -> None:
    found = entries(shared, sidecars=True)
    assert found
    for entry in found:
        with pytest.raises(InputError, match=r"; give |a log-likelihood task has no responses"):
            read(shared / "data/dumps" / entry["path"])


def test_the_folder_of_a_run_is_read_as_the_manifest_expects(shared: Path) -> None:
    for entry in manifest(shared)["sets"]:
        # The whole run of prime-rl: that only `train/all` counts is for the reader to know.
        summary = read(shared / "data/dumps" / entry["path"].replace("*/train/all/", "")).summary
        assert (entry["path"], summary.n_rows, summary.n_rollouts) == (
            entry["path"],
            entry["n_rows"],
            entry["n_rollouts"],
        )
        if "group_sizes" in entry:
            assert [size for size, count in summary.group_sizes.items() for _ in range(count)] == entry["group_sizes"]


def test_rows_of_every_file_come_in_its_order(shared: Path) -> None:
    for entry in entries(shared):
        if entry["n_rows"]:
            rows = read_rows(shared / "data/dumps" / entry["path"])
            lines = [row.source.line for row in rows if isinstance(row, Rollout) and row.source]
            assert lines == sorted(lines)
            assert len(lines) >= entry["n_rollouts"]  # a rollout that several rows speak of comes once a row


def test_an_empty_plain_file_is_an_error(shared: Path) -> None:
    empty = [entry["path"] for entry in entries(shared, begins="plain/") if not entry["n_rows"]]
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
