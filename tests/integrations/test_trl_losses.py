"""Every loss type of TRL on token advantages, in its real trainer, against a float64 formula; see test_trl.py."""

from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import torch
from trl import GRPOConfig
from trl_losses import LOSS_TYPES
from trl_runs import RecordingTrainer, Records, answer_reward, config, dataset, save_policy, tokenizer_of

pytestmark = pytest.mark.trl


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    save_policy(folder)
    return folder


def trained(policy: Path, folder: Path, **changes: object) -> RecordingTrainer:
    trainer = RecordingTrainer(
        model=str(policy),
        reward_funcs=answer_reward,
        args=config(folder, epsilon_high=0.3, **changes),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
    )
    trainer.records = Records()
    trainer.train()
    return trainer


def test_these_are_all_loss_types_that_trl_names() -> None:
    said = GRPOConfig.__dataclass_fields__["loss_type"].metadata["help"]
    listed = said[said.index("Supported values are") : said.index("'grpo': ")]
    assert {name.strip("'., ") for name in listed.replace(" and ", " ").split() if name.startswith("'")} == {
        *LOSS_TYPES
    }


@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_a_loss_and_its_gradient_are_those_of_its_formula_on_and_off_policy(
    policy: Path, tmp_path: Path, loss_type: str
) -> None:
    level = "sequence" if loss_type == "luspo" else "token"  # as TRL says that it is meant
    # Two micro-batches a step, two steps on one batch: in the second the ratios are not 1.
    trainer = trained(policy, tmp_path, loss_type=loss_type, importance_sampling_level=level)
    assert len(trainer.records.losses) == 4
    (batch,) = trainer.records.gated
    assert batch["advantages"].dim() == 2
    for micro_batch in trainer.records.losses:
        assert micro_batch.loss == pytest.approx(micro_batch.hand, abs=2e-6, rel=2e-6)
        for gradient, hand in zip(micro_batch.gradient, micro_batch.hand_gradient, strict=True):
            torch.testing.assert_close(gradient.double(), hand, atol=2e-6, rtol=2e-4)
    first, second = (sum(part.hand for part in trainer.records.losses[step : step + 2]) for step in (0, 2))
    assert abs(first - second) > 1e-4


def test_sequence_ratios_take_token_advantages_too(policy: Path, tmp_path: Path) -> None:
    trainer = trained(policy, tmp_path, loss_type="grpo", importance_sampling_level="sequence")
    for micro_batch in trainer.records.losses:
        assert micro_batch.loss == pytest.approx(micro_batch.hand, abs=2e-6)


def test_one_generated_batch_may_feed_several_steps_of_several_micro_batches(policy: Path, tmp_path: Path) -> None:
    # 16 rows: micro-batches of 4, two of them a step, so that a batch lasts two steps, and is gone over twice.
    trainer = trained(
        policy, tmp_path, per_device_train_batch_size=4, gradient_accumulation_steps=2, steps_per_generation=4,
        num_iterations=2, max_steps=5,
    )  # fmt: skip
    assert len(trainer.records.losses) == 10
    assert len(trainer.records.gated) == 2  # for steps 1 to 4, and for step 5
    for micro_batch in trainer.records.losses:
        assert micro_batch.loss == pytest.approx(micro_batch.hand, abs=2e-6)
    # The running scale is that of two batches, not of five steps: weights 1 and 0.9.
    assert trainer._scale_state.weight == pytest.approx(1.9)
