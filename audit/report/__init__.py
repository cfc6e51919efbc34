"""What an audit found: the model of the report, and its rendering on a terminal."""

from .model import SCHEMA_VERSION, AuditReport

__all__ = ["SCHEMA_VERSION", "AuditReport"]
