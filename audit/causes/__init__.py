"""Why rollouts were scored wrong: clues from the whole file, a cause for each rollout and group, and the repair."""
