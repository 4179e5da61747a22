"""The report on a sweep: the scenarios of a grid, and where in it things go wrong."""
