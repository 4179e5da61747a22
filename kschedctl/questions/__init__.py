"""The Python API: a cluster, and a question a module; each returns the report that a verb prints."""
