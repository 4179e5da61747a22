"""The report on scenarios."""
