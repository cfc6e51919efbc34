import json
from pathlib import Path
from typing import Any

import pytest

from rewardgate.errors import NoUsableRowsError
from rewardgate.rollouts import read
from rewardgate.rollouts.sidecars import sidecar_hint


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"log_history": [{"step": 1, "reward": 0.5}], "global_step": 1}, "the trainer's state: curves"),
        ({"env_id": "sums", "model": "m", "num_examples": 2, "rollouts_per_example": 4}, "give results.jsonl"),
        ({"results": {}, "configs": {}, "versions": {}}, "give samples_"),
        ({"task_key": "k", "valid": True, "reason": "valid", "noop": {"reward": 0.0}}, "checks of golds"),
        ({"step": 1, "reward": 0.5, "kl": None}, "curves: numbers a step"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_without_rollouts_is_told_apart_from_an_empty_one(
    tmp_path: Path, content: dict[str, Any], words: str, indent: int | None
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(content, indent=indent) + "\n")
    with pytest.raises(NoUsableRowsError, match=f"expected rollouts, got .*{words}"):
        read(path)


def test_rewards_of_named_prompts_are_no_curve() -> None:
    assert sidecar_hint([{"step": 1, "prompt_id": 3, "reward": 0.5}]) is None
    assert sidecar_hint([]) is None
