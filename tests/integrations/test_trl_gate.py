"""The gate's two methods on a stand-in for TRL's trainer, so that every machine with torch tests them.

`test_trl.py` runs TRL's own trainer.
"""

import warnings
from collections import defaultdict, deque
from collections.abc import Sequence
from math import nan
from types import SimpleNamespace
from typing import Any

import pytest
from scored_steps import Broken

pytest.importorskip("accelerate", reason="NOT RUN: torch and accelerate are not installed")

import accelerate.utils
import torch
from torch import Tensor

from rewardgate.errors import ArgumentError, UnknownNameError, WorkerDiedError
from rewardgate.grpo import gate_mode
from rewardgate.integrations.trl_gate import GateMixin
from rewardgate.prm import StepRow, StepScore

PIECES = {0: b"5 * 3 = 15.\n\n", 1: b"15 - 4 = 12.\n\n", 2: b"Done."}
RIGHT_THEN_WRONG, RIGHT, WRONG = [0, 1, 2], [0, 2], [1]
PHANTOM = 0.0036  # what TRL's float32 makes of equal rewards; here, of every row


class Host:
    """TRL 1.16's trainer as far as the gate sees it: rewards that are given, one PHANTOM advantage a row."""

    def __init__(self, rewards: list[list[float]], ids: list[list[int]], *, rank: int = 0, ranks: int = 1) -> None:
        self.all_rewards = torch.tensor(rewards)  # (B of all processes, functions)
        n_rows = len(rewards) // ranks
        self.mine = slice(rank * n_rows, (rank + 1) * n_rows)
        self.ids = ids[self.mine]
        names = ["answer", "form", "length"][: self.all_rewards.shape[1]]
        self.reward_func_names = names
        self.reward_funcs = [SimpleNamespace(target="solution") for _ in names]
        self.reward_weights = torch.ones(len(names))
        self.num_generations = self.num_generations_eval = 2
        self.scale_rewards = "none"
        self.multi_objective_aggregation = "sum_then_normalize"
        self.accelerator = SimpleNamespace(process_index=rank, gather=lambda tensor: tensor)
        self.model = SimpleNamespace(training=True)
        self.processing_class = PIECES
        self.tool_mask: Tensor | None = None
        self._metrics: dict[str, dict[str, list]] = {"train": defaultdict(list)}
        self._logs = {"advantages": deque(maxlen=len(rewards))}
        self.extra: dict[str, list] = defaultdict(list)

    def _calculate_rewards(self, inputs: list, prompts: list, completions: list, completion_ids_list: list) -> Tensor:
        return self.all_rewards.clone()

    def _log_completion_extra(self, column: str, values: list) -> None:
        self.extra[column] += values

    def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
        self.seen_by_trl = self._calculate_rewards(inputs, [row["prompt"] for row in inputs], [], self.ids)
        self._logs["advantages"].extend([PHANTOM] * len(self.seen_by_trl))
        lengths = torch.tensor([len(row) for row in self.ids])
        mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
        output = {
            "completion_mask": mask,
            "advantages": torch.full((len(self.ids),), PHANTOM),
            "num_items_in_batch": mask.sum(),
        }
        return output if self.tool_mask is None else {**output, "tool_mask": self.tool_mask}


class Gated(GateMixin, Host):
    def batch(self) -> dict[str, Any]:
        inputs = [{"prompt": "How many?", "solution": 11} for _ in self.ids]
        return self._generate_and_score_completions(inputs)


class Scorer:
    """Wrong are the steps that say 12."""

    version = "1"

    def __init__(self) -> None:
        self.asked: list[StepRow] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return [[StepScore(float("12" not in step), "", "") for step in row.steps] for row in rows]


def test_equal_rewards_get_exact_zeros_and_different_ones_the_estimators_own() -> None:
    trainer = Gated([[1.0], [1.0], [1.0], [0.0]], [RIGHT] * 4)
    output = trainer.batch()
    # Unscaled: 1 - 1/2 and 0 - 1/2.
    assert output["advantages"].tolist() == [[0.0, 0.0], [0.0, 0.0], [0.5, 0.5], [-0.5, -0.5]]
    assert output["advantages"].dtype == torch.float32


def test_an_open_group_is_charged_where_a_step_is_proved_wrong() -> None:
    scorer = Scorer()
    trainer = Gated([[0.0], [0.0], [1.0], [0.0]], [RIGHT_THEN_WRONG, RIGHT, RIGHT, WRONG], step_scorer=scorer)
    output = trainer.batch()
    # As large as the mixed group's 1/2; a token behind the error is charged too.
    assert output["advantages"].tolist() == [[0, -0.5, -0.5], [0, 0, 0], [0.5, 0.5, 0], [-0.5, 0, 0]]
    assert [row.steps for row in scorer.asked] == [("5 * 3 = 15.\n\n", "15 - 4 = 12.\n\n", "Done."),
                                                   ("5 * 3 = 15.\n\n", "Done.")]  # fmt: skip
    assert [(row.prompt, row.target) for row in scorer.asked] == [("How many?", "11")] * 2


def test_rewards_for_form_neither_open_nor_close_a_group_nor_lift_a_wrong_answer() -> None:
    # All wrong, one of them well formed: TRL's sum differs, the outcomes do not.
    trainer = Gated([[0.0, 0.2], [0.0, 0.0], [1.0, 0.2], [0.0, 0.0]], [RIGHT] * 4)
    advantages = trainer.batch()["advantages"][:, 0].tolist()
    # 1.2 - 0.6 in the mixed group, where all that the user rewards counts.
    assert advantages == pytest.approx([0.0, 0.0, 0.6, -0.6])


def test_rewards_for_form_still_rank_right_answers_unless_they_are_equal() -> None:
    advantages = Gated([[1.0, 0.2], [1.0, 0.0], [1.0, 0.2], [1.0, 0.2]], [RIGHT] * 4).batch()["advantages"][:, 0]
    assert advantages.tolist() == pytest.approx([0.1, -0.1, 0.0, 0.0])
    assert advantages[2:].count_nonzero() == 0


def test_weights_of_reward_functions_are_trls() -> None:
    trainer = Gated([[1.0, 1.0], [0.0, 0.0]], [RIGHT] * 2)
    trainer.reward_weights = torch.tensor([1.0, 3.0])
    assert trainer.batch()["advantages"][:, 0].tolist() == [2.0, -2.0]  # 4 - 4/2


@pytest.mark.filterwarnings("ignore:outcome. rows without")
@pytest.mark.parametrize("unknown", [nan, float("inf")])
def test_a_row_without_an_outcome_counts_neither_for_trl_nor_in_the_loss(unknown: float) -> None:
    trainer = Gated([[1.0, 0.2], [unknown, 0.2], [0.0, 0.0], [1.0, 0.0]], [RIGHT, RIGHT_THEN_WRONG, RIGHT, RIGHT])
    output = trainer.batch()
    # TRL would sum the row's missing reward as 0: it sees a row without any.
    assert trainer.seen_by_trl[1].isnan().all()
    assert output["advantages"][:2].count_nonzero() == 0  # one scored row alone: nothing to compare with
    assert output["tool_mask"].tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert output["num_items_in_batch"] == 6
    assert trainer._metrics["train"]["gate/rows/unscored"] == [0.25]


def test_an_unknown_row_of_an_open_group_is_not_asked_about() -> None:
    scorer = Scorer()
    trainer = Gated([[0.0], [0.0], [nan]], [WRONG, RIGHT, WRONG], step_scorer=scorer)
    trainer.num_generations = 3
    assert trainer.batch()["advantages"].tolist() == [[-1, 0], [0, 0], [0, 0]]
    assert len(scorer.asked) == 2


def test_several_outcome_functions_each_judge_the_tasks_of_their_own() -> None:
    rewards = [[1.0, nan, 0.2], [0.0, nan, 0.2], [nan, 1.0, 0.2], [nan, 1.0, 0.2]]
    both = Gated(rewards, [RIGHT] * 4, outcome=["answer", "form"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert both.batch()["advantages"][:, 0].tolist() == pytest.approx([0.5, -0.5, 0.0, 0.0])
    assert both._metrics["train"]["gate/groups/all_correct"] == [0.5]
    first = Gated(rewards, [RIGHT] * 4)
    with pytest.warns(UserWarning, match="name them in outcome= too"):
        first.batch()
    assert first._metrics["train"]["gate/groups/unscorable"] == [0.5]


def test_the_outcome_may_stand_anywhere_among_the_functions() -> None:
    trainer = Gated([[0.2, 0.0], [0.1, 0.0]], [RIGHT] * 2, outcome="form")
    trainer.batch()
    assert trainer._metrics["train"]["gate/groups/all_wrong"] == [1.0]


def test_tokens_of_a_tool_get_nothing_and_its_words_prove_nothing() -> None:
    trainer = Gated([[0.0], [0.0]], [RIGHT_THEN_WRONG, RIGHT_THEN_WRONG], step_scorer=Scorer())
    trainer.tool_mask = torch.tensor([[1, 0, 1], [1, 1, 1]])
    output = trainer.batch()
    assert output["advantages"].tolist() == [[0, 0, 0], [0, -1, -1]]
    assert output["tool_mask"].tolist() == trainer.tool_mask.tolist()


def test_groups_that_lie_on_two_processes_get_what_they_get_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rewards = [[0.0]] * 4 + [[1.0], [0.0], [1.0], [1.0]]
    ids = [RIGHT_THEN_WRONG, RIGHT, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT_THEN_WRONG]
    whole: list = []
    monkeypatch.setattr(accelerate.utils, "gather_object", lambda rows: whole.extend(rows) or rows)
    # Groups of 4: each process of 4 ranks holds half of one; the first rank has three tokens a row, others fewer.
    options = {"step_scorer": Scorer(), "gate": gate_mode("mean", estimator="dr_grpo")}
    alone = Gated(rewards, ids, **options)
    alone.num_generations = 4
    expected = alone.batch()["advantages"]
    for rank in range(4):
        monkeypatch.setattr(accelerate.utils, "gather_object", lambda _: whole)
        trainer = Gated(rewards, ids, rank=rank, ranks=4, **options)
        trainer.num_generations = 4
        found = trainer.batch()["advantages"]
        assert found.tolist() == expected[2 * rank : 2 * rank + 2, : found.shape[1]].tolist()
    assert expected[:4].count_nonzero() > 0


def test_evaluation_stays_trls_own() -> None:
    scorer = Scorer()
    trainer = Gated([[0.0], [0.0]], [WRONG, RIGHT], step_scorer=scorer)
    trainer.model.training = False
    output = trainer.batch()
    assert output["advantages"].tolist() == pytest.approx([PHANTOM] * 2)
    assert "tool_mask" not in output
    assert scorer.asked == []


def test_the_table_gets_the_kind_of_each_rows_group_and_whether_it_was_opened() -> None:
    trainer = Gated([[0.0], [0.0], [1.0], [0.0], [nan], [1.0]], [WRONG] * 6, step_scorer=Scorer())
    trainer.batch()
    assert trainer.extra["gate_group"] == ["all_wrong"] * 2 + ["mixed"] * 2 + ["singleton"] * 2
    assert trainer.extra["gate_opened"] == [True] * 2 + [False] * 4


def test_in_evaluation_the_columns_of_the_table_are_as_long_and_nothing_is_opened() -> None:
    trainer = Gated([[0.0], [0.0], [0.0], [1.0]], [WRONG] * 4, step_scorer=Scorer())
    trainer.model.training, trainer.num_generations_eval = False, 1
    trainer.batch()
    assert trainer.extra == {"gate_group": ["singleton"] * 4, "gate_opened": [False] * 4}


@pytest.mark.parametrize("error", [RuntimeError("the endpoint is away"), WorkerDiedError("killed")])
def test_a_batch_whose_scorer_fails_goes_without_steps_and_says_so(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    trainer = Gated([[0.0], [0.0], [1.0], [0.0]], [WRONG] * 4, step_scorer=Broken(error))
    # The mixed group has what it has without the gate.
    assert trainer.batch()["advantages"].tolist() == [[0.0], [0.0], [0.5], [-0.5]]
    assert trainer._metrics["train"]["gate/groups/opened"] == [0.5]
    assert trainer._metrics["train"]["gate/rows/asked"] == [0.0]
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("WARNING", "step scorer: it failed, and a batch goes without steps")
    ]


def test_a_scorer_that_breaks_its_contract_ends_the_training() -> None:
    class OneTooFew(Scorer):
        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            return [answer[1:] for answer in super().score(rows)]

    with pytest.raises(ArgumentError, match="expected one score a step of row 0"):
        Gated([[0.0], [0.0]], [WRONG] * 2, step_scorer=OneTooFew()).batch()


def test_a_trainer_that_never_asks_for_rewards_is_refused() -> None:
    class Deaf(Host):
        def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
            return {}

    class Mine(GateMixin, Deaf):
        pass

    with pytest.raises(ArgumentError, match="expected rewards from _calculate_rewards"):
        Mine([[0.0]], [WRONG])._generate_and_score_completions([])


def test_the_scale_of_earlier_batches_is_kept_for_a_batch_without_a_mixed_group() -> None:
    trainer = Gated([[1.0], [0.0]], [RIGHT] * 2, step_scorer=Scorer())
    trainer.batch()
    trainer.all_rewards = torch.tensor([[0.0], [0.0]])
    trainer.ids = [WRONG, RIGHT]
    assert trainer.batch()["advantages"].tolist() == [[-0.5, 0.0], [0.0, 0.0]]


def test_the_table_of_completions_shows_the_mean_advantage_of_each_row() -> None:
    trainer = Gated([[0.0], [0.0]], [RIGHT_THEN_WRONG, RIGHT], step_scorer=Scorer())
    trainer.batch()
    assert list(trainer._logs["advantages"]) == pytest.approx([-2 / 3, 0.0])


def test_what_was_asked_and_opened_is_logged() -> None:
    trainer = Gated([[0.0], [0.0], [1.0], [1.0]], [RIGHT_THEN_WRONG, RIGHT, RIGHT, RIGHT], step_scorer=Scorer())
    trainer.batch()
    logged = trainer._metrics["train"]
    assert logged["gate/groups/opened"] == logged["gate/groups/all_wrong"] == [0.5]
    assert logged["gate/rows/asked"] == [0.5]
    assert logged["gate/opened_share"] == [5 / 9]
    assert logged["gate/gated_share"] == [2 / 9]
    assert logged["gate/groups/silent"] == logged["gate/groups/mixed"] == [0.0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"outcome": "nswer"},
            ArgumentError,
            r"outcome: expected names of reward functions \(answer, form\), got 'nsw",
        ),
        ({"outcome": []}, ArgumentError, r"outcome: expected names of reward functions \(answer, form\), got \[\]"),
        ({"step_scorer": "arithmetics"}, UnknownNameError, "step scorer: unknown name"),
        ({"gate": "rule"}, UnknownNameError, "gate mode: unknown name"),
        (
            {"gate": gate_mode("rules", estimator="ema")},
            ArgumentError,
            "gate: expected an estimator that needs no name",
        ),
    ],
)
def test_what_breaks_the_rules_is_refused_by_name(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Gated([[1.0, 0.0]], [RIGHT], **options)


def test_an_aggregation_that_has_no_sum_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Normalising(Host):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.multi_objective_aggregation = "normalize_then_sum"

    class Mine(GateMixin, Normalising):
        pass

    with pytest.raises(ArgumentError, match="multi_objective_aggregation: expected sum_then_normalize"):
        Mine([[1.0]], [RIGHT])
