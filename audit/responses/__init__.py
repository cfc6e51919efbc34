"""What is read off a row once, so that its text need not be kept."""
