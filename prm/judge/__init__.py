"""A chat model asked which step is the first wrong one."""
