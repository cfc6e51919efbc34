from collections.abc import Sequence

import numpy as np
import pytest
import torch

from rewardgate.diagnostics import GroupKind
from rewardgate.errors import ArgumentError
from rewardgate.grpo import ScaleState, gate_mode, group_advantages
from rewardgate.pipeline import advantage_rows, iter_token_advantages, token_advantages
from rewardgate.prm import StepRow, StepScore
from rewardgate.rollouts import Group, Rollout
from rewardgate.rollouts.writing import ADVANTAGE_FIELDS

RIGHT = "3 * 4 = 12\n\n12 + 1 = 13"
WRONG_STEP = "3 * 4 = 11\n\n11 + 1 = 12"
RIGHT_STEPS = "3 * 4 = 12\n\n12 + 2 = 14"


class Recorder:
    """Scores a step 0 where it holds "11" and 1 elsewhere, and keeps what it was asked."""

    version = "1"

    def __init__(self) -> None:
        self.asked: list[StepRow] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return [[StepScore(0.0 if "11" in step else 1.0, "holds_11", "") for step in row.steps] for row in rows]


class Characters:
    """A tokenizer whose ids are code points; read back through a mapping of ids to bytes."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return [ord(character) for character in text]


class ByteTable(dict[int, bytes], Characters):
    pass


TOKENIZER = ByteTable({code: chr(code).encode() for code in range(128)})


def group(name: str, *rows: tuple[str | None, float | None]) -> Group:
    return Group(
        group_id=name,
        rollouts=tuple(
            Rollout(prompt_id=name, prompt="How many?", response=text, target="13", rewards={"reward": reward})
            for text, reward in rows
        ),
    )


ALL_WRONG = group("wrong", (WRONG_STEP, 0.0), (RIGHT_STEPS, 0.0))
MIXED = group("mixed", (RIGHT, 1.0), (WRONG_STEP, 0.0), (RIGHT_STEPS, 0.0))
ALL_RIGHT = group("right", (RIGHT, 1.0), (RIGHT, 1.0))


def test_the_scorer_is_asked_about_open_groups_only() -> None:
    scorer = Recorder()
    result = token_advantages([MIXED, ALL_WRONG, ALL_RIGHT], None, scorer)
    assert [row.steps for row in scorer.asked] == [
        ("3 * 4 = 11\n\n", "11 + 1 = 12"),
        ("3 * 4 = 12\n\n", "12 + 2 = 14"),
    ]
    assert (scorer.asked[0].prompt, scorer.asked[0].target) == ("How many?", "13")
    assert result.n_asked == 2
    assert [scores is not None for scores in result.step_scores] == [False, False, False, True, True, False, False]


def test_a_batch_without_an_open_group_never_calls_the_scorer() -> None:
    class Refuses:
        version = "1"

        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            raise AssertionError("called")

    assert token_advantages([MIXED, ALL_RIGHT], None, Refuses()).n_asked == 0


def test_mixed_groups_get_the_estimator_bit_for_bit() -> None:
    result = token_advantages([ALL_WRONG, MIXED], None, Recorder(), tokenizer=TOKENIZER)
    expected = group_advantages(result.outcome_rewards, result.group_ids)
    for row in (2, 3, 4):
        counted = result.advantages[row][result.completion_mask[row]]
        assert torch.equal(counted, expected[row].expand_as(counted))


def test_without_a_scorer_every_group_gets_the_estimator_bit_for_bit() -> None:
    batch = [ALL_WRONG, MIXED, ALL_RIGHT]
    result = token_advantages(batch, None, None, gate_mode("rules", estimator="sign"), TOKENIZER)
    expected = group_advantages(result.outcome_rewards, result.group_ids, estimator="sign")
    assert torch.equal(result.advantages, torch.where(result.completion_mask, expected[:, None], 0.0))
    assert result.completion_mask.sum(1).tolist() == [len(row.response or "") for row in result.rollouts]
    assert (result.n_asked, result.gated.report.opened, result.steps) == (0, {}, ((),) * 7)
    by_step = token_advantages(batch, None, None)
    assert by_step.completion_mask.sum(1).tolist() == [2] * 7


def test_the_estimator_compares_other_rewards_than_the_outcome() -> None:
    # Dr. GRPO of the rewards 1, 0.5, 0: their mean is 0.5. The outcomes 1, 0, 0 alone would give 2/3, -1/3, -1/3.
    rewards = torch.tensor([1.0, 0.5, 0.0], dtype=torch.float64)
    config = gate_mode("rules", estimator="dr_grpo")
    result = token_advantages([MIXED], None, None, config, TOKENIZER, rewards=rewards)
    assert result.advantages[:, 0].tolist() == [0.5, 0.0, -0.5]


def test_only_tokens_from_the_first_wrong_step_on_are_charged() -> None:
    text = "4 + 5 = 9\n\n3 * 4 = 11\n\n9 + 1 = 10"
    result = token_advantages([group("p", (text, 0.0), (RIGHT_STEPS, 0.0))], None, Recorder(), tokenizer=TOKENIZER)
    wrong_from = text.index("3 * 4")
    advantages = result.advantages[0]
    assert torch.all(advantages[:wrong_from] == 0)
    assert torch.all(advantages[wrong_from : len(text)] < 0)
    assert torch.all(result.advantages[1] == 0)


def test_a_rollout_without_an_outcome_is_not_scored_and_moves_nobody() -> None:
    with_unknown = group("wrong", (WRONG_STEP, 0.0), (RIGHT_STEPS, 0.0), (WRONG_STEP, None), (None, None))
    scorer = Recorder()
    result = token_advantages([with_unknown], None, scorer)
    alone = token_advantages([ALL_WRONG], None, Recorder())
    assert len(scorer.asked) == 2
    assert torch.equal(result.advantages[:2], alone.advantages)
    assert torch.all(result.advantages[2:] == 0)
    assert result.completion_mask.sum(1).tolist() == [2, 2, 2, 0]


def test_verdicts_replace_the_logged_rewards() -> None:
    class Says:
        version = "1"

        def verify(self, completion, target, *, prompt=None):
            from rewardgate.verifiers import Outcome, Verdict

            right = "13" in completion
            return Verdict(Outcome.CORRECT if right else Outcome.INCORRECT, float(right))

    logged_wrong = group("p", (RIGHT, 0.0), (WRONG_STEP, 0.0))
    result = token_advantages([logged_wrong], Says(), Recorder())
    assert result.outcome_rewards.tolist() == [1.0, 0.0]
    assert result.kinds.kinds == (GroupKind.MIXED,)
    assert result.verdicts is not None


def test_logged_ids_are_used_as_they_are() -> None:
    rollout = ALL_WRONG.rollouts[0]
    ids = np.array([*map(ord, WRONG_STEP), 200])  # 200 is beyond the vocabulary: a special token
    with_ids = Group(
        group_id="p",
        rollouts=(
            rollout.model_copy(update={"token_ids": ids, "prompt_id": "p"}),
            ALL_WRONG.rollouts[1].model_copy(update={"prompt_id": "p"}),
        ),
    )
    result = token_advantages([with_ids], None, Recorder(), tokenizer=TOKENIZER)
    assert result.token_ids is not None
    assert result.token_ids[0] == ids.tolist()
    assert result.step_ids[0][len(ids) - 1] == -1
    assert result.completion_mask[0].sum() == len(ids)


def test_tokens_that_do_not_fit_their_text_get_no_step_score_and_cost_no_other_row() -> None:
    strange = ALL_WRONG.rollouts[0].model_copy(update={"token_ids": np.array([65, 66])})
    scorer = Recorder()
    result = token_advantages(
        [Group(group_id="wrong", rollouts=(strange, *ALL_WRONG.rollouts))], None, scorer, tokenizer=TOKENIZER
    )
    assert len(scorer.asked) == 2
    assert result.misfits[0].startswith("pieces: expected the UTF-8 of the text")
    assert result.step_ids[0].max() == -1
    assert torch.all(result.advantages[0] == 0)
    assert torch.any(result.advantages[1] < 0)
    row, *others = advantage_rows(result)
    assert row["misfit"] == result.misfits[0]
    assert [other["misfit"] for other in others] == [None, None]


def test_half_an_emoji_is_a_misfit_and_no_error() -> None:
    cut = group("p", ("\ud83d 3 * 4 = 11", 0.0), (RIGHT_STEPS, 0.0))
    assert 0 in token_advantages([cut], None, Recorder(), tokenizer=TOKENIZER).misfits


def test_texts_without_a_character_have_no_token() -> None:
    result = token_advantages([group("p", ("", 0.0), (None, 0.0))], None, Recorder(), tokenizer=TOKENIZER)
    assert result.advantages.shape == (2, 0)


def test_names_stand_for_what_is_registered_under_them() -> None:
    result = token_advantages([ALL_WRONG], "math", "arithmetic", "errors")
    assert result.verdicts is not None
    assert result.n_asked == 2


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "one list of scores a row"),
        ([[StepScore(1.0, "", "")], [StepScore(1.0, "", "")]], "one score a step of row 0"),
        ([[StepScore(1.5, "", "")] * 2, [StepScore(1.0, "", "")] * 2], r"in \[0, 1\] or None, got 1.5"),
        ([[StepScore(float("nan"), "", "")] * 2, [StepScore(1.0, "", "")] * 2], "got nan"),
    ],
)
def test_a_scorer_that_breaks_its_contract_is_named(answers: list[list[StepScore]], message: str) -> None:
    class Says:
        version = "1"

        def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
            return answers

    with pytest.raises(ArgumentError, match=message):
        token_advantages([ALL_WRONG], None, Says())


def test_no_group_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="groups: expected at least one, got 0"):
        token_advantages([], None, Recorder())


def test_the_scale_of_the_last_batch_carries_over_to_one_without_a_mixed_group() -> None:
    first = token_advantages([MIXED], None, Recorder())
    state = first.gated.scale_state
    second = token_advantages([ALL_WRONG], None, Recorder(), scale_state=state)
    assert second.gated.report.scale_source == "running"
    assert token_advantages([ALL_WRONG], None, Recorder(), scale_state=ScaleState()).gated.report.scale_source == (
        "unknown"
    )


def test_the_mode_of_the_gate_is_the_callers() -> None:
    everywhere = token_advantages(
        [ALL_RIGHT], None, Recorder(), gate_mode("verigate", open_on=("all_correct",)), split="lines"
    )
    assert everywhere.n_asked == 2


def test_rows_hold_what_was_decided_for_each_rollout() -> None:
    result = token_advantages([ALL_WRONG, MIXED], None, Recorder(), tokenizer=TOKENIZER)
    rows = list(advantage_rows(result, first_row=10))
    assert [tuple(row) for row in rows] == [ADVANTAGE_FIELDS] * 5
    assert [row["row"] for row in rows] == [10, 11, 12, 13, 14]
    assert [row["kind"] for row in rows] == ["all_wrong"] * 2 + ["mixed"] * 3
    for row, rollout in zip(rows, result.rollouts, strict=True):
        assert row["unit"] == "token"
        assert len(row["advantages"]) == len(row["step_ids"]) == len(row["token_ids"]) == len(rollout.response or "")
        assert row["steps"][-1]["end"] == len(rollout.response or "")
    assert [step["score"] for step in rows[0]["steps"]] == [0.0, 0.0]
    assert [step["score"] for step in rows[2]["steps"]] == [None, None]


def test_without_a_tokenizer_there_is_one_advantage_a_step() -> None:
    rows = list(advantage_rows(token_advantages([ALL_WRONG], None, Recorder())))
    assert rows[0]["unit"] == "step"
    assert rows[0]["token_ids"] is None
    assert rows[0]["step_ids"] == [0, 1]


def test_batches_hand_on_the_scale() -> None:
    results = list(iter_token_advantages([MIXED, ALL_WRONG, ALL_WRONG], None, Recorder(), batch_groups=1))
    assert [result.gated.report.scale_source for result in results] == ["batch", "running", "running"]


def test_a_batch_of_no_group_is_refused() -> None:
    with pytest.raises(ArgumentError, match="batch_groups: expected at least 1, got 0"):
        next(iter_token_advantages([MIXED], None, Recorder(), batch_groups=0))
