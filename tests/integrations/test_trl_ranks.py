"""TRL's real trainer on two processes under gloo, with a group that lies on both; see test_trl.py."""

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import pandas
import torch
import trl_ranks
from trl_runs import save_policy

pytestmark = pytest.mark.trl


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One process alone, and the two that shared the work."""
    folder = tmp_path_factory.mktemp("ranks")
    save_policy(folder / "policy")
    alone = trl_ranks.trained(folder / "policy", folder / "alone", processes=1)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    ended = subprocess.run(
        [*launcher, trl_ranks.__file__, str(folder / "policy"), str(folder)],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    ranks = [torch.load(folder / f"rank-{rank}.pt", weights_only=False) for rank in (0, 1)]
    return {"alone": alone, "ranks": ranks, "folder": folder}


@pytest.mark.timeout(600)
def test_a_group_on_two_processes_gets_the_advantages_that_it_gets_on_one(runs: dict[str, Any]) -> None:
    alone, (first, second) = runs["alone"], runs["ranks"]
    assert first["prompts"] == ["all wrong?"] * 4 + ["mixed?"] * 2
    assert second["prompts"] == ["mixed?"] * 2 + ["one unknown?"] * 4
    for rank, rows in ((first, slice(0, 6)), (second, slice(6, 12))):
        # Each process pads to its own longest completion.
        width = min(rank["advantages"].shape[1], alone["advantages"].shape[1])
        torch.testing.assert_close(rank["advantages"][:, :width], alone["advantages"][rows, :width], atol=1e-6, rtol=0)
        assert rank["advantages"][:, width:].count_nonzero() == 0
        assert rank["tool_mask"][:, :width].tolist() == alone["tool_mask"][rows, :width].tolist()
        assert rank["num_items_in_batch"] == alone["num_items_in_batch"]
        assert rank["scale_state"] == alone["scale_state"]
    assert first["advantages"][:4].count_nonzero() > 0


def test_the_weights_behind_two_steps_are_those_of_one_process(runs: dict[str, Any]) -> None:
    for rank in runs["ranks"]:
        for name, weight in runs["alone"]["weights"].items():
            torch.testing.assert_close(rank["weights"][name], weight, atol=1e-5, rtol=1e-4)


def test_what_is_logged_is_of_all_processes(runs: dict[str, Any]) -> None:
    alone, together = runs["alone"]["log"], runs["ranks"][0]["log"]
    names = [name for name in alone if name.startswith("gate/") or name in ("reward", "loss")]
    assert len(names) > 12
    assert {name: together[name] for name in names} == pytest.approx({name: alone[name] for name in names}, abs=1e-5)


def test_the_table_of_completions_names_the_groups_of_all_rows(runs: dict[str, Any]) -> None:
    table = pandas.read_parquet(runs["folder"] / "run" / "completions" / "completions_00001.parquet")
    assert table["prompt"].tolist() == ["all wrong?"] * 4 + ["mixed?"] * 4 + ["one unknown?"] * 4
    assert table["gate_group"].tolist() == ["all_wrong"] * 4 + ["mixed"] * 8
    assert table["gate_opened"].tolist() == [True] * 4 + [False] * 8
