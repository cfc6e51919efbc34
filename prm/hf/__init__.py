"""Learned step scorers whose weights run here, through transformers."""
