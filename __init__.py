"""rewardgate: verify, audit and gate the rewards of language models trained by reinforcement learning.

Importing the package imports nothing else; each room (`rewardgate.verifiers`, `rewardgate.audit`, ...)
is imported by name.
"""

__version__ = "0.1.0"
