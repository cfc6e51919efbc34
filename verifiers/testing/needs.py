"""Fails where Hypothesis is absent, with the extra that installs it; the package imports it before all else."""

from importlib.util import find_spec

from ...errors import MissingExtraError

if find_spec("hypothesis") is None:
    raise MissingExtraError(
        "rewardgate.verifiers.testing: expected Hypothesis, which is not installed; pip install 'rewardgate[testing]'"
    )
