"""The reader of reward pipelines: what a file of rollouts says about its rewards, with causes and costs."""

from .auditing import audit
from .report.model import AuditReport

__all__ = ["AuditReport", "audit"]
