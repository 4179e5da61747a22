"""The report on evictions."""
