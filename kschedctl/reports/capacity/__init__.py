"""The report on what more fits."""
