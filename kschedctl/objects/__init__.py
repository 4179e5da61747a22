"""Kubernetes objects as typed, immutable values: quantities, selectors, positions."""
