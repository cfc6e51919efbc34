"""Scorers without weights: one file a rule. They prove steps wrong; what they find nothing wrong with may still be."""
