"""Benchmarks, run by hand: `python -m tests.benchmarks --help`. Figures are compared as ratios, never asserted."""
