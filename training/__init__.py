"""The whole loop: prompts are drawn, completions sampled and judged, and a policy updated from what they teach.

a run           loop (Trainer) ─▶ step/ (groups to an update), folder/ (on disk), monitor/ (figures, alerts)
its options     config, options (one section each), config_text (TOML), planning (`--dry-run`), building (its parts)
a step's groups groups/ ─▶ prompts, generation/; sampling, ledger, escalation: how many of them, and at what cost
the update      `grpo.PolicyUpdate`
a model's folder policy; the names of a run's files: `rollouts.run_files`
before a run    explore/, bootstrap/ (sft: how examples are learned)

Imports run down: loop, step/, folder/, building, groups/, generation/, config, and what all of them stand on.
"""

from .base import Generator, Sampled, Sampling

__all__ = ["Generator", "Sampled", "Sampling"]
