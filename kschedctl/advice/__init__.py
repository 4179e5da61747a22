"""What would make a pod fit: the smallest changes, each proved by deciding again with the change made."""
