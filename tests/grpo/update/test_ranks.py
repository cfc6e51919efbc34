"""Several processes are one: the same weights, optimizer state and figures, whichever rows each of them has."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import two_ranks
from plain_update import policy
from torch import nn

from rewardgate.errors import ArgumentError
from rewardgate.grpo.update import PolicyUpdate
from rewardgate.grpo.update.ranks import Ranks


def together(case: str, folder: Path, count: int = 2) -> list[dict[str, Any]]:
    script = Path(two_ranks.__file__)
    environment = os.environ | {"PYTHONPATH": str(script.parent), "OMP_NUM_THREADS": "1", "MASTER_ADDR": "localhost"}
    environment |= {"MASTER_PORT": "29511", "WORLD_SIZE": str(count)}
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                str(script),
                str(rank),
                str(count),
                str(folder / "store"),
                case,
                str(folder / f"{rank}.pt"),
            ],
            env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    # Read by communicate: a process that fills its pipe would wait for ever.
    failures = [process.communicate(timeout=110)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * count, "\n".join(failures)
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("case", [*two_ranks.CASES, "plain, accelerate", "one rank dead, accelerate"])
def test_two_processes_are_one(case: str, tmp_path: Path) -> None:
    alone = two_ranks.updated(case)
    ranks = together(case, tmp_path)
    for found in ranks:
        assert found["steps"] == alone["steps"] == (0 if case == "all dead" else found["steps"])
        for name, one in alone["weights"].items():
            torch.testing.assert_close(found["weights"][name], one, rtol=1e-10, atol=1e-10, msg=name)
        for one, other in zip(found["state"], alone["state"], strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)
        for name in ("norms", "degenerate"):
            for mine, theirs in zip(found[name], alone[name], strict=True):
                assert mine == pytest.approx(theirs, rel=1e-9, nan_ok=True)
        for mine, theirs in zip(found["figures"], alone["figures"], strict=True):
            of_loss = {name: value for name, value in theirs.items() if not name.startswith(OWN)}
            assert {name: mine[name] for name in of_loss} == pytest.approx(of_loss, rel=1e-8, abs=1e-10, nan_ok=True)
    if case.startswith("one rank dead"):
        # Rank 0 has the even rows, all dead: it runs nothing but fillers, as many as the other has micro-batches.
        assert ranks[0]["figures"][0]["fillers"] == ranks[0]["figures"][0]["micro_batches"] > 1
        assert ranks[1]["figures"][0]["fillers"] == 0


OWN = ("seconds", "peak", "positions", "filler", "micro_batches")
"""Figures of one process, or of how its rows fit together."""


def test_a_bare_model_among_several_processes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 4)
    model = policy()
    with pytest.raises(ArgumentError, match="model: expected a DistributedDataParallel with 4 processes, got Qwen2"):
        PolicyUpdate(model, torch.optim.SGD(model.parameters(), lr=1.0))


class Accelerated:
    """As far as it is asked."""

    def __init__(self, steps: int, precision: str) -> None:
        self.gradient_accumulation_steps, self.mixed_precision = steps, precision


def test_an_accelerator_that_accumulates_or_scales_is_refused() -> None:
    with pytest.raises(ArgumentError, match="expected gradient_accumulation_steps = 1, got 4"):
        Ranks(nn.Linear(1, 1), Accelerated(4, "no"))
    with pytest.raises(ArgumentError, match="expected mixed precision no or bf16, got fp16"):
        Ranks(nn.Linear(1, 1), Accelerated(1, "fp16"))


def test_alone_nothing_is_summed() -> None:
    ranks = Ranks(nn.Linear(1, 1))
    assert (ranks.count, ranks.rank) == (1, 0)
    assert ranks.summed([1.5]) == ranks.highest([1.5]) == [1.5]
    assert ranks.gathered("x") == ["x"]
