"""Hostile inputs by the thousand: made from our own types, and from fixtures that are damaged."""
