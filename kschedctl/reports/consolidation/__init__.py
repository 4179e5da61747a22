"""The report on which nodes can go."""
