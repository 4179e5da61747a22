"""The report on one pod."""
