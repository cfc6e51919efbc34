"""The audit of a step scorer on solutions whose steps are labelled: may it be trusted, and where."""

from .auditing import audit_steps

__all__ = ["audit_steps"]
