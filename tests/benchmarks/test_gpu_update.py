"""The programs that need a card, or minutes: here over tiny shapes, so that they run when a card is to be had."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_the_dry_run_measures_every_contender_and_checks_its_gradients(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gpu_update  # type: ignore[import-not-found]

    out = tmp_path / "out.json"
    monkeypatch.setattr(sys, "argv", ["gpu_update.py", "--dry", "--repeat", "2", "--json", str(out)])
    gpu_update.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    assert "tiny shapes: no figures" in capsys.readouterr().out
    ours = [name for name in found["head_8"] if name.startswith("rewardgate")]
    assert len(ours) == len(gpu_update.BUDGETS_MIB)
    assert all(len(found["head_8"][name]["ms"]) == 2 for name in [*ours, "floor", "naive", "recomputed"])
    # bfloat16 has 8 significant bits, and logits here reach 9.
    assert max(max(found["correctness"][name]) for name in ("rewardgate, 64 MiB", "recomputed", "naive")) < 0.05


def test_the_batch_has_the_degenerate_groups_that_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gpu_batches  # type: ignore[import-not-found]
    import torch

    batch = gpu_batches.rollout_batch(torch.device("cpu"), 0.5, tiny=True)
    dead = (batch.advantages.view(4, 4) == 0).all(1)
    assert dead.tolist() == [True, True, False, False]
    assert batch.group_ids.view(4, 4)[:, 0].tolist() == [0, 1, 2, 3]
    assert {len(one) for one in batch.prompt_ids} == {6}
    assert {len(one) for one in batch.completion_ids} <= set(range(2, 11))
