import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_prms import plain_tokenizer
from tiny_runs import PROMPTS, lines_of, tiny_policy

from rewardgate.cli.command import _exit_code
from rewardgate.cli.stopping import stop_requests

TEXT = """
folder = "run"
steps = 3
model.path = "policy"
data.prompts = "prompts.jsonl"
judge.verifier = "exact"
sampling = {groups = 2, group_size = 3, max_tokens = 4}
checkpoint.every = 2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tiny_policy().save_pretrained(tmp_path / "policy")
    plain_tokenizer().save_pretrained(tmp_path / "policy")
    rows = [{"id": one.prompt_id, "question": one.prompt, "answer": one.target} for one in PROMPTS]
    (tmp_path / "prompts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "run.toml").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_planned_done_and_resumed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["train", "run.toml", "--dry-run", "sampling.groups=3"]) == 0
    planned = capsys.readouterr().out
    assert "3 of 3 groups" in planned
    assert "27; at most 27 with refills" in planned  # 3 steps of 3 groups of 3
    assert "at most 108 generated" in planned
    assert f"parameters   {sum(one.numel() for one in tiny_policy().parameters()):,}" in planned
    assert not (folder / "run").exists()

    assert _exit_code(["train", "run.toml", "steps=2"]) == 0
    told = capsys.readouterr()
    assert [line.partition(" · ")[0] for line in told.out.splitlines()] == ["step 1 of 2", "step 2 of 2"]
    assert "step 2 of 2: finished" in told.err

    assert _exit_code(["train", "run.toml"]) == 2
    assert "folder: expected one without a run" in capsys.readouterr().err
    assert _exit_code(["train", "run.toml", "--resume"]) == 0
    assert [row["step"] for row in lines_of(folder / "run" / "metrics.jsonl")] == [1, 2, 3]
    assert 'schedule = "constant"' in (folder / "run" / "config.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["run.toml", "smapling.groups=2"], "run.toml: smapling: expected .* did you mean sampling?"),
        (["none.toml"], "none.toml: expected a readable file"),
        (["run.toml", "model.path=no/such/model"], "model: expected a causal language model"),
        (["run.toml", "model.path=no/such/model", "--dry-run"], r"model.path: expected a causal language model"),
        (["run.toml", "data.prompts=none.jsonl"], "none.jsonl: expected a readable file"),
        (["run.toml", "judge.verifier=numerc", "--dry-run"], 'verifier: unknown name "numerc"'),
        (["run.toml", "judge.options.tolerance=1", "--dry-run"], "verifier .exact.: expected .*got tolerance"),
        (["run.toml", "signal.scorer=arithmetik", "--dry-run"], 'step scorer: unknown name "arithmetik"'),
        (["run.toml", "signal.estimator=gpro", "--dry-run"], 'estimator: unknown name "gpro"'),
        (["run.toml", "generation.engine=hv", "--dry-run"], 'generator: unknown name "hv"'),
        (["run.toml", 'monitor.writers=["tensor"]', "--dry-run"], 'writer: unknown name "tensor"'),
        (["run.toml", "sampling.groups=20"], r"expected at least sampling.groups = 20, got 6"),
    ],
)
def test_what_is_wrong_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    assert _exit_code(["train", *arguments]) == 2
    err = capsys.readouterr().err
    assert re.search(problem, err), err
    assert "Traceback" not in err


def test_the_first_request_is_noted_and_the_second_does_what_it_always_did() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_requests("told") as should_stop:
        assert not should_stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert should_stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.slow
def test_sigterm_ends_the_run_behind_its_step_with_a_checkpoint(folder: Path) -> None:
    command = [
        str(Path(sys.executable).parent / "rewardgate"),
        "train",
        "run.toml",
        "steps=100000",
        "checkpoint.every=100000",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline().startswith("step 1 of")
        run.send_signal(signal.SIGTERM)
        _, err = run.communicate(timeout=100)
    assert run.returncode == 0, err
    assert "the run ends behind this step" in err
    (state,) = lines_of(folder / "run" / "state.json")
    assert (state["status"], state["checkpoint"]) == ("stopped", f"step_{state['step']:06d}")
