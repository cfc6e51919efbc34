"""Judgement to update: advantages, gate and loss. Tensors in, tensors out; knows no verifier, scorer or record."""

from .shapes import Groups, groups_of, rows_and_groups

__all__ = ["Groups", "groups_of", "rows_and_groups"]
