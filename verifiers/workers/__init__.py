"""Processes that can be killed, and what runs in them; `verifiers.isolation` is their door."""
