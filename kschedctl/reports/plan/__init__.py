"""The report on what to buy."""
