"""The reports on snapshots."""
