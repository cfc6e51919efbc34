"""A kit to test one's own answers' judge: strategies, rewrites, mutants, and laws that it keeps or breaks.

    from rewardgate.verifiers.testing import laws

    laws.accepts_rewrites(my_reward, kinds=["integer"], anchors=["boxed"])

Needs the extra `testing`. `rewrites`, `mutants` and `wrapped` are plain functions of text; `strategies` and `laws` are
Hypothesis.
"""

from . import needs as needs  # isort: split

from . import laws, strategies
from .completions import ANCHORS, SURROUNDINGS, Wrapped, wrapped
from .failures import LawBrokenError
from .mutants import MUTANTS, Mutant, mutants
from .rewrites import REWRITES, Rewrite, rewrites

__all__ = [
    "ANCHORS",
    "MUTANTS",
    "REWRITES",
    "SURROUNDINGS",
    "LawBrokenError",
    "Mutant",
    "Rewrite",
    "Wrapped",
    "laws",
    "mutants",
    "rewrites",
    "strategies",
    "wrapped",
]
