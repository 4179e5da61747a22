"""How controllers replace the pods of a workload that changes."""
