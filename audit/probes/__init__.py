"""Probes of a verifier: right answers written differently, wrong ones dressed up, and what it pays for."""

from .model import CaseVerdict, ProbeCase, ProbeFinding, ProbeReport, ProbeRow

__all__ = ["CaseVerdict", "ProbeCase", "ProbeFinding", "ProbeReport", "ProbeRow"]
