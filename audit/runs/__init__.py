"""A training run's own logs and dumps, read while it goes on or after it died."""
