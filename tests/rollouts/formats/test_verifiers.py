from pathlib import Path

from rollout_records import write_lines
from tool_dumps import results_row

from rewardgate.rollouts import read

# reward = 1 correct + 0.2 fmt; the length has no weight.
ROWS = [
    results_row(2, "\\boxed{4}", 1.2, correct=1.0, fmt=1.0, n_chars=9.0, num_turns=1.0),
    results_row(2, "4", 1.0, correct=1.0, fmt=0.0, n_chars=1.0, num_turns=1.0),
    results_row(3, "\\boxed{6}", 0.2, correct=0.0, fmt=1.0, n_chars=9.0, num_turns=1.0),
    results_row(3, "I do not know", 0.0, correct=0.0, fmt=0.0, n_chars=13.0, num_turns=1.0),
]


def test_rewards_are_told_from_other_metrics_by_the_sum(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / "results.jsonl", *ROWS))
    assert reading.format == "verifiers"
    first, second = reading
    assert (first.group_id, first.target, first.rollouts[0].response) == ("2", "4", "\\boxed{4}")
    assert first.rollouts[0].rewards == {"correct": 1.0, "fmt": 1.0, "reward": 1.2}
    assert first.rollouts[0].meta["n_chars"] == 9.0
    assert [rollout.reward for rollout in second.rollouts] == [0.2, 0.0]
    assert reading.summary.notes[:2] == (
        "reward = 1 correct + 0.2 fmt, worked out from 4 rows: the file holds no weights",
        "metrics without weight in the reward: n_chars",
    )


def test_a_metric_whose_weight_no_row_shows_may_be_a_reward(tmp_path: Path) -> None:
    rows = [results_row(2, "4", float(right), correct=float(right), fmt=0.0) for right in (0, 1, 1)]
    assert read(write_lines(tmp_path / "results.jsonl", *rows)).fields["rewards"] == "reward, correct, fmt"


def test_where_no_weights_fit_only_what_could_be_a_score_is_one(tmp_path: Path) -> None:
    rows = [
        results_row(2, "4", right * length, correct=right, n_chars=length)
        for right in (0.5, 1.0)
        for length in (3.0, 5.0)
    ]
    reading = read(write_lines(tmp_path / "results.jsonl", *rows))
    assert reading.fields["rewards"] == "reward, correct"
    assert reading.summary.notes[0].startswith("reward is no weighted sum")


def test_an_attempt_that_failed_is_unknown_and_not_wrong(tmp_path: Path) -> None:
    too_long = results_row(3, None, 0.0, correct=0.0, fmt=0.0)
    too_long |= {"error": None, "is_truncated": True, "stop_condition": "prompt_too_long"}
    silent = results_row(3, "", 0.0, correct=0.0, fmt=0.0)
    reading = read(
        write_lines(tmp_path / "results.jsonl", *ROWS, results_row(2, None, 0.0, correct=0.0), too_long, silent)
    )
    first, second = reading
    assert [rollout.reward for rollout in first.rollouts] == [1.2, 1.0, None]
    assert [(rollout.reward, rollout.response, rollout.truncated) for rollout in second.rollouts[2:]] == [
        (None, None, True),
        (0.0, "", False),  # a model that says nothing was scored
    ]
    assert reading.summary.warnings["attempts_that_failed"] == 2


def test_before_example_ids_rows_belong_together_by_prompt(tmp_path: Path) -> None:
    names = ("prompt", "completion", "answer", "task", "reward", "correct", "fmt")
    rows = [
        {"id": number // 2, "generation_ms": 1.0, "scoring_ms": 1.0} | {name: row[name] for name in names}
        for number, row in enumerate((ROWS[0], ROWS[2], ROWS[1], ROWS[3]))
    ]
    reading = read(write_lines(tmp_path / "results.jsonl", *rows))
    assert [(group.target, len(group)) for group in reading] == [("4", 2), ("5", 2)]
    assert next(iter(reading)).rollouts[0].meta["id"] == 0
