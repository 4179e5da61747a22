"""What would make a pod fit, as part of a report."""
