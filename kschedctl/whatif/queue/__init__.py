"""The queue of pods that are scheduled one after another, and what their controllers order."""
