"""One scheduling cycle: node order, sampling, tie-break; and the queue."""
