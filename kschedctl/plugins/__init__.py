"""One file, one upstream plugin."""
