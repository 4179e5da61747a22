"""Renderers: from a report to text, one format a file."""
