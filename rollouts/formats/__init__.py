"""The formats of rollout files that are read, one a file."""

from .base import ChoosesFiles, Format, ReaderDefaults, RowReader, formats, recognised

__all__ = ["ChoosesFiles", "Format", "ReaderDefaults", "RowReader", "formats", "recognised"]
