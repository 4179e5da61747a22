"""Validation of a pod that is to be created, as the API server does it (spec 02 B.3, E; 03 1.2, 2.2).

Only rules on fields that scheduling reads are here, and only those known for sure: in doubt a pod is
accepted.
"""
