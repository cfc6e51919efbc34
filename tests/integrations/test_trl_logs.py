"""What TRL's trainer logs of a gated training, read again by the audit; see test_trl.py."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import pandas
from trl_runs import COMPLETIONS, Records, ScriptedGatedTrainer, config, dataset, save_policy, tokenizer_of
from typer.testing import CliRunner

from rewardgate.cli.command import app
from rewardgate.integrations.trl import reward
from rewardgate.rollouts import Reading, read

pytestmark = pytest.mark.trl

IN_PROCESS = {"workers": 0, "timeout_s": None}


def trained(folder: Path, **changes: Any) -> Path:
    """The folder of two steps on the groups of trl_runs, with reward weights 1 and 0.5."""
    save_policy(folder / "policy")
    trainer = ScriptedGatedTrainer(
        model=str(folder / "policy"),
        reward_funcs=[
            reward("math", target="solution", **IN_PROCESS),
            reward("format", target=None, tags=("answer",), **IN_PROCESS),
        ],
        args=config(
            folder / "run", num_iterations=1, reward_weights=[1.0, 0.5], log_completions=True,
            num_completions_to_print=0, save_strategy="steps", save_steps=1, **changes,
        ),
        train_dataset=dataset(),
        eval_dataset=dataset().select([0]),
        processing_class=tokenizer_of(folder / "policy"),
    )  # fmt: skip
    trainer.records = Records()
    trainer.train()
    return folder / "run"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def reading(run: Path) -> Reading:
    return read(run)


def test_an_evaluation_shifts_no_cell_of_the_table(tmp_path: Path) -> None:
    folder = trained(tmp_path, max_steps=1, eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=4)
    (path,) = (folder / "completions").iterdir()
    table = pandas.read_parquet(path)
    # The last twelve rows of the training batch, and four of the evaluation.
    assert len(table) == 16
    kinds = {"all wrong?": "all_wrong", "mixed?": "mixed", "all right?": "all_correct", "one unknown?": "mixed"}
    assert table["gate_group"].tolist() == [kinds[prompt] for prompt in table["prompt"]]
    assert table["gate_opened"].tolist()[12:] == [False] * 4
    assert table["math_extracted"].tolist() == [
        "11" if outcome == "correct" else said
        for said, outcome in zip(table["math_extracted"], table["math_outcome"], strict=True)
    ]


def test_the_audit_finds_groups_rewards_and_golds_in_it(reading: Reading) -> None:
    groups = list(reading)
    assert (reading.format, reading.fields["rewards"], reading.fields["target"]) == (
        "trl",
        "math, format",
        "math_target",
    )
    assert reading.summary.group_sizes == {4: len(groups)}
    assert {one.target for one in groups} == {"11"}
    for one in groups:
        assert [rollout.response for rollout in one.rollouts] == COMPLETIONS[one.prompt]
        for rollout in one.rollouts:
            assert rollout.reward == rollout.rewards["math"] + 0.5 * rollout.rewards["format"]


def test_the_command_judges_it_again(run: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    ended = CliRunner().invoke(app, ["audit", str(run), "--verifier", "math", "--json", str(report)])
    assert ended.exit_code == 0, ended.output
    logged = json.loads(report.read_text(encoding="utf-8"))["groups"][0]
    n_batches = logged["n_groups"] // 4
    assert (logged["all_wrong"], logged["mixed"], logged["all_correct"]) == (n_batches, 2 * n_batches, n_batches)
