"""Chains of expressions and equations with letters in running text: read, and compared with one another."""
