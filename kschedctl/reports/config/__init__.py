"""The report on a configuration."""
