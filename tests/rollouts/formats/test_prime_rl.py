import json
from pathlib import Path

from rollout_records import write_lines
from tool_dumps import Row, episode, trace

from rewardgate.rollouts import read

SCORES = {"correct": (1.0, 1.0)}


def attempt(name: str, group: str, *, step: int = 1) -> Row:
    return episode("task", trace(name, "4", SCORES), group=group, step=step)


def write_traces(run: Path, step: int, kind: str, *rows: Row) -> Path:
    path = run / f"rollouts/step_{step}/{kind}/traces.jsonl"
    path.parent.mkdir(parents=True)
    return write_lines(path, *rows)


def test_a_group_is_gathered_over_the_steps_of_a_run(tmp_path: Path) -> None:
    write_traces(tmp_path, 1, "train/all", attempt("1", "g"), attempt("2", "h"), attempt("3", "g"))
    write_traces(tmp_path, 2, "train/all", attempt("4", "h", step=2), attempt("5", "g", step=2))
    reading = read(tmp_path)
    assert reading.format == "prime_rl"
    assert [(group.group_id, [rollout.rollout_id for rollout in group.rollouts]) for group in reading] == [
        ("g", ["1", "3", "5"]),
        ("h", ["2", "4"]),
    ]
    last = [rollout for group in reading for rollout in group.rollouts][-1]
    assert last.source is not None
    assert (Path(last.source.file).parts[-4], last.source.line, last.step, last.policy_version) == ("step_2", 1, 2, 1)


def test_what_was_filtered_and_what_was_evaluated_adds_nothing_to_a_run(tmp_path: Path) -> None:
    write_traces(tmp_path, 1, "train/all", attempt("1", "g"), attempt("2", "g"))
    filtered = write_traces(tmp_path, 1, "train/effective", attempt("1", "g"))
    evaluated = write_traces(tmp_path, 1, "eval/all", attempt("3", "e"))
    summary = read(tmp_path).summary
    assert (summary.n_rows, summary.group_sizes) == (2, {2: 1})
    assert any("2 other files hold no rollouts, or these again" in note for note in summary.notes)
    for path in (filtered, evaluated, evaluated.parent):  # given by name, they are read
        assert read(path).summary.n_rollouts == 1


def test_the_metrics_of_a_run_are_found_above_its_traces(tmp_path: Path) -> None:
    path = write_traces(tmp_path, 1, "train/all", attempt("1", "g"))
    lines = [{"step": 1, "loss": 0.5}, {"step": 1, "entropy": 2}, "torn"]
    (tmp_path / "metrics.jsonl").write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    )
    assert read(path).step_metrics == {1: {"step": 1.0, "loss": 0.5, "entropy": 2.0}}
