"""The ladder: which layer to change first, and what each is held against."""

from .standing import ladder

__all__ = ["ladder"]
