"""Scenarios as they are written, and what they expect."""
