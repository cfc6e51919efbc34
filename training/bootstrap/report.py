"""What a bootstrap did and where it ended, as data."""

from collections.abc import Mapping

from ...audit.report.evidence import Number, Part
from .looks import Look, Standing

__all__ = ["SCHEMA_VERSION", "BootstrapReport", "LossAt", "Selected"]

SCHEMA_VERSION = "rewardgate.bootstrap/1"


class Selected(Part):
    """Completions that were looked at to be learned.

    Args:
        seen: rows of the file, or completions sampled.
        chosen: to be learned.
        prompts: that have one.
        refused: the others by their reason.
        tokens: generated for it.
        seconds: wall-clock time.
    """

    seen: int
    chosen: int
    prompts: int
    refused: Mapping[str, int]
    tokens: int = 0
    seconds: float = 0.0


class LossAt(Part):
    """Mean loss of the optimizer steps between two looks, in nats a token."""

    sft_steps: int
    loss: Number
    tokens: int


class BootstrapReport(Part):
    """A bootstrap.

    Args:
        model, verifier, verifier_version: whose, judged by what.
        prompts: named: those that are to become explorable.
        demonstrated: of them, those that an example was learned of. Their successes may be recalled, not found.
        demonstrations, rejection_sampling: where examples came from; None where it was not asked.
        examples: learned, of named and of other prompts.
        group_size, least_mixed, confidence, planned_looks: what was to be shown.
        sft_steps: optimizer steps taken.
        tokens_learned: completion tokens of them.
        losses, looks: in their order.
        standing: of the last look.
        sentence: what follows.
        seconds: wall-clock time of everything.
    """

    schema_version: str = SCHEMA_VERSION
    model: str
    verifier: str
    verifier_version: str
    prompts: int
    demonstrated: int
    demonstrations: Selected | None
    rejection_sampling: Selected | None
    examples: int
    group_size: int
    least_mixed: float
    confidence: float
    planned_looks: int
    seed: int
    sft_steps: int
    tokens_learned: int
    losses: tuple[LossAt, ...]
    looks: tuple[Look, ...]
    standing: Standing
    sentence: str
    seconds: float

    @property
    def is_explorable(self) -> bool:
        """Whether a run may begin with the policy as it is now."""
        return self.standing in (Standing.READY, Standing.TOO_EASY)
