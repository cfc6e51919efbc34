from pathlib import Path

from rollout_records import write_lines
from tool_dumps import verl_row

from rewardgate.rollouts import Rollout, read, read_rows


def test_rows_belong_together_by_step_and_input(tmp_path: Path) -> None:
    rows = [verl_row(prompt, "4", 1.0, request_id=f"{prompt}{number}") for number in range(2) for prompt in "ab"]
    reading = read(write_lines(tmp_path / "1.jsonl", *rows))
    assert reading.format == "verl"
    assert [[rollout.rollout_id for rollout in group.rollouts] for group in reading] == [["a0", "a1"], ["b0", "b1"]]
    assert reading.summary.notes[0].startswith("verl strips special tokens")


def test_what_the_reward_function_returned_besides_is_meta_and_may_be_chosen(tmp_path: Path) -> None:
    rows = [verl_row("a", "4", -0.5, acc=acc, pred="4", gts=["4", "4.0"]) for acc in ("True", "False")]
    path = write_lines(tmp_path / "1.jsonl", *rows)
    (group,) = read(path)
    assert (group.target, group.rollouts[0].reward, group.rollouts[0].meta) == (
        ["4", "4.0"],
        -0.5,
        {"acc": "True", "pred": "4"},
    )
    (group,) = read(path, reward_key="acc")
    assert [rollout.reward for rollout in group.rollouts] == [1.0, 0.0]


def test_the_last_output_of_a_rollout_is_its_response(tmp_path: Path) -> None:
    # uid = prompt, rollout, output: rollout 1 answered in two outputs, and its score stands in both rows.
    uids = ("q_0_0", "q_1_0", "q_1_1", "q_2_0")
    path = write_lines(tmp_path / "1.jsonl", *[verl_row("a", uid, 1.0, uid=uid) for uid in uids])
    reading = read(path)
    (group,) = reading
    assert group.group_id == "q"
    assert [rollout.response for rollout in group.rollouts] == ["q_0_0", "q_1_1", "q_2_0"]
    assert (reading.summary.n_rows, reading.summary.n_rollouts) == (4, 3)
    assert sum(isinstance(row, Rollout) for row in read_rows(path)) == 4


def test_a_plain_uid_is_the_prompts_where_it_repeats(tmp_path: Path) -> None:
    # The data set lists the prompt twice: two uids, two groups of one text.
    rows = [verl_row("a", "4", 1.0, uid=uid) for uid in ("u", "u", "v", "v")]
    assert [len(group) for group in read(write_lines(tmp_path / "1.jsonl", *rows))] == [2, 2]
    rows = [verl_row("a", "4", 1.0, uid=uid) for uid in "uvwx"]
    assert [len(group) for group in read(write_lines(tmp_path / "2.jsonl", *rows))] == [4]


def test_the_same_prompt_at_two_steps_is_two_groups_of_a_run(tmp_path: Path) -> None:
    for step in (10, 9):
        write_lines(tmp_path / f"{step}.jsonl", *[verl_row("a", "4", 1.0, step=step)] * 2)
    assert [(group.rollouts[0].step, len(group)) for group in read(tmp_path)] == [(9, 2), (10, 2)]


def test_rows_without_golds_and_with_nan_have_none(tmp_path: Path) -> None:
    rows = [verl_row("a", "4", score, gts=None) for score in (float("nan"), 1.0)]
    reading = read(write_lines(tmp_path / "1.jsonl", *rows))
    assert [(rollout.target, rollout.reward) for group in reading for rollout in group.rollouts] == [
        (None, None),
        (None, 1.0),
    ]
    assert reading.summary.warnings == {"reward_nan": 1}
