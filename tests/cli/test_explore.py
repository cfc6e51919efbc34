import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_policies import save_tiny_policy

from rewardgate.rollouts import read
from rewardgate.training.explore.report import ExploreReport

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_policy(tmp_path_factory.mktemp("policy") / "model")


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    path = tmp_path / "prompts.jsonl"
    rows = [{"prompt": f"{number}+1=", "answer": str(number + 1)} for number in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_setting_is_told_and_written_and_the_rollouts_can_be_audited(
    run: Run, model: Path, prompts: Path, tmp_path: Path
) -> None:
    out, rollouts = tmp_path / "report.json", tmp_path / "rollouts.jsonl"
    options = ("--group-size", "4,8", "--temperature", "0.7,1.0", "--max-tokens", "4", "--verifier", "exact")
    code, told, errors = run(
        "explore", prompts, "--model", model, *options, "--json", out, "--rollouts", rollouts, "--no-progress"
    )
    assert (code, errors) == (0, "")
    report = ExploreReport.model_validate_json(out.read_text(encoding="utf-8"))
    assert [(one.temperature, one.group_size) for one in report.settings] == [(0.7, 4), (0.7, 8), (1.0, 4), (1.0, 8)]
    assert (report.samples, report.prompts_file, report.verifier) == (8, str(prompts), "exact")
    lines = told.splitlines()
    assert lines[0] == "6 prompts, 8 rollouts each, judged by exact"
    assert [line for line in lines if line.startswith("temperature ")][1].startswith("temperature 1: success ")
    assert lines[-1] == report.recommendation.sentence
    assert set(report.recommendation.arithmetic) <= set(lines)
    groups = list(read(rollouts))
    assert [len(group) for group in groups] == [8] * 12
    assert run("audit", rollouts, "--json", tmp_path / "audit.json")[0] == 0


def test_a_report_on_stdout_is_all_there_is_on_stdout(run: Run, model: Path, prompts: Path) -> None:
    arguments = ("--model", model, "--group-size", "2", "--max-tokens", "2", "--verifier", "exact", "--limit", "3")
    code, told, _ = run("explore", prompts, *arguments, "--json", "-", "--seed", "5", "--no-progress")
    assert code == 0
    first = ExploreReport.model_validate_json(told)
    assert first.prompts == 3
    # the same seed draws the same prompts and completions
    again = ExploreReport.model_validate_json(
        run("explore", prompts, *arguments, "--json", "-", "--seed", "5", "--no-progress")[1]
    )
    assert first.settings == again.settings
    asked = [one.prompt_id for one in first.temperatures[0].readout.prompts]
    assert asked == [one.prompt_id for one in again.temperatures[0].readout.prompts]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group-size", "8,x"], "--group-size: expected whole numbers with commas between them, got '8,x'"),
        (["--group-size", "1"], "group_sizes: expected at least 2 rollouts a group, got 1"),
        (["--temperature", ""], "--temperature: expected numbers with commas between them, got ''"),
        (["--temperature", "-1"], "temperatures: expected positive numbers, got -1.0"),
        (["--least-mixed", "2"], "least_mixed: expected a share in (0, 1), got 2.0"),
        (["--verifier", "numerc"], 'unknown name "numerc"'),
        (["--max-tokens", "100"], "expected at most -36 tokens"),
        (["--dtype", "int8"], "dtype: expected float32, bfloat16, float64, got 'int8'"),
        (["--engine", "none"], 'unknown name "none"'),
        (["--engine-options", "[1]"], "--engine-options: expected a JSON object, got '[1]'"),
        (["--engine-options", '{"nope": 1}'], 'generator "hf": expected options among copy,'),
        (["--chat"], "chat: expected a tokenizer with a chat template, got one without"),
        (["--prompt-key", "nope"], 'prompt_key: expected a column of the file, got "nope"'),
        (["--rollouts", "prompts.jsonl"], "--rollouts: expected another file than the input"),
        (["--rollouts", "no/such/folder.jsonl"], "--rollouts: expected a writable file, got no/such/folder.jsonl"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(
    run: Run, model: Path, prompts: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prompts.parent)
    code, told, errors = run(
        "explore", prompts, "--model", model, "--max-tokens", "4", "--verifier", "exact", "--no-progress", *options
    )
    assert (code, told) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1


def test_prompts_that_are_too_long_are_left_out_and_counted(run: Run, model: Path, prompts: Path) -> None:
    with prompts.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"prompt": "1+" * 40, "answer": "4"}) + "\n")
    arguments = ("--model", model, "--group-size", "2", "--max-tokens", "2", "--json", "-", "--no-progress")
    code, told, errors = run("explore", prompts, *arguments, "--max-prompt-tokens", "8")
    assert (code, errors) == (0, "1 of 7 prompts are longer than 8 tokens\n")
    assert ExploreReport.model_validate_json(told).prompts == 6
    assert run("explore", prompts, *arguments)[0] == 2


def test_a_folder_without_a_model_is_named(run: Run, prompts: Path, tmp_path: Path) -> None:
    code, _, errors = run("explore", prompts, "--model", tmp_path)
    assert code == 2
    assert errors.startswith(f"rewardgate: model: expected a causal language model and its tokenizer, got {tmp_path}: ")
    assert errors.count("\n") == 1
