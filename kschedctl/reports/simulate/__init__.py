"""The report on many pods."""
