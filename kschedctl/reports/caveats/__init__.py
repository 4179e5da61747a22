"""What an answer did not look at."""
