"""Texts that are copies: of prompts, of rollouts within a group, of what a policy may have been tuned on."""
