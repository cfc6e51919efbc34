import shutil
from pathlib import Path
from typing import Any

import pytest
from tool_dumps import Row, trl_row, write_completions, write_state

from rewardgate.errors import InputError
from rewardgate.rollouts import Reading, Rollout, read


def rollouts_of(reading: Reading) -> list[Rollout]:
    return [rollout for group in reading for rollout in group.rollouts]


# Rewards 1, 0, 0, 0: mean 1/4, deviation over G - 1 = 1/2, so that the advantages are 3/2 and three times -1/2.
ONE_OF_FOUR = (1.5, -0.5, -0.5, -0.5)


def group(prompt: str, *, step: int = 1, gold: str = "4", **columns: Any) -> list[Row]:
    return [
        trl_row(prompt, f"{prompt} {number}", advantage, step=step, right=float(advantage > 0), **columns, gold=gold)
        for number, advantage in enumerate(ONE_OF_FOUR)
    ]


def test_rows_of_one_prompt_are_a_group_with_gold_reward_and_advantage(tmp_path: Path) -> None:
    reading = read(write_completions(tmp_path, 3, [*group("a", step=3), *group("b", step=3)]))
    assert (reading.format, reading.fields["rewards"], reading.fields["target"]) == ("trl", "right", "gold")
    first, second = reading
    assert [len(first), len(second), first.rollouts[0].step] == [4, 4, 3]
    assert [rollout.reward for rollout in first.rollouts] == [1.0, 0.0, 0.0, 0.0]
    assert (first.target, first.rollouts[0].response, first.rollouts[0].meta["advantage"]) == ("4", "a 0", 1.5)
    assert "G = 4 is worked out" in reading.summary.notes[0]


def test_the_target_that_our_reward_functions_log_is_the_gold_where_there_is_no_other(tmp_path: Path) -> None:
    rows = group("a")
    for number, row in enumerate(rows):
        row |= {"math_extracted": str(number), "math_target": row.pop("gold")}
    reading = read(write_completions(tmp_path, 1, rows))
    assert reading.fields["target"] == "math_target"
    assert [one.target for one in reading] == ["4"]


def test_the_advantages_of_opened_groups_say_nothing_of_sizes_and_weights(tmp_path: Path) -> None:
    # Of "b" the gate charged two rows for their steps: no weights of right and neat explain that.
    gated = [
        {**row, "right": 0.0, "advantage": value} for row, value in zip(group("b"), (-1.5, -0.5, 0, 0), strict=True)
    ]
    rows = [
        {**row, "neat": 0.25 * (number == 2), "gate_opened": is_opened}
        for is_opened, whole in ((False, group("a")), (True, gated))
        for number, row in enumerate(whole)
    ]
    # TRL's advantages of 1, 0, 1/4, 0: mean 5/16 and deviation sqrt((11^2 + 5^2 + 1 + 5^2) / 3) / 16.
    deviation = (172 / 3) ** 0.5 / 16
    for row, shared in zip(rows, (1.0, 0.0, 0.25, 0.0), strict=False):
        row["advantage"] = (shared - 5 / 16) / deviation
    rows = [
        {
            name: row[name]
            for name in ("step", "prompt", "completion", "right", "neat", "gate_opened", "gold", "advantage")
        }
        for row in rows
    ]
    reading = read(write_completions(tmp_path, 1, rows))
    found = rollouts_of(reading)
    assert reading.summary.group_sizes == {4: 2}
    assert [rollout.reward for rollout in found] == [1.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.25, 0.0]
    assert any("weights from the advantages" in note for note in reading.summary.notes)


def test_messages_are_prompts_and_plain_responses(tmp_path: Path) -> None:
    asked, said = [{"role": "user", "content": "a"}], [{"role": "assistant", "content": "4"}]
    rows = [{**row, "prompt": asked, "completion": said} for row in group("a")]
    (one,) = read(write_completions(tmp_path, 1, rows))
    assert (one.prompt, one.rollouts[0].response) == (asked, "4")


def test_a_prompt_that_the_data_set_lists_twice_is_two_groups(tmp_path: Path) -> None:
    reading = read(write_completions(tmp_path, 1, [*group("a"), *group("a")]))
    # Over all eight rows the deviation of the advantages is .93, over each four it is 1.
    assert reading.summary.group_sizes == {4: 2}
    assert len({one.group_id for one in reading}) == 2


def test_a_reward_that_was_not_given_is_unknown_and_no_part_of_the_sum(tmp_path: Path) -> None:
    # TRL sums what was given: 0.5 in three rows, so that no advantage differs from 0.
    rows = [{**row, "advantage": 0.0} for row in group("a", neat=0.5)]
    rows[0]["right"] = rows[1]["right"] = rows[1]["neat"] = None
    found = rollouts_of(read(write_completions(tmp_path, 1, rows)))
    assert [rollout.rewards["right"] for rollout in found] == [None, None, 0.0, 0.0]
    assert [rollout.reward for rollout in found] == [0.5, None, 0.5, 0.5]


def test_the_state_names_the_rewards_and_gives_the_curves(tmp_path: Path) -> None:
    logged = {"step": 1, "reward": 0.25, "rewards/right/mean": 0.25, "kl": 0.01, "entropy": 2.0, "eval_reward": 0.5}
    write_state(tmp_path, logged)
    reading = read(write_completions(tmp_path, 1, group("a", chars=7.0)))
    assert reading.fields["rewards"] == "right"
    assert reading.step_metrics[1]["kl"] == 0.01
    assert any("evaluations at 1 steps (first: 1) overwrite" in note for note in reading.summary.notes)


def test_the_state_of_the_last_checkpoint_stands_in_for_the_runs(tmp_path: Path) -> None:
    for number in (9, 10):
        write_state(tmp_path / f"checkpoint-{number}", {"step": number, "kl": number / 100})
    assert read(write_completions(tmp_path, 1, group("a"))).step_metrics == {10: {"kl": 0.1}}


def test_a_state_that_cannot_be_read_is_told_and_done_without(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text('{"log_history": 3')
    reading = read(write_completions(tmp_path, 1, group("a")))
    assert any("read without it" in note for note in reading.summary.notes)
    assert reading.summary.n_groups == 1


def test_without_a_state_a_column_that_no_advantage_shows_is_no_reward(tmp_path: Path) -> None:
    rows = [{**row, "chars": float(number)} for number, row in enumerate(group("a"))]
    names = ("step", "prompt", "completion", "right", "chars", "gold", "advantage")
    path = write_completions(tmp_path, 1, [{name: row[name] for name in names} for row in rows])
    reading = read(path)
    assert reading.fields["rewards"] == "right"
    assert [rollout.meta["chars"] for rollout in rollouts_of(reading)] == [0.0, 1.0, 2.0, 3.0]


def test_weights_come_from_the_steps_of_the_state(tmp_path: Path) -> None:
    # reward = 1 right + 0.5 neat at three steps, which two weights cannot fit by chance.
    means = [(0.25, 0.5), (0.75, 0.5), (0.5, 0.0)]
    steps = [
        {"step": step, "reward": right + neat / 2, "rewards/right/mean": right, "rewards/neat/mean": neat}
        for step, (right, neat) in enumerate(means, start=1)
    ]
    write_state(tmp_path, *steps)
    reading = read(write_completions(tmp_path, 1, group("a", neat=1.0)))
    assert [rollout.reward for rollout in rollouts_of(reading)] == [1.5, 0.5, 0.5, 0.5]
    assert any("1 right + 0.5 neat; weights from trainer_state.json" in note for note in reading.summary.notes)


def test_a_batch_that_was_trained_on_twice_counts_once_in_the_folder_of_its_run(tmp_path: Path) -> None:
    for step in (1, 2):  # steps_per_generation = 2: the same rollouts under the next step
        write_completions(tmp_path, step, group("a", step=step))
    write_completions(tmp_path, 3, group("b", step=3))
    summary = read(tmp_path).summary
    assert (summary.n_rows, summary.n_rollouts, summary.n_groups) == (12, 8, 2)
    assert any(note.startswith("4 rows repeat the batch of the step before") for note in summary.notes)


def test_step_10_is_read_after_step_9(tmp_path: Path) -> None:
    for step in (10, 9):
        write_completions(tmp_path, step, group(f"p{step}", step=step))
    assert [rollout.step for rollout in rollouts_of(read(tmp_path))] == [9] * 4 + [10] * 4


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    first = write_completions(tmp_path / "a", 1, group("a"))
    (tmp_path / "b/completions").mkdir(parents=True)
    shutil.copy(first, tmp_path / "b/completions")
    with pytest.raises(InputError, match="expected completions of one run, got 2 folders"):
        read(tmp_path)


def test_the_reward_may_be_chosen_by_its_name(tmp_path: Path) -> None:
    path = write_completions(tmp_path, 1, group("a", neat=1.0))
    reading = read(path, reward_key="neat")
    assert reading.format == "trl"
    assert [rollout.reward for rollout in rollouts_of(reading)] == [1.0] * 4
    with pytest.raises(ValueError, match='expected a reward of the file, got "tidy"; rewards: right, neat'):
        read(path, reward_key="tidy")


def test_a_table_with_ids_is_not_trls(tmp_path: Path) -> None:
    rows = [{**row, "problem_id": 7, "sample_id": number} for number, row in enumerate(group("a"))]
    assert read(write_completions(tmp_path, 1, rows)).format == "columns"
