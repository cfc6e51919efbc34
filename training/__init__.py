"""The whole loop: prompts are drawn, completions sampled and judged, and a policy updated from what they teach.

a run           loop (Trainer) ─▶ stepping (a step) ─▶ recording ─▶ monitor/ (figures, alerts, where they go)
its options     config, options (one section each), config_text (TOML), planning (`--dry-run`), building (its parts)
a step's groups collecting ─▶ prompts, generation/, judging (attempts); sampling, ledger, escalation: how many of them
what they teach crediting (scoring: steps), measuring (sampler against trainer); the update is `grpo.PolicyUpdate`
held-out        evaluation
on disk         run_folder, checkpoint, ahead, policy (a model's folder); names: `rollouts.run_files`
before a run    explore/, bootstrap/ (sft: how examples are learned)
"""

from .base import Generator, Sampled, Sampling

__all__ = ["Generator", "Sampled", "Sampling"]
