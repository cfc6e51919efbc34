"""One Hypothesis profile for every test: derandomised, so that a failure today is a failure tomorrow.

`pytest --hypothesis-profile=thorough` tries ten times as many examples, and other ones every time.
"""

import gc
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A worker a core: threads of BLAS and torch in each would wait for those of the others, and spin while they wait. Set
# here, before numpy and torch are imported, it holds for this process, for its workers and for what the tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("rewardgate", max_examples=40, derandomize=True, **PATIENT)
settings.register_profile("thorough", max_examples=400, **PATIENT)
settings.load_profile("rewardgate")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of real model outputs beside the checkout; a test that asks for it skips loudly without it."""
    if not SHARED.is_dir():
        pytest.skip(f"NOT RUN: no real model outputs at {SHARED}")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # Modules and tests live until the end: the collector need not walk them while they are loaded, nor in any test.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    # A hook, for a fixture of every test would be a tenth of what a small one costs.
    if item.get_closest_marker("slow") and "slow" not in item.config.option.markexpr:
        pytest.skip("heavy; runs only when asked for with -m slow")
