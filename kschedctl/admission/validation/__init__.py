"""Validation of a pod that is to be created, as the API server of a version does it, in its words.

A file holds the rules of a part of the pod, in the order in which the API server tells them. What they look at is a
document (`document`), field by field (`field`). That a value has the type its field should have is not checked here.
"""
