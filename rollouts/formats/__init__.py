"""The formats of rollout files that are read, one a file."""

from .base import Format, RowReader, formats

__all__ = ["Format", "RowReader", "formats"]
