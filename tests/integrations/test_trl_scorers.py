"""Step scorers of every kind in TRL's real trainer; see test_trl.py."""

from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

from tiny_prms import save_tiny_prm
from trl_runs import (
    Records,
    ScriptedGatedTrainer,
    answer_reward,
    config,
    dataset,
    save_policy,
    tokenizer_of,
)

import rewardgate.prm as prm
from rewardgate.prm import StepScorer

pytestmark = pytest.mark.trl


def trained(folder: Path, *, step_scorer: str | StepScorer, gate: str) -> ScriptedGatedTrainer:
    save_policy(folder / "policy")
    trainer = ScriptedGatedTrainer(
        model=str(folder / "policy"),
        reward_funcs=answer_reward,
        args=config(folder / "run", num_iterations=1, max_steps=1),
        train_dataset=dataset(),
        processing_class=tokenizer_of(folder / "policy"),
        step_scorer=step_scorer,
        gate=gate,
        target="solution",
    )
    trainer.records = Records()
    trainer.train()
    return trainer


@pytest.mark.parametrize("name", ["expression_chain", "final_consistency", "milestones", "program_state"])
def test_rules_by_name(tmp_path: Path, name: str) -> None:
    logged = trained(tmp_path, step_scorer=name, gate="rules").state.log_history[0]
    assert logged["gate/rows/asked"] == 4 / 16
    assert logged["gate/groups/opened"] == 0.25


def test_a_learned_scorer_beside_the_policy_under_a_veto_of_rules(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path / "prm", "qwen")
    scorer = prm.get("veto", rules=["arithmetic"], model=prm.get("hf", model=str(tmp_path / "prm"), device="cpu"))
    trainer = trained(tmp_path, step_scorer=scorer, gate="local")
    (batch,) = trainer.records.gated
    logged = trainer.state.log_history[0]
    assert logged["gate/coverage"] == 1.0  # a model has something to say of every step
    rows = [row for row, prompt in enumerate(batch["prompts"]) if prompt == "all wrong?"]
    # Credit is centred: some steps are paid, others charged.
    assert batch["advantages"][rows].min() < 0 < batch["advantages"][rows].max()
