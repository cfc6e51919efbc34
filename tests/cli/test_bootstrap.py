import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_policies import save_tiny_policy

import rewardgate
from rewardgate.rollouts import read
from rewardgate.training.bootstrap.report import BootstrapReport
from rewardgate.training.policy import load_policy

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_policy(tmp_path_factory.mktemp("policy") / "model")


def written(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def demos(tmp_path: Path) -> Path:
    """Sums of two digits, and one that is wrong."""
    sums = [(a, b) for a in range(10) for b in range(10)]
    rows = [{"prompt": f"{a}+{b}=", "response": str(a + b), "answer": str(a + b)} for a, b in sums]
    return written(tmp_path / "demos.jsonl", [*rows, {"prompt": "1+1=", "response": "3", "answer": "2"}])


FAST = ("--max-tokens", "4", "--verifier", "exact", "--lr", "3e-3", "--look-groups", "64")


def test_a_policy_is_brought_to_where_it_can_explore_and_saved_as_transformers_reads_it(
    run: Run, model: Path, demos: Path, tmp_path: Path
) -> None:
    out, rollouts = tmp_path / "out", tmp_path / "looks.jsonl"
    options = (*FAST, "--batch-size", "32", "--look-every", "15", "--max-steps", "150", "--rollouts", rollouts)
    code, told, errors = run("bootstrap", "--demos", demos, "--model", model, "--out", out, *options)
    assert code == 0, errors
    report = BootstrapReport.model_validate_json((out / "bootstrap.json").read_text(encoding="utf-8"))
    assert told == f"{report.sentence}\n"
    assert told.startswith("Enough support for RL after ")
    first, last = report.looks[0], report.looks[-1]
    assert first.mixed.high < last.mixed.value
    assert last.mixed.low >= 0.25
    lines = errors.splitlines()
    assert lines[0] == "100 of 101 demonstrations are learned; not: incorrect: other_text 1"
    assert [line.partition(":")[0] for line in lines[1:]] == [f"{look.sft_steps} steps" for look in report.looks]
    assert load_policy(out, device="cpu").model.config.vocab_size == load_policy(model, device="cpu").model.vocab_size
    assert {group.rollouts[0].step for group in read(rollouts)} == {look.sft_steps for look in report.looks}
    assert [one.name for one in tmp_path.iterdir() if one.name.endswith(".part")] == []


def test_demonstrations_that_cannot_be_read_are_refused_before_the_model_is_loaded(run: Run, tmp_path: Path) -> None:
    missing, out = tmp_path / "demos.jsonl", tmp_path / "out"
    code, told, errors = run("bootstrap", "--demos", missing, "--model", tmp_path / "no_model", "--out", out, *FAST)
    assert (code, told) == (2, "")
    assert errors == f"rewardgate: {missing}: expected a readable file, got: No such file or directory\n"


def test_not_enough_support_has_an_exit_code_of_its_own_and_a_sentence(run: Run, model: Path, tmp_path: Path) -> None:
    prompts = written(tmp_path / "prompts.jsonl", [{"prompt": f"{n}=", "answer": "987654321"} for n in range(5)])
    out = tmp_path / "out"
    code, told, errors = run(
        "bootstrap", "--prompts", prompts, "--rejection-samples", "16", "--model", model, "--out", out, *FAST
    )
    assert (code, told.count("\n")) == (3, 1)
    assert told.startswith("Not enough support for RL and no verified example to learn from: pass@8 is 0.0%, at most ")
    assert "0 of 80 samples are learned" in errors
    report = BootstrapReport.model_validate_json((out / "bootstrap.json").read_text(encoding="utf-8"))
    assert (report.standing, report.sft_steps, report.rejection_sampling.seen) == ("no_support", 0, 80)


def test_named_prompts_are_looked_at_and_not_those_of_the_demonstrations(
    run: Run, model: Path, demos: Path, tmp_path: Path
) -> None:
    prompts = written(
        tmp_path / "prompts.jsonl", [{"prompt": "9+9=", "answer": "18"}, {"prompt": "99=", "answer": "9"}]
    )
    out, rollouts = tmp_path / "out", tmp_path / "looks.jsonl"
    options = (*FAST, "--max-steps", "2", "--look-every", "2", "--rollouts", rollouts)
    run("bootstrap", "--demos", demos, "--prompts", prompts, "--model", model, "--out", out, *options)
    assert {group.prompt for group in read(rollouts)} == {"9+9=", "99="}
    report = BootstrapReport.model_validate_json((out / "bootstrap.json").read_text(encoding="utf-8"))
    assert (report.prompts, report.demonstrated, report.examples) == (2, 1, 100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--demos: expected a file, or --rejection-samples, got neither"),
        (["--rejection-samples", "4"], "--prompts: expected a file where there are no --demos, got none"),
        (["--demos", "demos.jsonl", "--look-groups", "2"], "groups: expected at least 5 a look"),
        (["--demos", "demos.jsonl", "--lr", "0"], "lr: expected a positive number, got 0.0"),
        (
            ["--demos", "demos.jsonl", "--out", "."],
            ".: expected a new or an empty folder, got one that holds something",
        ),
        (["--demos", "nothing.jsonl"], "nothing.jsonl"),
        (["--demos", "bare.jsonl"], "--demos: expected a row with a prompt, a response and a target, got none"),
        (["--demos", "demos.jsonl", "--rollouts", "demos.jsonl"], "--rollouts: expected another file than the input"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(
    run: Run, model: Path, demos: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demos.parent)
    written(demos.parent / "bare.jsonl", [{"prompt": "1+1=", "response": "2"}])
    before = demos.read_bytes()
    code, told, errors = run("bootstrap", "--model", model, "--out", "out", "--max-tokens", "4", *options)
    assert (code, told) == (2, "")
    assert message in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert demos.read_bytes() == before
    assert not (demos.parent / "out").exists()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", ["explore", "bootstrap"])
def test_the_commands_of_the_documentation_run_as_printed(
    run: Run, demos: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = demos.parent
    monkeypatch.chdir(folder)
    save_tiny_policy(folder / "MODEL", max_position_embeddings=1024)
    rows = [json.loads(line) for line in demos.read_text(encoding="utf-8").splitlines()]
    written(folder / "prompts.jsonl", [{"prompt": row["prompt"], "answer": row["answer"]} for row in rows[:12]])
    text = (Path(rewardgate.__file__).parent / "docs" / f"{page}.md").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("rewardgate ")]
    assert len(commands) >= 2
    for command in commands:
        code, _, errors = run(*shlex.split(command)[1:])
        assert code in (0, 3), (command, errors)
