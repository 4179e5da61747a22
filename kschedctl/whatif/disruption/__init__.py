"""What becomes of pods when nodes go: drains in waves, budgets, failures."""
