"""Rows without an outcome in TRL's real trainer: the others get what they get without them; see test_trl.py."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import torch
from trl_runs import (
    RecordingTrainer,
    Records,
    ScriptedGatedTrainer,
    answer_reward,
    config,
    dataset,
    save_policy,
    tokenizer_of,
)

pytestmark = pytest.mark.trl

RIGHT, WRONG, UNKNOWN = r"\boxed{11}", "15 - 4 = 12.\n\nSo \\boxed{12}.", "UNKNOWN"
WITHOUT = {
    "all wrong?": [WRONG, r"\boxed{9}", r"\boxed{8}"],
    "mixed?": [RIGHT, WRONG, r"\boxed{3}"],
    "all right?": [RIGHT, RIGHT, RIGHT],
    "one unknown?": [WRONG, RIGHT, RIGHT],
}
WITH = {prompt: [*texts[:1], UNKNOWN, *texts[1:]] for prompt, texts in WITHOUT.items()}


def form_reward(completions: list[str], **_: Any) -> list[float]:
    """Scores every row, those without an outcome too."""
    return [0.25 * ("So" in text) + 0.1 * (text == UNKNOWN) for text in completions]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    save_policy(folder)
    return folder


def trained(
    policy: Path,
    folder: Path,
    completions: dict[str, list[str]],
    *,
    kind: type[ScriptedGatedTrainer] = RecordingTrainer,
    **changes: Any,
) -> Any:
    n_rows = sum(map(len, completions.values()))
    trainer = kind(
        model=str(policy),
        reward_funcs=[answer_reward, form_reward],
        args=config(
            folder, num_generations=n_rows // 4, per_device_train_batch_size=n_rows, gradient_accumulation_steps=1,
            max_steps=1, **changes,
        ),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
    )  # fmt: skip
    trainer.completions, trainer.records = completions, Records()
    trainer.train()
    return trainer


def by_text(trainer: ScriptedGatedTrainer) -> dict[tuple[str, int], torch.Tensor]:
    """The token advantages of each row, by prompt and place among the scored rows of its group."""
    (batch,) = trainer.records.gated
    size = trainer.num_generations
    found = {}
    for row, prompt in enumerate(batch["prompts"]):
        texts = trainer.completions[prompt]
        if texts[row % size] != UNKNOWN:
            place = sum(text != UNKNOWN for text in texts[: row % size])
            found[prompt, place] = batch["advantages"][row][batch["completion_mask"][row].bool()]
    return found


@pytest.mark.filterwarnings("ignore:outcome. rows without")
@pytest.mark.parametrize("scale_rewards", ["group", "batch", "none"])
def test_scored_rows_get_the_advantages_of_the_group_without_the_unscored_one(
    policy: Path, tmp_path: Path, scale_rewards: str
) -> None:
    found = by_text(trained(policy, tmp_path, WITH, scale_rewards=scale_rewards))
    expected = by_text(trained(policy, tmp_path, WITHOUT, scale_rewards=scale_rewards))
    assert found.keys() == expected.keys()
    assert len(found) == 12
    for row, advantages in expected.items():
        torch.testing.assert_close(found[row], advantages, atol=1e-6, rtol=0)
    kinds = {prompt for (prompt, _), advantages in expected.items() if advantages.count_nonzero()}
    # Three right with different forms are ranked by TRL's sum; here their forms are equal.
    assert kinds == {"all wrong?", "mixed?", "one unknown?"}


@pytest.mark.filterwarnings("ignore:outcome. rows without")
@pytest.mark.parametrize(
    ("loss_type", "share"),
    [
        ("dapo", 1.0),
        ("cispo", 1.0),
        ("vespo", 1.0),
        ("bnpo", 1.0),
        # A mean over rows counts the row, with a loss of 0: 3 of 4 are left.
        ("grpo", 3 / 4),
        ("dr_grpo", 3 / 4),
        ("sapo", 3 / 4),
        ("luspo", 3 / 4),
    ],
)
def test_the_loss_is_that_without_the_row_where_it_is_a_mean_over_tokens(
    policy: Path, tmp_path: Path, loss_type: str, share: float
) -> None:
    level = "sequence" if loss_type == "luspo" else "token"
    options = {"loss_type": loss_type, "importance_sampling_level": level, "epsilon_high": 0.3, "num_iterations": 1}
    (found,), (expected,) = (
        gradients(trained(policy, tmp_path, completions, **options)) for completions in (WITH, WITHOUT)
    )
    for with_row, without_row in zip(found, expected, strict=True):
        torch.testing.assert_close(with_row, share * without_row, atol=1e-6, rtol=1e-4)


def gradients(trainer: RecordingTrainer) -> list[tuple[torch.Tensor, ...]]:
    return [micro_batch.gradient for micro_batch in trainer.records.losses]


@pytest.mark.filterwarnings("ignore:outcome. rows without")
def test_a_group_that_nothing_scored_trains_nothing(policy: Path, tmp_path: Path) -> None:
    trainer = trained(policy, tmp_path, dict.fromkeys(WITHOUT, [UNKNOWN] * 4), kind=ScriptedGatedTrainer)
    (batch,) = trainer.records.gated
    assert batch["advantages"].count_nonzero() == 0
    assert batch["tool_mask"].count_nonzero() == 0
    assert trainer.state.log_history[0]["gate/groups/unscorable"] == 1.0
    assert trainer.state.log_history[0]["grad_norm"] == 0.0
