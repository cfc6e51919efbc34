"""The door to TRL on a machine that lacks it, or has one that is too old."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from rewardgate.errors import MissingExtraError
from rewardgate.integrations import trl


@pytest.fixture(autouse=True)
def _built_anew() -> None:
    trl._gated_grpo_trainer.cache_clear()


def test_without_trl_the_trainer_names_the_extra_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(trl, "version", absent)
    with pytest.raises(MissingExtraError, match=r"trl: expected TRL, which is not installed; .*rewardgate\[trl\]"):
        assert trl.GatedGRPOTrainer
    with pytest.raises(ImportError):
        from rewardgate.integrations.trl import GatedGRPOTrainer  # noqa: F401


@pytest.mark.parametrize("installed", ["0.29.1", "1.9.2", "1.15.0"])
def test_a_trl_that_is_too_old_is_refused_with_its_version(monkeypatch: pytest.MonkeyPatch, installed: str) -> None:
    monkeypatch.setattr(trl, "version", lambda _: installed)
    with pytest.raises(MissingExtraError, match=f"trl: expected version 1.16 or newer, got {installed}"):
        assert trl.GatedGRPOTrainer


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'GatedPPOTrainer'"):
        assert trl.GatedPPOTrainer


@pytest.mark.parametrize("module", ["rewardgate.integrations", "rewardgate.integrations.trl"])
def test_importing_the_door_loads_neither_torch_nor_trl(module: str) -> None:
    program = (
        f"import {module}, sys; print(*{{'torch', 'transformers', 'accelerate', 'trl', 'scipy'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
