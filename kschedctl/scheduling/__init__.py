"""One scheduling cycle: node order, sampling, tie-break; and what a decision does to the cluster."""
