"""One Hypothesis profile for every test: derandomised, so that a failure today is a failure tomorrow."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("rewardgate", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rewardgate")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of real model outputs beside the checkout; a test that asks for it skips loudly without it."""
    if not SHARED.is_dir():
        pytest.skip(f"NOT RUN: no real model outputs at {SHARED}")
    return SHARED
