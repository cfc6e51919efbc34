"""The gate inside TRL's real trainer: two steps on a CPU with a policy and a tokenizer made here.

Needs TRL (`pip install -e '.[trl,test]'`, done by .ci/host-trl) and skips itself elsewhere.
"""

import copy
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM
from trl_runs import (
    COMPLETIONS,
    RIGHT,
    WRONG,
    RecordingScorer,
    RecordingTrainer,
    Records,
    ScriptedTrainer,
    answer_reward,
    config,
    dataset,
    save_policy,
    tokenizer_of,
)

from rewardgate.integrations.trl import GatedGRPOTrainer, reward

pytestmark = pytest.mark.trl

WRONG_TEXTS = {  # of "all wrong?": the text from the first wrong equality on, which is to be charged
    0: WRONG + r"So \boxed{12}.",
    1: "",
    2: "",
    3: WRONG + RIGHT + r"So \boxed{12}.",
}


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    save_policy(folder)
    return folder


@dataclass
class Run:
    """One training."""

    trainer: Any
    records: Records
    scorer: RecordingScorer

    @property
    def gated(self) -> dict[str, Any]:
        return self.records.gated[0]

    @property
    def own(self) -> dict[str, Any]:
        return self.records.own[0]

    def rows(self, prompt: str) -> list[int]:
        return [row for row, asked in enumerate(self.gated["prompts"]) if asked == prompt]


@pytest.fixture(scope="module")
def run(policy: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    scorer = RecordingScorer()
    trainer = RecordingTrainer(
        model=str(policy),
        reward_funcs=answer_reward,
        args=config(tmp_path_factory.mktemp("run")),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
        step_scorer=scorer,
        target="solution",
    )
    trainer.records = Records()
    trainer.train()
    return Run(trainer, trainer.records, scorer)


def test_the_gated_loss_and_its_gradient_are_those_of_a_hand_formula(run: Run) -> None:
    assert len(run.records.losses) == 4  # 2 steps of 2 micro-batches
    for micro_batch in run.records.losses:
        assert micro_batch.loss == pytest.approx(micro_batch.hand, abs=1e-6)
        for gradient, hand in zip(micro_batch.gradient, micro_batch.hand_gradient, strict=True):
            torch.testing.assert_close(gradient.double(), hand, atol=1e-6, rtol=1e-4)
    # On the second pass over the batch the policy is another one: the ratio is not 1, and the loss not that of A.
    first, second = (sum(part.hand for part in run.records.losses[step : step + 2]) for step in (0, 2))
    assert abs(first - second) > 1e-3


def test_tokens_of_an_all_wrong_group_are_charged_from_the_first_proved_error_on_and_nowhere_else(run: Run) -> None:
    tokenizer = run.trainer.processing_class
    rows = run.rows("all wrong?")
    charged = []
    for number, row in enumerate(rows):
        advantages = run.gated["advantages"][row]
        ids = run.gated["completion_ids"][row][advantages != 0]
        assert tokenizer.decode(ids) == WRONG_TEXTS[number]
        charged += advantages[advantages != 0].tolist()
    # One penalty, as large as the root mean square over the tokens of the mixed groups: +-0.5 / (std + 1e-4) with
    # std = sqrt(1/3) for 1, 0, 1, 0; and 2/3, -1/3, -1/3 over the same std for 1, 0, 0 and one unknown.
    std = (1 / 3) ** 0.5 + 1e-4
    by_row = dict(zip(run.rows("mixed?"), [0.5, -0.5, 0.5, -0.5], strict=True))
    by_row |= dict(zip(run.rows("one unknown?"), [2 / 3, -1 / 3, 0.0, -1 / 3], strict=True))
    tokens = (run.gated["completion_mask"] * run.gated["tool_mask"]).sum(1).tolist()
    squares = sum(tokens[row] * (centred / std) ** 2 for row, centred in by_row.items())
    penalty = (squares / sum(tokens[row] for row in by_row)) ** 0.5
    assert charged == pytest.approx([-penalty] * len(charged), rel=1e-5)


def test_mixed_groups_keep_trls_own_advantages(run: Run) -> None:
    for row in run.rows("mixed?") + run.rows("one unknown?"):
        own, counted = run.own["advantages"][row], run.gated["tool_mask"][row] * run.gated["completion_mask"][row]
        torch.testing.assert_close(run.gated["advantages"][row], own * counted, atol=1e-6, rtol=1e-6)
    assert run.own["advantages"].dim() == 1


def test_an_all_right_group_gets_exact_zeros(run: Run) -> None:
    assert run.gated["advantages"][run.rows("all right?")].count_nonzero() == 0


def test_a_row_that_cannot_be_scored_counts_nowhere(run: Run) -> None:
    rows = run.rows("one unknown?")
    unknown = rows.pop(2)
    # As in a group of three: 1, 0, 0 with mean 1/3 and std sqrt(1/3).
    std = (1 / 3) ** 0.5 + 1e-4
    found = [run.gated["advantages"][row, 0].item() for row in rows]
    assert found == pytest.approx([2 / 3 / std, -1 / 3 / std, -1 / 3 / std], abs=1e-6)
    assert run.gated["advantages"][unknown].count_nonzero() == 0
    assert run.gated["tool_mask"][unknown].count_nonzero() == 0
    lengths = run.gated["completion_mask"].sum(1)
    assert run.gated["num_items_in_batch"] == lengths.sum() - lengths[unknown]


def test_the_scorer_sees_the_open_group_alone_with_its_steps_and_target(run: Run) -> None:
    assert {row.prompt for row in run.scorer.asked} == {"all wrong?"}
    assert ["".join(row.steps) for row in run.scorer.asked] == COMPLETIONS["all wrong?"]
    assert {row.target for row in run.scorer.asked} == {"11"}
    assert run.scorer.asked[0].steps == (RIGHT, WRONG, r"So \boxed{12}.")


def test_what_the_gate_did_is_logged_beside_trls_metrics(run: Run) -> None:
    logged = run.trainer.state.log_history[0]
    assert logged["gate/groups/mixed"] == 0.5
    assert logged["gate/groups/all_wrong"] == logged["gate/groups/all_correct"] == 0.25
    assert logged["gate/groups/opened"] == 0.25
    assert logged["gate/rows/asked"] == 4 / 16
    assert logged["gate/rows/unscored"] == 1 / 16
    assert logged["gate/sign_balance"] == -1.0  # only charged
    # The table of completions shows what is trained on.
    shown = torch.tensor(list(run.trainer._logs["advantages"]))
    counted = run.gated["completion_mask"] * run.gated["tool_mask"]
    expected = run.gated["advantages"].sum(1) / counted.sum(1).clamp(min=1)
    torch.testing.assert_close(shown, expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("loss_type", "scale_rewards", "std"),
    [
        ("grpo", "group", (1 / 3) ** 0.5 + 1e-4),
        ("bnpo", "none", 1.0),
        ("dr_grpo", "none", 1.0),
        # Of the 15 known outcomes 7 are 1: squared deviations sum to 7 * 8 / 15.
        ("cispo", "batch", (7 * 8 / 15 / 14) ** 0.5 + 1e-4),
    ],
)
def test_other_losses_and_scalings_of_trl_train_through_the_gate(
    policy: Path, tmp_path: Path, loss_type: str, scale_rewards: str, std: float
) -> None:
    trainer = RecordingTrainer(
        model=str(policy),
        reward_funcs=answer_reward,
        args=config(tmp_path, scale_rewards=scale_rewards, loss_type=loss_type, epsilon_high=0.2, max_steps=1),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
    )
    trainer.records = Records()
    trainer.train()
    (batch,) = trainer.records.gated
    rows = [row for row, prompt in enumerate(batch["prompts"]) if prompt == "mixed?"]
    assert batch["advantages"][rows, 0].tolist() == pytest.approx([0.5 / std, -0.5 / std] * 2, abs=1e-6)
    assert trainer.state.log_history[0]["grad_norm"] > 0


def test_a_group_of_equal_sums_moves_no_weight(policy: Path, tmp_path: Path) -> None:
    # All right and all well formed, 1 + 0.2: TRL 1.16 makes advantages of 0.0012 out of eight equal sums.
    trainer = GatedGRPOTrainer(
        model=str(policy),
        reward_funcs=[always_right, always_well_formed],
        args=config(tmp_path, num_generations=8, num_iterations=1, max_completion_length=8, max_steps=1),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
    )
    before = copy.deepcopy(trainer.model.state_dict())
    trainer.train()
    assert trainer.state.log_history[0]["reward"] == pytest.approx(1.2)
    assert trainer.state.log_history[0]["grad_norm"] == 0.0
    for name, weight in trainer.model.state_dict().items():
        torch.testing.assert_close(weight, before[name], atol=0, rtol=0)


def always_right(completions: list, **_: Any) -> list[float]:
    return [1.0] * len(completions)


def always_well_formed(completions: list, **_: Any) -> list[float]:
    return [0.2] * len(completions)


def test_sampled_completions_and_our_verifier_train_two_steps(policy: Path, tmp_path: Path) -> None:
    trainer = GatedGRPOTrainer(
        model=str(policy),
        reward_funcs=[reward("math", target="solution"), reward("format", target=None, tags=("answer",))],
        args=config(tmp_path, num_iterations=1, max_completion_length=8),
        train_dataset=Dataset.from_list(
            [{"prompt": [{"role": "user", "content": f"{n} + {n}?"}], "solution": 2 * n} for n in range(8)]
        ),
        processing_class=with_chat_template(policy),
    )
    before = copy.deepcopy(trainer.model.state_dict())
    trainer.train()
    logs = trainer.state.log_history
    # A random policy is all wrong: every group opens, and no step of it says anything that could be proved wrong.
    assert [log["gate/groups/all_wrong"] for log in logs[:2]] == [1.0, 1.0]
    assert [log["verdicts/math/unscored"] for log in logs[:2]] == [0.0, 0.0]
    assert logs[0]["rewards/math/mean"] == 0.0
    assert [log["loss"] for log in logs[:2]] == [0.0, 0.0]
    for name, weight in trainer.model.state_dict().items():
        torch.testing.assert_close(weight, before[name], atol=0, rtol=0)


def with_chat_template(policy: Path) -> Any:
    tokenizer = tokenizer_of(policy)
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    return tokenizer


def test_an_async_reward_of_ours_is_awaited_by_trl(policy: Path, tmp_path: Path) -> None:
    trainer = ScriptedTrainer(
        model=AutoModelForCausalLM.from_pretrained(policy),
        reward_funcs=reward("math", is_async=True),
        args=config(tmp_path, num_iterations=1, max_steps=1),
        train_dataset=dataset(),
        processing_class=tokenizer_of(policy),
    )
    trainer.records = Records()
    trainer.train()
    # 1 for: mixed 2 of 4, all right 4 of 4, one unknown 1 of 4; UNKNOWN has no answer, which is 0 to a verifier.
    assert trainer.state.log_history[0]["rewards/math/mean"] == 7 / 16
