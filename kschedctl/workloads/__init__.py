"""The pods that controllers would create from a workload."""
