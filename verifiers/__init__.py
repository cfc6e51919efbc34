"""Is the outcome right? Verifiers, extractors, and the verdicts that explain themselves."""

from .base import (
    Completion,
    Extracted,
    Extractor,
    Outcome,
    Prompt,
    Target,
    Verdict,
    Verifier,
    extractors,
    get,
    verifiers,
)

__all__ = [
    "Completion",
    "Extracted",
    "Extractor",
    "Outcome",
    "Prompt",
    "Target",
    "Verdict",
    "Verifier",
    "extractors",
    "get",
    "verifiers",
]
