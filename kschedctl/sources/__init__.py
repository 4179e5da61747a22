"""Manifests, kubectl Lists and snapshot files, read into objects."""
