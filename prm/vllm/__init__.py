"""Learned step scorers whose weights run in vLLM: its offline engine, or a server."""
