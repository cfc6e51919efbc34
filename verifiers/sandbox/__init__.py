"""Programs of strangers, run against tests inside layers that are proved, not assumed."""
