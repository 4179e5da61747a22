"""The changed world: what changes, releases and added nodes make of the objects of a cluster."""
