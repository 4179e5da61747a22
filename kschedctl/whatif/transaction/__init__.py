"""Trials of a cluster: whatever is done to it is kept, or undone as if it had never been."""
