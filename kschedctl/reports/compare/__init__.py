"""The report on two clusters or schedulers, side by side."""
