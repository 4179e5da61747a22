"""Prices for people; their currency is that of whoever states them."""

from __future__ import annotations


def money(amount: float) -> str:
    """A price as people write it: `1.34`, `0.0416`."""
    return f"{amount:.2f}" if amount >= 0.1 or not amount else f"{amount:.4f}"
