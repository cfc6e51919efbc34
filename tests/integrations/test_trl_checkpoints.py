"""A training of TRL that is stopped and resumed scales as one that was not; see test_trl.py."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

from datasets import Dataset
from trl_runs import Records, ScriptedGatedTrainer, answer_reward, config, save_policy, tokenizer_of

from rewardgate.grpo import ScaleState
from rewardgate.integrations.scale_files import FILE_NAME

pytestmark = pytest.mark.trl


def trainer(folder: Path, prompts: list[str], *, max_steps: int) -> ScriptedGatedTrainer:
    built = ScriptedGatedTrainer(
        model=str(folder / "policy"),
        reward_funcs=answer_reward,
        args=config(
            folder / "run", num_iterations=1, per_device_train_batch_size=4, gradient_accumulation_steps=1,
            max_steps=max_steps, shuffle_dataset=False, save_strategy="steps", save_steps=1,
        ),
        train_dataset=Dataset.from_list([{"prompt": prompt, "solution": "11"} for prompt in prompts]),
        processing_class=tokenizer_of(folder / "policy"),
    )  # fmt: skip
    built.records = Records()
    return built


def test_a_resumed_training_scales_by_the_mixed_groups_before_it_was_stopped(tmp_path: Path) -> None:
    save_policy(tmp_path / "policy")
    # One group a step: a mixed one, whose scale the all wrong one behind it has to take over.
    prompts = ["mixed?", "all wrong?"]
    whole = trainer(tmp_path, prompts, max_steps=2)
    whole.train()
    saved = tmp_path / "run" / "checkpoint-1"
    resumed = trainer(tmp_path, prompts, max_steps=2)
    resumed.train(resume_from_checkpoint=str(saved))
    assert json.loads((saved / FILE_NAME).read_text())["weight"] == 1.0
    assert [log["gate/scale_factor"] for log in resumed.state.log_history if "reward" in log][-1] == pytest.approx(
        whole.state.log_history[1]["gate/scale_factor"]
    )
    assert resumed.records.gated[-1]["advantages"].tolist() == whole.records.gated[-1]["advantages"].tolist()
    # Without the file, as from a training that had no gate, nothing is known yet.
    (saved / FILE_NAME).unlink()
    anew = trainer(tmp_path, prompts, max_steps=2)
    anew.train(resume_from_checkpoint=str(saved))
    assert anew._scale_state == ScaleState()
    assert anew.records.gated[-1]["advantages"].min() == -1.0  # factor 1
