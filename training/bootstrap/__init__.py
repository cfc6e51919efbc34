"""A short SFT on verified completions that gives a policy enough successes to explore from, and no more."""

from .bootstrapping import BootstrapConfig, bootstrap
from .demonstrations import Selection, demonstrated, rejection_sampled
from .looks import Look, LookRules, Standing
from .report import BootstrapReport

__all__ = [
    "BootstrapConfig",
    "BootstrapReport",
    "Look",
    "LookRules",
    "Selection",
    "Standing",
    "bootstrap",
    "demonstrated",
    "rejection_sampled",
]
